import type { GeneratorHealth } from '../documents/load.ts';
import type { TargetProfileInput } from '../interface/index.ts';
import type { LedgerChoice } from '../spending/index.ts';
import type { AgentPart } from './agents/agent-progress.ts';
import type { AgentPool } from './agents/pool.ts';
import type { LoadClock } from './clock.ts';
import type { GeneratorReport } from './engine/engine.ts';
import type { LoadPart } from './load-part.ts';
import type { RunOutput } from './outputs/output.ts';
import type { LoadModel } from './plan.ts';
import type { MergedRecord } from './record/merge.ts';
import type { ServerReading } from './record/usage.ts';
import type { TargetPlace } from './target-address.ts';

/** Surroundings of a run: its target, clocks, output, and what sends its requests. */
export interface RunContext {
  /** Its baseUrl must be an address, not `embedded`; what has a default may be left out. */
  profile: TargetProfileInput;
  /** Default: the clocks of the machine. */
  clock?: LoadClock | undefined;
  /** Ledger of what the profile's partners spend; left out, the one that the command uses. */
  ledger?: LedgerChoice | undefined;
  /** True for a target that was restarted, and has no memory of earlier runs. */
  serviceRestarted?: boolean | undefined;
  /** Is told of the run while it lasts. */
  output?: RunOutput | undefined;
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
