import type { AlsoRed } from '../../documents/selfcheck.ts';
import type { Outcome } from './judge-service.ts';
import type { Trial } from './sides.ts';

/** True for a rule that was found broken. */
export const isRed = ({ verdict }: Pick<Outcome, 'verdict'>): boolean =>
  verdict === 'fail' || verdict === 'warn';

/** The rules found broken besides the one that was, with the reason why they had to. */
export function alsoRedOf(others: readonly Outcome[], breaks: Trial['breaks']): AlsoRed[] {
  return others.filter(isRed).map(({ id, level, reason }) => {
    const named = breaks.find((broken) => broken.rule === id);
    return { rule: id, level, reason, necessity: named?.reason ?? null };
  });
}
