import { remedyOfFailure, type TransportFailure } from '../../../interface/connection-failure.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { Target } from '../contract/target.ts';
import type { Send, WireOutcome, WireRequest } from '../http/message.ts';

/** Code of the error for a target that does not answer. */
export const TARGET_UNREACHABLE = 'TARGET_UNREACHABLE';

/**
 * Checks that a target answers, by requests without a partner id, which cost no allowance: an
 * estimate first, a token where that endpoint is silent, and an estimate with an unknown token for a
 * target that drops requests without Authorization.
 *
 * @throws FareproofError `TARGET_UNREACHABLE`
 */
export async function requireReachable(target: Target, send: Send): Promise<void> {
  let silence: TransportFailure | null = null;
  for (const probe of probesOf(target)) {
    const { error } = await send(probe);
    if (!error || !isSilence(error)) return;
    silence = error;
    if (error.code.startsWith('CONNECT_')) break;
  }
  if (silence) throw unreachable(target, silence);
}

function unreachable(target: Target, error: TransportFailure): FareproofError {
  const { baseUrl, tls } = target;
  const remedy = remedyOfFailure(error, { baseUrl, hasCertificate: tls?.cert !== undefined });
  return new FareproofError(
    TARGET_UNREACHABLE,
    `${baseUrl} does not answer: ${error.message} (${error.code}). ${remedy}`,
  );
}

/** Failures after the target began to answer are left to the checks. */
function isSilence({ code }: TransportFailure): boolean {
  return code.startsWith('CONNECT_') || code === 'TIMEOUT' || code === 'CONNECTION_BROKEN';
}

function probesOf({ baseUrl, headers }: Target): readonly WireRequest[] {
  const estimate = { method: 'GET', url: baseUrl + ESTIMATES_PATH, headers, body: null };
  const token = { method: 'POST', url: baseUrl + TOKEN_PATH, headers, body: '' };
  const authorized = { ...headers, authorization: 'Bearer nobody|unknown-token' };
  return [
    { ...estimate, ownConnection: true },
    { ...token, ownConnection: true },
    { ...estimate, headers: authorized, ownConnection: true },
  ];
}

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

  /** Records the outcome of a request; a target may drop one without Authorization. */
  record({ url, headers }: WireRequest, { error }: WireOutcome): void {
    if (error?.code === 'TARGET_GIVEN_UP' || (error && !headers['authorization'])) return;
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
