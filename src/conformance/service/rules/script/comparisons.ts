import type { AllowanceKind } from '../../../../interface/limits.ts';
import type { Caller } from '../../contract/check.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { bodyOf, type Course, type Estimate, type Held } from './course.ts';

/** Changes of a refused request that is sent again: a rate limit has room by then. */
export const AGAIN = {
  purpose: 'the same after a rest, which may be refused',
  expects: 'either',
  wellFormed: false,
  rest: 'second',
} as const;

/**
 * Sends as many requests of a kind, until one is not accepted, to compare with one that an allowance covers and that
 * was refused. A new partner shows whether the allowance is granted by itself, and a new token of the same partner
 * whether refreshes are refused for another reason.
 */
export async function useUp(
  course: Course,
  caller: Caller,
  kind: AllowanceKind,
  count: number,
): Promise<void> {
  const purpose = 'a token request to compare with, which may be refused';
  let last: TokenAnswer | undefined;
  if (kind === 'refresh') last = await course.ask(caller, { purpose, fields: caller.platform() });
  for (let number = 1; number <= count; number++) {
    if (kind === 'refresh' && last?.refreshToken == null) return;
    last = await course.ask(caller, { purpose, fields: await bodyOf(caller, kind, last ?? {}) });
    if (last.outcome !== 'accepted') return;
  }
}

/** Compares the refused refresh of a token with that of a new token of the same partner. */
export async function compareRefresh(course: Course, held: Held): Promise<void> {
  if (course.ctx.facts.metered || !course.mayCompare()) return;
  const { refreshToken } = await newToken(course, held);
  if (refreshToken === null) return;
  const purpose = 'baseline: the refresh of a new token';
  const fields = held.caller.refresh(refreshToken);
  await course.token(held.caller, { purpose, fields, wellFormed: true });
}

/** Sends a refused estimate again, and compares it with one with another token. */
export async function compareEstimate(course: Course, estimate: Estimate): Promise<void> {
  const { held } = estimate;
  // One refusal that lasts tells of a token what more of them would.
  if (course.refusedAgain.has(held)) return;
  const { outcome } = await course.estimate(estimate, AGAIN);
  if (outcome === 'accepted') return;
  course.refusedAgain.add(held);
  if (!course.mayCompare()) return;
  const answer = course.ctx.facts.metered
    ? [...course.tokens.values()].findLast((one) => one !== held && one.isUser === held.isUser)
        ?.answer
    : await newToken(course, held);
  if (answer?.accessToken == null) return;
  const purpose = 'baseline: an estimate with another token';
  await course.estimate({ ...estimate, held: { ...held, answer } }, { purpose, wellFormed: true });
}

async function newToken(course: Course, { caller, isUser, scope }: Held): Promise<TokenAnswer> {
  const purpose = 'a new token, to compare with';
  const fields = await bodyOf(caller, isUser ? 'user' : 'platform', { scope });
  return course.token(caller, { purpose, fields, wellFormed: true });
}
