import type { Judgement } from '../../verdict.ts';
import { type Check, isFurther } from '../contract/check.ts';
import { type Doubts, unlessUnproven } from './alibis.ts';
import { mergeAttempts } from './attempts.ts';
import { provenBy } from './both-sides.ts';
import { type JudgedRule, mergeJudged } from './judged-rule.ts';

/** Rule judged by all that checks saw. */
export interface ObservedRule {
  readonly rule: string;
  readonly judgement: Judgement;
}

/** Findings about a target. */
export interface TargetLog {
  /** Checks that ran, or should have: of a rule with one that found nothing, only a violation counts. */
  readonly checks: readonly Check[];
  /** Findings of each attempt of each check. */
  readonly found: readonly JudgedRule[];
  readonly observed: readonly ObservedRule[];
  /** Violations that all requests show together, whose cause concerns all partners. */
  readonly ofAll: readonly ObservedRule[];
  /** Reasons why its refusals may prove nothing. */
  readonly doubts: Doubts;
}

/** Judgement of a rule, and the exchanges that show it; with the check that found it, if one did. */
export type RuleJudgement = Omit<JudgedRule, 'check'> & { readonly check?: Check };

/**
 * Judges each rule by all that was found of the targets of a run. A rule that checks judge, and that is
 * judged by what others saw as well, is decided by what a check found only if that is a violation.
 *
 * @param isInterrupted true where a check may have been stopped before it was decided
 */
export function judge(
  logs: readonly TargetLog[],
  isInterrupted = false,
): Map<string, RuleJudgement> {
  const verdicts = new Map<string, RuleJudgement>();
  for (const { observed, doubts } of logs) {
    for (const one of observed) {
      const { rule, judgement } = unlessUnproven(one, doubts);
      verdicts.set(rule, { rule, judgement, exchanges: judgement.exchanges ?? [] });
    }
  }
  const isSeen = new Set(verdicts.keys());
  for (const one of logs.flatMap((log) => judgeChecks(log, isInterrupted))) {
    if (one.judgement.verdict === 'violated' || !isSeen.has(one.rule)) verdicts.set(one.rule, one);
  }
  // A part of a run does not show what every day of it would.
  for (const { rule, judgement } of isInterrupted ? [] : logs.flatMap((log) => log.ofAll))
    if (verdicts.get(rule)?.judgement.verdict === 'inconclusive')
      verdicts.set(rule, { rule, judgement, exchanges: judgement.exchanges ?? [] });
  const cause = [...verdicts.values()].find(({ judgement }) => judgement.isOfAll);
  return cause ? withCause(verdicts, cause.rule) : verdicts;
}

/** Names the rule whose cause concerns all partners where others could not be determined. */
function withCause(
  verdicts: ReadonlyMap<string, RuleJudgement>,
  rule: string,
): Map<string, RuleJudgement> {
  return new Map(
    [...verdicts].map(([id, one]) => {
      const { judgement } = one;
      if (judgement.verdict !== 'inconclusive') return [id, one];
      const reason = `${judgement.reason}; it may follow from ${rule}, whose cause concerns all partners`;
      return [id, { ...one, judgement: { ...judgement, reason } }];
    }),
  );
}

/** Judges the rules of a target's checks. Of an unfinished rule a violation stands, and nothing else. */
export function judgeChecks(
  { checks, found, doubts }: Omit<TargetLog, 'observed' | 'ofAll'>,
  isInterrupted = false,
): JudgedRule[] {
  const needed = checksBehind(checks.filter((check) => !isFurther(check)));
  const isWhole = (rule: string, ended: readonly JudgedRule[]): boolean =>
    (needed.get(rule) ?? []).every(({ id }) => ended.some(({ check }) => check.id === id));
  const decided = found.filter(
    ({ judgement }) => !isInterrupted || judgement.verdict !== 'inconclusive',
  );
  return mergeJudged(mergeAttempts(found, doubts)).filter(
    ({ rule, judgement: { verdict } }) =>
      verdict === 'violated' || isWhole(rule, verdict === 'inconclusive' ? found : decided),
  );
}

/** Checks that the verdict of a rule waits for: those of the rule without whose pass it proves nothing too. */
function checksBehind(checks: readonly Check[]): Map<string, Check[]> {
  const behind = new Map<string, Check[]>();
  const own = (rule: string): Check[] => checks.filter(({ rules }) => rules.includes(rule));
  for (const check of checks) {
    for (const rule of check.rules) {
      const proof = provenBy(check, rule);
      const proofs = proof === null ? [] : own(proof);
      behind.set(rule, [...(behind.get(rule) ?? []), check, ...proofs]);
    }
  }
  return behind;
}

/** Collects what checks find, and hands on each rule once all that its verdict rests on is there. */
export class RuleParts {
  readonly #of: Pick<TargetLog, 'checks' | 'doubts'>;
  readonly #behind: ReadonlyMap<string, readonly Check[]>;
  readonly #ended = new Set<string>();
  readonly #found = new Map<string, JudgedRule[]>();
  /** Rules that were handed on: what comes later of one, such as a repeat left out, is ignored. */
  readonly #handedOn = new Set<string>();

  constructor(of: Pick<TargetLog, 'checks' | 'doubts'>) {
    this.#of = of;
    this.#behind = checksBehind(of.checks);
  }

  /** All that counts so far. */
  get log(): Omit<TargetLog, 'observed' | 'ofAll'> {
    return { ...this.#of, found: [...this.#found.values()].flat() };
  }

  /** Adds what checks found; returns the rules that are complete with it, judged. */
  add(found: readonly JudgedRule[]): JudgedRule[] {
    for (const one of found.filter(({ rule }) => !this.#handedOn.has(rule))) {
      this.#ended.add(one.check.id);
      this.#found.set(one.rule, [...(this.#found.get(one.rule) ?? []), one]);
    }
    const whole = [...this.#found.keys()].filter((rule) => this.#isNowWhole(rule));
    if (whole.length === 0) return [];
    for (const rule of whole) this.#handedOn.add(rule);
    const behind = whole.flatMap((rule) => this.#behind.get(rule) ?? []);
    const rules = new Set([...whole, ...behind.flatMap((check) => check.rules)]);
    const all = [...rules].flatMap((rule) => this.#found.get(rule) ?? []);
    return judgeChecks({ ...this.#of, checks: [], found: all }).filter(({ rule }) =>
      whole.includes(rule),
    );
  }

  #isNowWhole(rule: string): boolean {
    const behind = this.#behind.get(rule) ?? [];
    return !this.#handedOn.has(rule) && behind.every(({ id }) => this.#ended.has(id));
  }
}
