import type { Exchange } from '../../../documents/sealed.ts';
import { ALLOWS } from '../../model/allowance-causes.ts';
import { allowanceBreaches } from '../../model/allowances.ts';
import { askedIn } from '../../model/asked.ts';
import { violationByBreach } from '../contract/violation-by-breach.ts';
import { unlessStepped } from './clock-step.ts';
import type { ObservedRule } from './judge.ts';
import { sentByChecks } from './sent-by-checks.ts';

const RULES: readonly string[] = Object.values(ALLOWS);

/**
 * Violations whose cause concerns all partners, which all requests of a target show together: that an allowance is one
 * of all partners takes days to see, and the check of its rule may have ended on the first.
 *
 * @param found by the checks; nothing is looked for where they could determine the rules
 */
export function shownOfAll(
  found: readonly ObservedRule[],
  exchanges: readonly Exchange[],
  baseUrl: string,
): ObservedRule[] {
  const isOpen = ({ rule, judgement }: ObservedRule): boolean =>
    RULES.includes(rule) && judgement.verdict === 'inconclusive';
  if (!found.some(isOpen)) return [];
  const own = sentByChecks(exchanges);
  return allowanceBreaches(askedIn(own, baseUrl)).flatMap((breach) => {
    if (!breach.isOfAll) return [];
    const judgement = unlessStepped(violationByBreach(breach, false), own);
    return judgement.verdict === 'violated' ? { rule: breach.rule, judgement } : [];
  });
}
