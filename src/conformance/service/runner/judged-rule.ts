import type { Judgement } from '../../verdict.ts';
import type { Check } from '../contract/check.ts';

/** Judgement of one rule, before the rule's level makes a verdict of it. */
export interface JudgedRule {
  readonly rule: string;
  readonly judgement: Judgement;
  /** Exchanges of the check and of its baseline. */
  readonly exchanges: readonly string[];
  readonly check: Check;
}

/** Receives rules as they are judged. */
export type OnJudged = (judged: readonly JudgedRule[]) => void;

/** Gives all rules of a check the same judgement. */
export function judgeAlike(
  check: Check,
  judgement: Judgement,
  exchanges: readonly string[] = [],
): JudgedRule[] {
  return check.rules.map((rule) => ({ rule, judgement, exchanges, check }));
}
