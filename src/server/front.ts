import type { CreatedService } from './create-service.ts';
import { createListener, type ServiceListenerOptions } from './service-listener.ts';
import { keepWarmingUp, warmUp } from './warm-up.ts';

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
  readonly warmsUp: boolean;
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
  const { warmsUp, port, host } = options;
  // First: code that V8 compiled for later objects of a class may not take earlier ones.
  if (warmsUp) await warmUp(options);
  const { listener, fastPathAnswers } = createListener(created, options);
  await listener.listen(port, host);
  const endWarmUp = warmsUp ? keepWarmingUp(listener, options) : null;
  return {
    baseUrl: listener.baseUrl,
    port: listener.port,
    fastPathAnswers,
    after: (work) => work(),
    close: async (graceMs) => {
      await Promise.all([endWarmUp?.(), listener.close(graceMs)]);
    },
  };
}
