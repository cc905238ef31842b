import { findRule } from '../../../interface/catalogue.ts';
import type { Breach } from '../../model/breach.ts';
import type { Kept } from '../../model/kept.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../verdict.ts';
import { type Answer, describeAnswer } from '../contract/messages.ts';

/** Findings of a model in the requests of a script. */
export interface Found {
  /** Breaches of the rule, and evidence that it was kept. */
  readonly breaches: readonly Breach[];
  readonly kept: Kept | undefined;
  /** Ids of the script's exchanges. */
  readonly sent: readonly string[];
  readonly last: Answer | null;
  /** Reason why the script was not sent whole; null if it was. */
  readonly missing?: string | null;
  /** Reason why a part of the script had no time left; null if it had. */
  readonly tooLate?: string | null;
}

/** Judges a rule by what its model found in the requests of a script. */
export function judgeScript(
  rule: string,
  { breaches, kept, sent, last, missing = null, tooLate = null }: Found,
): Judgement {
  const breach = breaches.find(({ isLasting }) => isLasting) ?? breaches[0];
  if (breach?.isLasting) {
    const statement = findRule(rule)?.statement ?? rule;
    const found = violated(statement, breach.reason, breach.key, [...breach.exchanges, ...sent]);
    return { ...found, place: breach.place };
  }
  if (breach)
    return inconclusive(`${breach.reason}; a limit of the rate may have refused a request`, sent);
  if (missing !== null) return inconclusive(missing, sent);
  if (kept) return pass(kept.reason, [...kept.exchanges, ...sent]);
  if (tooLate !== null) return untestable(tooLate, 'a control API, or a run that waits');
  const ending = last ? ` (the last answer: ${describeAnswer(last)})` : '';
  return inconclusive(`what it sent does not show whether the rule is kept${ending}`, sent);
}
