import type { GapFinding } from '../../documents/sealed.ts';
import { ALLOWANCE_PER_DAY } from '../../interface/limits.ts';
import { type Asked, groupedBy, isBefore } from './asked.ts';
import { isSurelyOneDay } from './days.ts';

/** Refused requests of a partner, and how many of them surely did not count. */
interface Free {
  readonly refused: readonly Asked[];
  readonly atLeast: number;
}

/**
 * Finding about refused requests: on their day, more was accepted than they would have left room for, or the
 * allowance ended with them.
 */
export function countOfRefused(log: readonly Asked[]): GapFinding | undefined {
  const requests = log.filter(({ kind }) => kind !== null);
  const groups = [...groupedBy(requests, ({ partner, kind }) => `${partner} ${kind}`).values()];
  const [most] = groups.flatMap(freeIn).sort((a, b) => b.atLeast - a.atLeast);
  if (!most) return refusedAfterRefusals(requests);
  const { refused, atLeast } = most;
  const exchanges = refused.map(({ id }) => id);
  if (atLeast < refused.length)
    return {
      words: `at least ${atLeast} of ${refused.length} refused requests did not`,
      exchanges,
    };
  return { value: 'no', words: `none of ${refused.length} refused requests did`, exchanges };
}

/** Those of one partner and kind, before each accepted request that they show something by. */
function freeIn(own: readonly Asked[]): readonly Free[] {
  return own.flatMap((last): readonly Free[] => {
    if (last.outcome !== 'accepted' || last.kind === null) return [];
    const before = own.filter((one) => isBefore(one, last) && isSurelyOneDay(one, last));
    const accepted = before.filter(({ outcome }) => outcome === 'accepted');
    const refused = before.filter(({ outcome, isWrong }) => outcome === 'refused' && isWrong);
    const most = ALLOWANCE_PER_DAY[last.kind];
    const atLeast = accepted.length + 1 + refused.length - most;
    // One that grants more than the allowance shows nothing of what counts.
    return atLeast > 0 && accepted.length < most ? [{ refused, atLeast }] : [];
  });
}

/**
 * Finding about a right request that was refused once accepted and refused ones of its day were as many as the
 * allowance: where they were no more, that is how a target refuses which counts those.
 */
export function refusedAfterRefusals(log: readonly Asked[]): GapFinding | undefined {
  for (const last of log) {
    if (last.outcome !== 'refused' || last.isWrong || last.kind === null) continue;
    const before = log.filter(
      (one) =>
        one.partner === last.partner &&
        one.kind === last.kind &&
        isBefore(one, last) &&
        isSurelyOneDay(one, last),
    );
    const accepted = before.filter(({ outcome }) => outcome === 'accepted').length;
    const refused = before.filter(({ outcome, isWrong }) => outcome === 'refused' && isWrong);
    const most = ALLOWANCE_PER_DAY[last.kind];
    const beyond = accepted + refused.length - most;
    if (refused.length === 0 || accepted >= most || beyond < 0) continue;
    if (beyond > 0 && !last.isRight) continue;
    const words = `a right request was refused after ${accepted} accepted and ${refused.length} refused ones`;
    const exchanges = [...refused, last].map(({ id }) => id);
    return beyond > 0 ? { words, exchanges } : { value: 'yes', words, exchanges };
  }
  return undefined;
}
