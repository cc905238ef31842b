import type { Judgement } from '../../verdict.ts';
import { type Check, describeBase } from '../contract/check.ts';
import { onBothSides, provenBy } from './both-sides.ts';

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

/**
 * Merges what several checks found of one rule. It is broken if one of them found so; it passes if one
 * passes and none contradicts, and what the others could not determine is part of the reason.
 *
 * @param passing rules of which a part passed, see {@link onBothSides}
 */
export function mergeJudged(
  judged: readonly JudgedRule[],
  passing: ReadonlySet<string> = passingOf(judged),
): JudgedRule[] {
  const byRule = new Map<string, JudgedRule[]>();
  for (const one of onBothSides(judged, passing))
    byRule.set(one.rule, [...(byRule.get(one.rule) ?? []), one]);
  return [...byRule.values()].map(mergeParts);
}

function passingOf(judged: readonly JudgedRule[]): Set<string> {
  return new Set(judged.filter((one) => one.judgement.verdict === 'pass').map(({ rule }) => rule));
}

const DECISIVE: readonly Judgement['verdict'][] = [
  'violated',
  'pass',
  'inconclusive',
  'untestable',
];

function mergeParts(judged: readonly JudgedRule[]): JudgedRule {
  // Batches end in any order; a run that is judged again has another one.
  // With further parts, one for which no allowance was left says nothing of its rule.
  const isPlanned = judged.some(({ check: { rank } }) => rank !== undefined);
  const sent = judged.filter((one) => !isPlanned || one.judgement.verdict !== 'untestable');
  const parts = [...(sent.length > 0 ? sent : judged)].sort((a, b) =>
    a.check.id < b.check.id ? -1 : 1,
  );
  const having = (verdict: Judgement['verdict']): JudgedRule[] =>
    parts.filter(({ judgement }) => judgement.verdict === verdict);
  const decisive = DECISIVE.map(having).find(({ length }) => length > 0) ?? parts;
  const [first, ...others] = decisive as [JudgedRule, ...JudgedRule[]];
  if (parts.length === 1) return first;
  const { judgement, check } = first;
  const also = others.map((one) => baseOf(one.check));
  const open = judgement.verdict === 'pass' ? having('inconclusive') : [];
  const undetermined = open.map((one) => `${onBase(one.check)}: ${one.judgement.reason}`);
  // Of what was not sent, one reason holds for all.
  if (judgement.verdict === 'untestable') return first;
  const reason = [
    judgement.reason,
    ` (${[...new Set([baseOf(check), ...also])].join(', ')})`,
    ...[...new Set(undetermined)].map((words) => `; not determined ${words}`),
  ].join('');
  const exchanges = [...new Set([...decisive, ...parts].flatMap((one) => one.exchanges))];
  return { ...first, judgement: { ...judgement, reason }, exchanges };
}

const baseOf = ({ baseRequest, setting }: Check): string => describeBase(baseRequest, setting);

const onBase = (check: Check): string =>
  check.setting?.circumstance === undefined ? `on ${baseOf(check)}` : `(${baseOf(check)})`;

/** Hands on each rule when all checks that its verdict rests on have judged. */
export class RuleParts {
  /** Checks that a rule waits for. */
  readonly #missing = new Map<string, Map<string, Check>>();
  readonly #parts = new Map<string, JudgedRule[]>();
  /** Rules that were handed on: what comes later of one, such as a repeat left out, is ignored. */
  readonly #handedOn = new Set<string>();
  /** Rules that wait for a rule, besides itself: without its pass, an acceptance proves nothing. */
  readonly #provenBy = new Map<string, Set<string>>();
  readonly #passing = new Set<string>();

  constructor(checks: readonly Check[]) {
    for (const check of checks) {
      for (const rule of check.rules) {
        const behind = provenBy(check, rule);
        if (behind === null) continue;
        this.#provenBy.set(behind, (this.#provenBy.get(behind) ?? new Set()).add(rule));
      }
    }
    for (const check of checks) {
      for (const rule of check.rules.flatMap((one) => this.#waitingFor(one))) {
        const missing = this.#missing.get(rule) ?? new Map<string, Check>();
        this.#missing.set(rule, missing.set(check.id, check));
      }
    }
  }

  /** Adds judgements; returns the rules that are complete with them, merged. */
  add(judged: readonly JudgedRule[]): JudgedRule[] {
    for (const one of judged) {
      if (this.#handedOn.has(one.rule)) continue;
      if (one.judgement.verdict === 'pass') this.#passing.add(one.rule);
      for (const rule of this.#waitingFor(one.rule)) this.#missingOf(rule).delete(one.check.id);
      this.#parts.set(one.rule, [...(this.#parts.get(one.rule) ?? []), one]);
    }
    return this.#take((rule) => this.#missingOf(rule).size === 0);
  }

  /**
   * Rules of which an interrupted run judged only a part: a violation stands, and a pass only where
   * nothing but further parts is missing.
   */
  broken(): JudgedRule[] {
    const isJudged = (rule: string): boolean =>
      [...this.#missingOf(rule).values()].every(({ rank }) => rank !== undefined);
    return [...this.#parts.keys()].flatMap((rule) => {
      const isWhole = isJudged(rule);
      const merged = this.#take((one) => one === rule);
      return merged.filter(({ judgement }) => isWhole || judgement.verdict === 'violated');
    });
  }

  #waitingFor(rule: string): string[] {
    return [rule, ...(this.#provenBy.get(rule) ?? [])];
  }

  /** Checks that a rule waits for: none if it is only judged by a check that was not planned. */
  #missingOf(rule: string): Map<string, Check> {
    return this.#missing.get(rule) ?? new Map<string, Check>();
  }

  #take(isWanted: (rule: string) => boolean): JudgedRule[] {
    const taken = [...this.#parts].filter(([rule]) => isWanted(rule));
    for (const [rule] of taken) {
      this.#parts.delete(rule);
      this.#handedOn.add(rule);
    }
    return mergeJudged(
      taken.flatMap(([, parts]) => parts),
      this.#passing,
    );
  }
}

/**
 * The judgement of a rule that checks judge, or what other checks saw, or both: then what a check found
 * counts only if it is a violation.
 */
export function decisiveOf<Judged extends Pick<JudgedRule, 'judgement'>>(
  judged: Judged | undefined,
  observed: Judgement | undefined,
): Judged | undefined {
  return observed && judged?.judgement.verdict !== 'violated' ? undefined : judged;
}
