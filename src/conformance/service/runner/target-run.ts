import type { LedgerChoice } from '../../../spending/index.ts';
import type { Judgement } from '../../verdict.ts';
import type { Budget } from '../budget/budgets.ts';
import type { LeftOut } from '../budget/left-out.ts';
import type { Unplanned } from '../budget/planner.ts';
import type { Check } from '../contract/check.ts';
import type { Observation } from '../contract/observation.ts';
import type { OnJudged } from '../judge/judged-rule.ts';
import type { SessionHooks } from '../wire/session-hooks.ts';
import type { TargetClient } from '../wire/target-client.ts';

/** Target, and what it is judged by. */
export interface TargetRun {
  readonly client: TargetClient;
  readonly checks: readonly Check[];
  /** Further parts that the requests or the time of the run were too short for. */
  readonly left: readonly Check[];
  /** Those of them that a run sends once refused requests prove to be free; none where its user limits it. */
  readonly spare: readonly Check[];
  /** Returns those of some checks that may begin; once the time of the run is over, no further part may. */
  readonly begin: (checks: readonly Check[]) => readonly Check[];
  readonly observations: readonly Observation[];
  /** Checks for gaps, which judge nothing: run last, with what is left over. */
  readonly probes: readonly Check[];
  /** Budgets of the partners where requests are metered; null if each check has a fresh one. */
  readonly budgets: readonly Budget[] | null;
  /** Most token requests of the run; null for no cap. */
  readonly cap: number | null;
  readonly allowBan: boolean;
  /** Words for what brings a used-up allowance back, as of now. */
  readonly help: () => string;
  readonly hooks: SessionHooks;
  /** Judgements so far, by rule. */
  readonly found: Map<string, Judgement>;
  /** Called as rules are judged. */
  readonly onJudged: OnJudged;
  readonly signal: AbortSignal | null;
  /** Parts for a request as a partner of the profile; null where the run spends of those anyway. */
  readonly witness: WitnessOptions | null;
}

/** Parts that a request as a partner of the profile needs, where requests are free. */
export interface WitnessOptions {
  /** Wall clock, ms since the epoch. */
  readonly wall: () => number;
  /** As in the options of the run. */
  readonly ledger: LedgerChoice | undefined;
}

/** Way to run checks: with fresh partners, or with metered ones. */
export interface CheckRunner {
  /** Runs checks; returns those that no allowance was left for. */
  run(checks: readonly Check[]): Promise<readonly Unplanned[]>;
  /** Parts of judged rules that the run left out, for want of allowance, requests or time. */
  leftOut(): readonly LeftOut[];
  /** Runs probes with what is left over; returns those that nothing was left for. */
  probe(probes: readonly Check[], onJudged: OnJudged): Promise<readonly Unplanned[]>;
}
