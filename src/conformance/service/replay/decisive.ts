import type { RuleResult } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import { FormerRun, type StoredExchanges } from './former-run.ts';
import { obstacleTo } from './obstacle.ts';
import { outcomeOf } from './outcome.ts';

/**
 * Finds, for a rule of a run, the exchange to send again: the decisive one, or else one with a wrong
 * answer, or one that must be refused, or another of the check, or a baseline. Its result is the id, or
 * null where none of its exchanges can be sent again.
 */
export function exchangeToReplay(
  run: StoredExchanges,
): (rule: Pick<RuleResult, 'exchanges' | 'shownBy'>) => string | null {
  const former = new FormerRun(run);
  const byId = new Map(former.exchanges.map((one) => [one.id, one]));
  return ({ exchanges, shownBy }) => {
    const rank = (one: Exchange): number => {
      if (one.id === shownBy) return 0;
      if (outcomeOf(one).verdict === 'not-as-expected') return 1;
      if (one.part?.step !== undefined) return 4;
      // A check may send well-formed requests of its own before the wrong ones.
      return one.expects === 'refused' ? 2 : 3;
    };
    const known = [...new Set(exchanges)].flatMap((id) => byId.get(id) ?? []);
    const ranked = known.toSorted((a, b) => rank(a) - rank(b));
    return ranked.find((one) => obstacleTo(one, former) === null)?.id ?? null;
  };
}
