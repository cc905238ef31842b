import type { AllowanceKind } from '../../../interface/limits.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Judgement } from '../../verdict.ts';
import type { Budget, Unplanned } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Observation, Seen } from '../contract/observation.ts';
import type { Evidence } from '../target/evidence.ts';
import type { SessionWatch } from '../target/session.ts';
import type { TargetClient } from '../target/target-client.ts';
import type { JudgedRule } from './batch.ts';
import { lacking } from './prerequisites.ts';

/** Token requests by allowance. */
type Spent = Readonly<Record<AllowanceKind, number>>;

/** What one site is to be judged by. */
export interface TargetRun {
  readonly client: TargetClient;
  readonly random: SeededRandom;
  readonly evidence: Evidence;
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
  /** Checks that judge nothing, run when all is judged, with what is left over. */
  readonly probes: readonly Check[];
  /** Budgets of the profile's partners, where requests are metered; null where partners are fresh. */
  readonly budgets: readonly Budget[] | null;
  readonly cap: number | null;
  readonly allowBan: boolean;
  readonly watch: SessionWatch;
  /** What a partner has spent of today's allowance, other runs included; undefined where unknown. */
  readonly spentToday?: ((partnerId: string) => Spent) | undefined;
  /** What was found so far, by rule. */
  readonly found: Map<string, Judgement>;
  /** Told of each rule as it is judged. */
  readonly onJudged: (judged: JudgedRule) => void;
  readonly signal: AbortSignal | null;
  /** Whether the run stays until times come that are far off. */
  readonly waits: boolean;
}

/** What a site came to: one entry for each rule that was to be judged there. */
export interface TargetOutcome {
  readonly judged: readonly JudgedRule[];
  readonly observed: readonly { readonly rule: string; readonly judgement: Judgement }[];
  readonly seen: Seen;
  /** What the probes came to; no rule's. */
  readonly probed: readonly JudgedRule[];
}

/** What a set of checks was run by, so that more can follow. */
export interface Ran {
  readonly unplanned: readonly Unplanned[];
  /** Runs checks with what is left over; returns what was not run for lack of it. */
  readonly probe: (
    checks: readonly Check[],
    keep: (judged: readonly JudgedRule[]) => void,
  ) => Promise<readonly Unplanned[]>;
}

/** What tells whether a check can be run. */
export type Judging = Pick<TargetRun, 'client' | 'allowBan' | 'checks' | 'observations'>;

/** Why a check cannot be run at a site; null where it can. */
export function unmetPrerequisite(
  check: Pick<Check, 'needs' | 'unless'>,
  run: Judging,
): Judgement | null {
  const { facts, target } = run.client;
  const offered = { facts, partners: target.partners, allowBan: run.allowBan };
  return lacking(check.needs, check.unless?.(facts), offered);
}
