import { HttpListener, type ListenerOptions } from './http/listener.ts';
import { ControlApi, type ControlOptions } from './service/control.ts';
import { type Answer, CONTROL_ERRORS, type ServiceRequest } from './service/messages.ts';

/** Options of {@link openControl}. */
export interface OpenControlOptions
  extends ControlOptions,
    Pick<ListenerOptions, 'clock' | 'timeouts'> {
  readonly clock: ControlOptions['clock'];
  readonly port: number;
  readonly host: string;
  /** Does some work on the state; resolves once it is in effect wherever requests are answered. */
  readonly after: (work: () => Answer) => Answer | Promise<Answer>;
}

/**
 * Opens the control API on a port of its own.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED` or `HOST_NOT_AVAILABLE`
 */
export async function openControl({
  port,
  host,
  after,
  timeouts,
  ...options
}: OpenControlOptions): Promise<HttpListener> {
  const api = new ControlApi(options);
  const listener = new HttpListener({
    clock: options.clock,
    timeouts,
    errors: CONTROL_ERRORS,
    refusesForeign: true,
    handler: (request: ServiceRequest) => after(() => api.answer(request)),
  });
  await listener.listen(port, host);
  return listener;
}
