import type { LoadClock } from '../clock.ts';
import type { EngineName, OptionName } from '../options.ts';
import type { LoadPlan } from '../plan.ts';
import type { FaultSample } from '../record/fault-sample.ts';
import type { OutcomeCounts, RecordedData, RecordSoFar, SecondData } from '../record/recorder.ts';
import type { GeneratorSample } from '../record/series.ts';
import type { WholeUsage } from '../record/usage.ts';
import type { EstimateRequest } from '../workload/requests.ts';

/** A way to send the requests of a plan: what it can do, and its generators. */
export interface Engine {
  readonly name: EngineName;
  readonly can: {
    /** Sends at planned times, whatever becomes of earlier requests. */
    readonly openModel: boolean;
    /** Takes a new access token during a run; else the token must outlive the run. */
    readonly replacesTokens: boolean;
    /** Measures the time from when a request could have been sent to its write. */
    readonly seesSendLag: boolean;
    /** Hands over the body of an answer, so that its shape can be checked. */
    readonly checksAnswers: boolean;
    /** Sends a request again whose kept connection the target closed. */
    readonly reconnects: boolean;
    /** Knows which request each outcome is of, and so its shape. */
    readonly tellsShapes: boolean;
    /** Prepares some generators of a plan only, so that other processes can run the rest. */
    readonly splitsPlans: boolean;
  };
  /**
   * Returns the option with which the engine cannot run a load, and why; or null. Called before anything
   * is sent; the abilities above are judged by the caller.
   */
  refuse(options: EngineOptions): { readonly field: OptionName; readonly problem: string } | null;
  /** Makes the generators of a plan ready to start, all or none; they send nothing before that. */
  prepare(run: EngineRun): Promise<GeneratorHandle[]>;
}

/** Options of a load that an engine may be unable to honour. */
export interface EngineOptions {
  readonly workers?: number | undefined;
  /** Share of the answers to validate, from 0 to 1. */
  readonly validateShare?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A plan about to be run. */
export interface EngineRun {
  plan: LoadPlan;
  /** Sent in turn; each generator starts at another one. */
  requests: readonly EstimateRequest[];
  accessToken: string;
  clock: LoadClock;
  onUpdate: (generator: number, update: GeneratorUpdate) => void;
  /** Each generator in its own thread, or all in the calling one; the default depends on the engine. */
  placement?: 'threads' | 'inline' | undefined;
  /** The generators to prepare; default all of the plan. */
  range?: GeneratorRange | undefined;
  /**
   * Least time between two updates that hold the whole record so far; 0: those of each second, so that
   * nothing is lost with a generator. Default: none does. A record takes the generator a millisecond or
   * two.
   */
  recordEveryMs?: number | undefined;
}

/** Some of a plan's generators. */
export interface GeneratorRange {
  /** Index of the first, from 0. */
  readonly from: number;
  readonly count: number;
}

/** One generator of a plan, ready to start, wherever it runs. */
export interface GeneratorHandle {
  /**
   * Runs its part of the plan.
   *
   * @param startNs start of the schedule, monotonic clock of the machine; may lie ahead
   * @param ending ends the run early when it aborts; what was measured is reported
   * @returns rejects where the generator itself failed
   */
  run(startNs: number, ending: AbortSignal): Promise<GeneratorReport>;
  /** Null for an engine that cannot replace the token during a run. */
  readonly token: TokenUser | null;
  /** Ends it, started or not; without effect on one that has reported. */
  close(): void;
}

/** A sender of requests that takes new access tokens while it runs. */
export interface TokenUser {
  /** Uses this token from now on; requests in flight may still carry the one before it. */
  setToken(accessToken: string): void;
  /** Stops sending, and resolves when nothing is in flight. */
  pause(): Promise<void>;
  /** Sends again, with this token. */
  resume(accessToken: string): void;
}

/** Several generators as one user of the token. */
export function tokenUserOf(handles: readonly GeneratorHandle[]): TokenUser {
  const users = handles.flatMap(({ token }) => token ?? []);
  return {
    setToken: (accessToken) => {
      for (const user of users) user.setToken(accessToken);
    },
    pause: async () => {
      await Promise.all(users.map((user) => user.pause()));
    },
    resume: (accessToken) => {
      for (const user of users) user.resume(accessToken);
    },
  };
}

/** The outcome of one generator's run, as plain data. */
export interface GeneratorReport {
  record: RecordedData;
  /** Over the measured window. */
  usage: WholeUsage;
  /** Requests that were due, with a connection free for them, and were not sent. */
  unsentThoughFree: number;
  /** Connections on which bytes came that belong to no answer, the warm-up included. */
  unexpectedBytes?: number | undefined;
  /** A malformed answer of each kind, not redacted; left out by an engine that checks none. */
  faultSamples?: readonly FaultSample[] | undefined;
  /** Set if its agent was lost: the record is that of its last update. */
  lost?: AgentLoss | undefined;
}

/** The loss of an agent during a run. */
export interface AgentLoss {
  /** Time at which it was noticed, seconds from the start of the measured window. */
  readonly atS: number;
  /** `ended`: its process or connection ended; `silent`: it answered no more. */
  readonly how: 'ended' | 'silent';
}

/** Progress of a generator, sent a few times a second. */
export interface GeneratorUpdate {
  /** Seconds that have ended since the last update; the report does not repeat them. */
  seconds: readonly SecondData[];
  /** Due requests that wait for a connection; 0 in the closed model. */
  waiting: number;
  /** With each update that has seconds. */
  counts?: OutcomeCounts | undefined;
  /** Health over those seconds; left out by an engine that does not measure it. */
  sample?: GeneratorSample | undefined;
  /** The record so far, where it was asked for; its seconds are those of the updates. */
  record?: RecordSoFar | undefined;
}
