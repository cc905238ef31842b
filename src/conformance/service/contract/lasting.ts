import { Inconclusive } from './judge.ts';
import type { Answer, Rest } from './messages.ts';

/** Purpose of a request that is sent again, and the rest before it. */
export interface Again {
  readonly purpose: string;
  readonly rest: Rest;
}

/** Longest Retry-After of a limit of the rate, in seconds; that of a ban is longer. */
const LONGEST_RATE_S = 3_600;

/**
 * Sends a refused request again, before its refusal counts against a rule: a limit of the rate has room
 * again by then, and a refusal at random seldom comes twice.
 *
 * @param what the request, such as `platform token request 9 of 10`
 * @param rest period of the limits that have room again when it is sent
 * @throws Inconclusive if it is accepted then, or if the refusal names a time to try again
 */
export async function requireLasting(
  what: string,
  { status, headers }: Answer,
  rest: Rest,
  send: (again: Again) => Promise<Answer>,
): Promise<void> {
  const refusal = `${what} was refused with status ${status}`;
  const seconds = Number(headers['retry-after']);
  if (seconds > 0 && seconds <= LONGEST_RATE_S)
    throw new Inconclusive(`${refusal} and Retry-After ${seconds}: the target limits its rate`);
  const { outcome } = await send({ purpose: 'the same after a rest, which may be refused', rest });
  if (outcome !== 'accepted') return;
  throw new Inconclusive(
    `${refusal}, and accepted after a rest: the target limits its rate, or refuses at random`,
  );
}
