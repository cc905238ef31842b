import { ESTIMATES_PATH } from '../../../interface/limits.ts';
import type { TransportFailure } from '../http/failure.ts';
import type { WireOutcome } from '../http/transport.ts';

/** Broken exchanges in a row after which an endpoint is asked no more; each may take its timeout. */
const GIVE_UP_AFTER = 12;

/** Timeouts in a row after which an endpoint is asked no more. */
const GIVE_UP_AFTER_TIMEOUTS = 3;

interface InARow {
  broken: number;
  timeouts: number;
}

/** How long a target that stopped answering is still asked; each endpoint by itself. */
export class CircuitBreaker {
  readonly #endpoints = new Map<string, InARow>();

  /** What a request comes to that is not sent any more; null where it is. */
  lost(url: string): WireOutcome | null {
    const { broken, timeouts } = this.#of(url);
    if (broken < GIVE_UP_AFTER && timeouts < GIVE_UP_AFTER_TIMEOUTS) return null;
    const error: TransportFailure = {
      code: 'TARGET_GIVEN_UP',
      message: `not sent: the last ${broken} requests to this endpoint got no whole answer`,
    };
    return { response: null, error };
  }

  /** Takes note of what a request came to. */
  note(url: string, { error }: WireOutcome): void {
    const row = this.#of(url);
    if (error?.code === 'TARGET_GIVEN_UP') return;
    row.broken = error ? row.broken + 1 : 0;
    const isTimeout = error?.code === 'TIMEOUT' || error?.code === 'TIMEOUT_MID_ANSWER';
    row.timeouts = isTimeout ? row.timeouts + 1 : 0;
  }

  #of(url: string): InARow {
    const endpoint = url.includes(ESTIMATES_PATH) ? 'estimates' : 'tokens';
    const row = this.#endpoints.get(endpoint) ?? { broken: 0, timeouts: 0 };
    this.#endpoints.set(endpoint, row);
    return row;
  }
}
