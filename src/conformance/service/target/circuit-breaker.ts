import { ESTIMATES_PATH } from '../../../interface/limits.ts';
import type { WireOutcome } from '../http/message.ts';

/** Failures in a row that open the circuit of an endpoint; each may take its timeout. */
const MOST_FAILURES = 12;

/** Timeouts in a row that open it. */
const MOST_TIMEOUTS = 3;

/** Stops requests to an endpoint that no longer answers. */
export class CircuitBreaker {
  readonly #endpoints = new Map<string, { failures: number; timeouts: number }>();

  /** Outcome of a request that is not sent because its circuit is open; null if it may be sent. */
  rejection(url: string): WireOutcome | null {
    const { failures, timeouts } = this.#endpointOf(url);
    if (failures < MOST_FAILURES && timeouts < MOST_TIMEOUTS) return null;
    const message = `not sent: the last ${failures} requests to this endpoint got no complete response`;
    return { response: null, error: { code: 'TARGET_GIVEN_UP', message } };
  }

  /** Records the outcome of a request. */
  record(url: string, { error }: WireOutcome): void {
    if (error?.code === 'TARGET_GIVEN_UP') return;
    const endpoint = this.#endpointOf(url);
    endpoint.failures = error ? endpoint.failures + 1 : 0;
    const isTimeout = error?.code === 'TIMEOUT' || error?.code === 'TIMEOUT_MID_ANSWER';
    endpoint.timeouts = isTimeout ? endpoint.timeouts + 1 : 0;
  }

  #endpointOf(url: string): { failures: number; timeouts: number } {
    const name = url.includes(ESTIMATES_PATH) ? 'estimates' : 'tokens';
    const endpoint = this.#endpoints.get(name) ?? { failures: 0, timeouts: 0 };
    this.#endpoints.set(name, endpoint);
    return endpoint;
  }
}
