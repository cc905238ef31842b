import type { Judgement } from '../../verdict.ts';
import { type Check, describePlace, isFurther } from '../contract/check.ts';
import { onBothSides } from './both-sides.ts';

/** Judgement of one rule, before the rule's level makes a verdict of it. */
export interface JudgedRule {
  readonly rule: string;
  readonly judgement: Judgement;
  /** Exchanges of the check and of its baseline. */
  readonly exchanges: readonly string[];
  readonly check: Check;
  /** Number of the check's attempt, from 1; higher where what an earlier one found was not settled. */
  readonly attempt?: number | undefined;
  /** True if a clock was set while it was measured: it is measured again. */
  readonly isStepped?: true | undefined;
  /** Ids of all checks that found the same; left out where only its own did. */
  readonly shownBy?: readonly string[] | undefined;
}

/** Receives rules as they are judged. */
export type OnJudged = (judged: readonly JudgedRule[]) => void;

/** Gives all rules of a check the same judgement. */
export function judgeAlike(
  check: Check,
  judgement: Judgement,
  exchanges: readonly string[] = [],
  attempt?: number,
): JudgedRule[] {
  return check.rules.map((rule) => ({ rule, judgement, exchanges, check, attempt }));
}

/**
 * Merges what several checks found of one rule. It is broken if one of them found so, and open if one saw a breach that
 * something else may explain. It passes if one passes and none contradicts, and what the others could not determine is
 * part of the reason.
 */
export function mergeJudged(judged: readonly JudgedRule[]): JudgedRule[] {
  const byRule = new Map<string, JudgedRule[]>();
  for (const one of onBothSides(judged))
    byRule.set(one.rule, [...(byRule.get(one.rule) ?? []), one]);
  return [...byRule.values()].map(mergeParts);
}

const DECISIVE: readonly Judgement['verdict'][] = ['pass', 'inconclusive', 'untestable'];

function mergeParts(judged: readonly JudgedRule[]): JudgedRule {
  // Batches end in any order; a run that is judged again has another one.
  // With further parts, one for which no allowance was left says nothing of its rule.
  const isPlanned = judged.some(({ check }) => isFurther(check));
  const sent = judged.filter((one) => !isPlanned || one.judgement.verdict !== 'untestable');
  const parts = [...(sent.length > 0 ? sent : judged)].sort((a, b) =>
    a.check.id < b.check.id ? -1 : 1,
  );
  const having = (verdict: Judgement['verdict']): JudgedRule[] =>
    parts.filter(({ judgement }) => judgement.verdict === verdict);
  const doubts = parts.filter(({ judgement }) => judgement.isDoubt);
  // The one that was accepted shortly before leaves the fewest causes.
  const violated = having('violated').sort((a, b) => sinceOf(a) - sinceOf(b));
  const byWeight = [violated, doubts, ...DECISIVE.map(having)];
  const decisive = saying(byWeight.find(({ length }) => length > 0) ?? parts);
  const [first, ...others] = decisive as [JudgedRule, ...JudgedRule[]];
  const { judgement, check } = first;
  const isOpen = judgement.verdict === 'inconclusive';
  if (parts.length === 1 || (isOpen && others.length === 0)) return first;
  const also = others.map((one) => baseOf(one.check));
  const open = judgement.verdict === 'pass' ? having('inconclusive') : [];
  const undetermined = open.map((one) => `${onBase(one.check)}: ${one.judgement.reason}`);
  // Of what was not sent, one reason holds for all.
  if (judgement.verdict === 'untestable') return first;
  // Where a check sends its own requests, its place is a name of ours.
  const places = [...new Set([baseOf(check), ...also])].filter((place) => place !== '');
  const reason = [
    judgement.reason,
    ...(places.length === 0 ? [] : [` (seen with: ${places.join('; ')})`]),
    ...[...new Set(undetermined)].map((words) => `; not determined ${words}`),
  ].join('');
  const exchanges = [...new Set([...decisive, ...parts].flatMap((one) => one.exchanges))];
  const shownBy = decisive.map((one) => one.check.id);
  return { ...first, judgement: { ...judgement, reason }, exchanges, shownBy };
}

/** Milliseconds; as long as a number can be where nothing was accepted before. */
const sinceOf = ({ judgement: { sinceMs = Number.MAX_VALUE } }: JudgedRule): number => sinceMs;

/** Of parts that determined nothing, the first part of the rule speaks for the further ones. */
function saying(parts: readonly JudgedRule[]): readonly JudgedRule[] {
  const first = parts.filter(({ check }) => !isFurther(check));
  const isOpen = parts.every(({ judgement }) => judgement.verdict === 'inconclusive');
  return isOpen && first.length > 0 ? first : parts;
}

const baseOf = ({ places: [place] }: Check): string =>
  place.baseRequest === 'standalone' && place.setting.circumstance === undefined
    ? ''
    : describePlace(place);

const onBase = ({ places: [place] }: Check): string =>
  place.setting.circumstance === undefined
    ? `on ${describePlace(place)}`
    : `(${describePlace(place)})`;
