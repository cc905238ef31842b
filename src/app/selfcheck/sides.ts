import { setTimeout as sleep } from 'node:timers/promises';
import { judgeSampleClient, matcherOf, WRONG_CLIENTS } from '../../conformance/index.ts';
import type { AlsoRed, SelfcheckRow } from '../../documents/selfcheck.ts';
import { findRule, type Rule } from '../../interface/index.ts';
import { FAULTS, type FaultId, startServer } from '../../server/index.ts';
import { readScenarios } from '../certify/scenarios.ts';
import { requireKnownRules } from '../rule-globs.ts';
import { judgeService, type Outcome, type Way } from './judge-service.ts';

/** A rule of one side that can be broken on purpose. */
export interface Trial {
  readonly rule: Rule;
  /** Description of how it is broken, in a sentence. */
  readonly how: string;
  /** Other rules that necessarily break with it. */
  readonly breaks: readonly { readonly rule: string; readonly reason: string }[];
}

/** One of the two checkers and the subjects that prove it. */
interface SelfcheckSide {
  /** At most one per rule. */
  readonly trials: readonly Trial[];
  /**
   * Number of subjects in parallel in one thread, if they mostly wait; null if each needs a thread
   * of its own.
   */
  readonly inParallel: number | null;
  /**
   * Judges a subject with that fault, or a sound one for null. May be called again while a call is
   * under way.
   */
  judge(fault: string | null, seed: number, way: Way): Promise<readonly Outcome[]>;
}

/** The checker of services, tested with the reference server with one rule broken. */
const serviceSide: SelfcheckSide = {
  trials: FAULTS.filter(({ id, rule }) => id === rule).map(({ rule, how, breaks }) => ({
    rule: findRule(rule)!,
    how,
    breaks,
  })),
  inParallel: null,
  judge: (fault, seed, way) => judgeService(fault as FaultId | null, seed, way),
};

/** Number of clients in parallel: each spends most of its time waiting between two estimates. */
const IN_PARALLEL = 12;

/** The checker of clients, tested with a sample client that has one mistake per rule. */
const clientSide: SelfcheckSide = {
  trials: WRONG_CLIENTS.flatMap(({ rule: id, mistake, alsoBreaks }) => {
    const rule = findRule(id);
    const breaks = Object.entries(alsoBreaks).map(([also, reason]) => ({ rule: also, reason }));
    return rule === undefined ? [] : [{ rule, how: `The client ${mistake}.`, breaks }];
  }),
  inParallel: IN_PARALLEL,
  judge: async (fault, seed) =>
    judgeSampleClient(
      fault,
      {
        startReference: (options) => startServer(options),
        scenarios: await readScenarios([], { cwd: '.', env: {} }),
        now: Date.now,
        sleep: (ms) => sleep(ms),
      },
      seed,
    ),
};

/** The sides by the name used in the document. */
const SIDES: Readonly<Record<string, SelfcheckSide>> = { service: serviceSide, client: clientSide };

/** A side and the rules of it to break. */
export interface ChosenSide extends Pick<SelfcheckSide, 'trials' | 'inParallel'> {
  readonly name: SelfcheckRow['side'];
}

/**
 * Chooses the rules to break on each side.
 *
 * @param globs over rule ids; all rules if there is none
 * @throws ConfigurationError `RULE_UNKNOWN`
 */
export function chooseSides(globs: readonly string[]): ChosenSide[] {
  const sides = Object.entries(SIDES) as [ChosenSide['name'], SelfcheckSide][];
  const ids = sides.flatMap(([, { trials }]) => trials.map(({ rule }) => rule.id));
  requireKnownRules(globs, ids);
  const isChosen = (id: string): boolean =>
    globs.length === 0 || globs.some((glob) => matcherOf(glob)(id));
  return sides.map(([name, { trials, inParallel }]) => ({
    name,
    inParallel,
    trials: trials.filter(({ rule }) => isChosen(rule.id)),
  }));
}

/** A subject to be judged: one of a side with that fault, or a sound one for null. */
export interface Task {
  readonly side: string;
  readonly fault: string | null;
  readonly seed: number;
  readonly way: Way;
}

/** Result of a task; not ok if the checker itself crashed. */
export type TaskAnswer =
  | { readonly ok: true; readonly outcomes: readonly Outcome[]; readonly durationMs: number }
  | { readonly ok: false; readonly message: string };

/** Judges the subject of a task; never rejects. */
export async function judgeTask({ side, fault, seed, way }: Task): Promise<TaskAnswer> {
  const start = performance.now();
  try {
    const judged = SIDES[side];
    if (!judged) throw new Error(`there is no side ${side}`);
    const outcomes = await judged.judge(fault, seed, way);
    return { ok: true, outcomes, durationMs: Math.round(performance.now() - start) };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}

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
