import type { CreatedService } from './create-service.ts';
import { createListener, type ServiceListenerOptions } from './service-listener.ts';

/** Listens for a service: in this process, or in workers. */
export interface Front {
  readonly baseUrl: string;
  readonly port: number;
  /** Estimates that the fast path has answered. */
  readonly fastPathAnswers: () => number;
  /** Does some work on the state; resolves once it is in effect wherever requests are answered. */
  readonly after: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  close(graceMs: number): Promise<void>;
}

/** Options of {@link listenHere}. */
export interface ListenHereOptions extends ServiceListenerOptions {
  readonly port: number;
  readonly host: string;
}

/**
 * Listens in this process.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED`, `HOST_NOT_AVAILABLE` or `TLS_INVALID`
 */
export async function listenHere(
  created: CreatedService,
  options: ListenHereOptions,
): Promise<Front> {
  const { listener, fastPathAnswers } = createListener(created, options);
  await listener.listen(options.port, options.host);
  return {
    baseUrl: listener.baseUrl,
    port: listener.port,
    fastPathAnswers,
    after: (work) => work(),
    close: (graceMs) => listener.close(graceMs),
  };
}
