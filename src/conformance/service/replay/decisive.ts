import type { RuleResult } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import { hasWrongStatus, isShownBy } from './finding.ts';
import { FormerRun, type StoredExchanges } from './former-run.ts';
import { obstacleTo } from './obstacle.ts';

/**
 * Finds, for a broken rule of a run, the exchange to send again: one that shows the rule alone, or else one that
 * may still get the wrong status; of several, the decisive one. Its result is the id, or null where none can show
 * it, or none of them can be sent again.
 */
export function exchangeToReplay(
  run: StoredExchanges,
): (rule: Pick<RuleResult, 'id' | 'exchanges' | 'shownBy'>) => string | null {
  const former = new FormerRun(run);
  const byId = new Map(former.exchanges.map((one) => [one.id, one]));
  return (rule) => {
    const rank = (one: Exchange): number =>
      (isShownBy(rule, one) ? 0 : 2) + (one.id === rule.shownBy ? 0 : 1);
    const known = [...new Set(rule.exchanges)].flatMap((id) => byId.get(id) ?? []);
    const showing = known.filter((one) => isShownBy(rule, one) || hasWrongStatus(one));
    const ranked = showing.toSorted((a, b) => rank(a) - rank(b));
    return ranked.find((one) => obstacleTo(one, former) === null)?.id ?? null;
  };
}
