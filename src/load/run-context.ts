import type { LatencySummaryUs } from '../documents/latency.ts';
import type { GeneratorHealth, SeriesPoint } from '../documents/load.ts';
import type { TargetProfileInput } from '../interface/index.ts';
import type { LedgerChoice } from '../spending/index.ts';
import type { AgentProgress } from './agents/agent-progress.ts';
import type { AgentPart, AgentPool } from './agents/pool.ts';
import type { LoadClock } from './clock.ts';
import type { GeneratorReport } from './engine/engine.ts';
import type { LoadPart } from './load-part.ts';
import type { LoadModel } from './plan.ts';
import type { MergedRecord } from './record/merge.ts';
import type { OutcomeCounts } from './record/recorder.ts';
import type { RunRecords } from './record/run-records.ts';
import type { ServerReading } from './record/usage.ts';
import type { TargetPlace } from './target-address.ts';

/** Surroundings of a run: its target, clocks, callbacks, and what sends its requests. */
export interface RunContext {
  /** Its baseUrl must be an address, not `embedded`; what has a default may be left out. */
  profile: TargetProfileInput;
  /** Default: the clocks of the machine. */
  clock?: LoadClock | undefined;
  /** Ledger of what the profile's partners spend; left out, the one that the command uses. */
  ledger?: LedgerChoice | undefined;
  /** True for a target that was restarted, and has no memory of earlier runs. */
  serviceRestarted?: boolean | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /**
   * Called about once a second, and at the end of a run, with what was measured so far in every detail.
   * Generators renew their records each five seconds, or each second in agents.
   */
  onRecords?: ((records: RunRecords) => void) | undefined;
  /** Ends the run; what was measured until then is returned, marked as interrupted. */
  signal?: AbortSignal | undefined;
  /** Each generator in a thread of its own, or all in the calling one; default by the engine. */
  placement?: 'threads' | 'inline' | undefined;
  /**
   * Processes that run the generators, in place of threads of this one; `workers` is then theirs.
   *
   * @internal the library has no function that makes a pool
   */
  agents?: AgentPool | undefined;
  /**
   * Runs only this part of the load, by an access token of the profile; `workers` is that of each part.
   *
   * @internal the library has no function that merges parts
   */
  part?: LoadPart | undefined;
  /** @internal for tests; default: by the limits of docs/load.md, "Generator health" */
  judgeGenerator?: JudgeGenerator | undefined;
  /** Reads the counters of the target's process, where they are available. */
  probeServer?: (() => Promise<ServerReading>) | undefined;
  /** Reads the file of `routes`; default: from the working directory of the process. */
  readText?: ((path: string) => Promise<string>) | undefined;
}

/** Measurements of a run's window up to now. */
export interface ProgressSoFar extends OutcomeCounts {
  /** Response times of the successes. */
  readonly latencyUs: LatencySummaryUs;
  /** The same, in ascending order. */
  readonly values: readonly (readonly [us: number, count: number])[];
}

/** Progress of a run, about once a second. */
export interface LoadProgress {
  phase: 'warm-up' | 'measuring' | 'draining';
  /** Seconds since the first request, the warm-up included. */
  elapsedS: number;
  /** Seconds of warm-up and window together. */
  totalS: number;
  /** Requests per second due now; null in the closed model. */
  plannedRate: number | null;
  /** Successful answers in the last complete second. */
  rate: number;
  /** Response time in that second, microseconds. */
  p50Us: number;
  p99Us: number;
  maxUs: number;
  /** In the measured window so far. */
  ok: number;
  failed: number;
  /** Measurements of the window so far. */
  soFar: ProgressSoFar;
  /** Seconds of the window since the last report, and the one before them, updated. */
  seconds: readonly SeriesPoint[];
  /** The agents, where they run the generators. */
  agents?: readonly AgentProgress[] | undefined;
}

/** Measurements of the generators of a run. */
export interface MeasuredGenerators {
  model: LoadModel;
  place: TargetPlace;
  /** False for an engine that does not measure send lag. */
  seesSendLag: boolean;
  reports: readonly GeneratorReport[];
  merged: MergedRecord;
  /** Send lag p99 up to which lateness is accepted, whatever causes it, microseconds. */
  acceptedLatenessUs?: number | undefined;
  /** The agents that ran them; undefined for threads of this process. */
  agents?: readonly AgentPart[] | undefined;
}

/** Judges the generators of a run. */
export type JudgeGenerator = (measured: MeasuredGenerators) => GeneratorHealth;
