import type { RuleResult } from '../../documents/conformance.ts';
import type { Ledger, LedgerChoice } from '../../spending/index.ts';
import type { Suite, SuiteInput } from '../suite.ts';
import type { Target } from './contract/target.ts';
import type { Walk } from './contract/walk.ts';
import type { CustomRule } from './custom-rule.ts';
import type { OpenTransport } from './http/message.ts';
import type { TokenJournal } from './resume/resumable-run.ts';
import type { RunLog } from './resume/run-log.ts';
import type { RunClock, SteadyRunClock } from './run-clock.ts';
import type { OnWait } from './sleep.ts';
import type { TargetInput } from './wire/read-target.ts';

/** Options of a run on a service as they are given: what has a default may be left out. */
export interface CheckServiceInput
  extends Omit<CheckServiceOptions, 'target' | 'companion' | 'suite'> {
  readonly target: TargetInput;
  /** The same service in its other environment, for the rules that apply only there. */
  readonly companion?: TargetInput | undefined;
  /** Default all rules. */
  readonly suite?: SuiteInput | undefined;
}

/** Options of a run whose clock is known. */
export type TimedOptions = CheckServiceOptions & { readonly clock: SteadyRunClock };

/** Rule as it is judged, before the run has ended, and the checks that show it. */
export interface JudgedResult extends Pick<RuleResult, 'id' | 'verdict' | 'reason'> {
  readonly checks: readonly string[];
}

/** Options of a run on a service. */
export interface CheckServiceOptions {
  readonly target: Target;
  /** The same service in its other environment, for the rules that apply only there. */
  readonly companion?: Target | undefined;
  readonly suite: Suite;
  /** Globs that narrow the suite. */
  readonly only?: readonly string[] | undefined;
  /**
   * Ids of rules that are judged before the others, and have the first claim on allowances; and of further
   * parts of their checks for which that holds as well.
   */
  readonly first?: readonly string[] | undefined;
  /** False for a run of verdicts only: gaps are described by what its checks saw. */
  readonly probesGaps?: boolean | undefined;
  readonly customRules?: readonly CustomRule[] | undefined;
  readonly seed: number;
  /** Left out, the machine's. */
  readonly clock?: RunClock | undefined;
  /**
   * Opens the connections to each target; left out, sockets.
   *
   * @internal only this package has targets in the process
   */
  readonly openTransport?: OpenTransport | undefined;
  /** Limit of a whole exchange. */
  readonly timeoutMs: number;
  /** Requests/s; null for no limit. Left out, 50 for a target beyond this machine, else no limit. */
  readonly maxRate?: number | null | undefined;
  /**
   * Requests of the whole run, about: the first part of each rule is always sent, and as many further parts
   * as there is room for. Null for all of them; left out, 1,550, and all where a target on this machine has a
   * control API.
   */
  readonly requests?: number | null | undefined;
  /** Seconds after which no new check starts; left out, any number. */
  readonly forSeconds?: number | undefined;
  /** Seconds for walks of random requests once the checks are over; left out, none. */
  readonly exploreSeconds?: number | undefined;
  /**
   * Walks that an earlier run found something by, which are played first.
   *
   * @internal only the command knows an earlier run
   */
  readonly exploredBefore?: readonly Walk[] | undefined;
  /**
   * True to send nothing as a partner of the profile, not even to find that the control API is at fault.
   *
   * @internal only the command judges a target again and again
   */
  readonly sparesProfile?: boolean | undefined;
  /** Called after each walk. */
  readonly onExplored?:
    | ((so: { readonly steps: number; readonly finds: number; readonly perSecond: number }) => void)
    | undefined;
  readonly allowBan: boolean;
  readonly requireComplete: boolean;
  /**
   * Called with each request once it is answered: the check that it is of, such as `quota/ban-lifts@user`, null for
   * what several need; and the number of rules that are judged by checks, before those on all answers.
   */
  readonly onRequest?:
    | ((sent: { readonly check: string | null; readonly rulesOfChecks: number }) => void)
    | undefined;
  /** Called with each rule as it is judged. */
  readonly onRule?: ((result: JudgedResult) => void) | undefined;
  /** Ledger of what the profile's partners spend; left out, the one that the command uses. */
  readonly ledger?: LedgerChoice | undefined;
  /** True for a target that was restarted, and has no memory of earlier runs. */
  readonly serviceRestarted?: boolean | undefined;
  /**
   * Tokens of the parts of a run that is resumed; left out, none are kept.
   *
   * @internal only the command keeps what a resumed run needs besides
   */
  readonly journal?: TokenJournal | undefined;
  /** Ends the run early, with the judgements so far. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Log by which the run can be resumed, or is; left out, none is written.
   *
   * @internal only the command keeps what a resumed run needs besides
   */
  readonly runLog?: RunLog | undefined;
  /** True to wait for times that are hours away; otherwise their rules are pending. */
  readonly waits?: boolean | undefined;
  /** Called about once a second while the run waits for a time. */
  readonly onWait?: OnWait | undefined;
}

/** Options of a run whose ledger is open; undefined where it spends nothing of the profile's partners. */
export type SpendingOptions = Omit<TimedOptions, 'ledger'> & {
  readonly ledger: Ledger | undefined;
};
