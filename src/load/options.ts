import type { SeriesPoint } from '../documents/load.ts';
import type { TargetProfile } from '../interface/index.ts';
import type { LoadClock } from './clock.ts';
import type { EngineName } from './engine/names.ts';
import type { Arrivals } from './plan/plan.ts';
import type { Stage } from './plan/stages.ts';
import type { ServerReading } from './record/server-probe.ts';
import type { Threshold } from './threshold.ts';
import type { Allowance } from './tokens/allowance.ts';
import type { Mix } from './workload/mix.ts';
import type { LoadIdentity } from './workload/requests.ts';
import type { RouteQuery } from './workload/routes.ts';

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
  /** Seconds of the window since the last report, and the one before them, updated. */
  seconds: readonly SeriesPoint[];
}

/** Options of a load run; durations are milliseconds. */
export interface LoadOptions {
  /** Its baseUrl must be an address, not `embedded`. */
  profile: TargetProfile;
  clock: LoadClock;
  /** The same seed gives the same requests at the same planned times. */
  seed: number;
  /** Default: the first of ENGINE_NAMES. */
  engine?: EngineName | undefined;
  /** Open model: requests per second. Without rate and stages the model is closed. */
  rate?: number | undefined;
  /** Open model in stages, instead of rate and duration. */
  stages?: readonly Stage[] | undefined;
  /** Default `constant`. */
  arrivals?: Arrivals | undefined;
  /** Closed model: connections in use, default 10. Open model: the most that may be open, default 256. */
  connections?: number | undefined;
  /** Measured window, without the warm-up; default 10 s. */
  durationMs?: number | undefined;
  /** Default 1 s. */
  warmupMs?: number | undefined;
  /** Default 1. */
  workers?: number | undefined;
  /** Default 5 s. */
  timeoutMs?: number | undefined;
  /** One connection for each request. */
  newConnections?: boolean | undefined;
  /** Share of the answers whose shape is checked, 0 to 1; default 0. */
  validateShare?: number | undefined;
  mix?: Mix | undefined;
  /** Used instead of random routes. */
  routes?: readonly RouteQuery[] | undefined;
  /** Default `platform`. */
  identity?: LoadIdentity | undefined;
  /** Parsed, or as text such as `p99<20ms` (docs/load.md, "Thresholds"). */
  thresholds?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early when one of these comes true. */
  abortOn?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early once the backlog exceeds this many seconds of the schedule and grows. */
  mostBacklogS?: number | undefined;
  /** Budget of token requests; undefined if they are not metered. */
  allowance?: Allowance | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Ends the run; what was measured until then is returned, marked as interrupted. */
  signal?: AbortSignal | undefined;
  /** Each generator in a thread of its own, or all in the calling one; default by the engine. */
  placement?: 'threads' | 'inline' | undefined;
  /** Reads the counters of the target's process, where they are available. */
  probeServer?: (() => Promise<ServerReading>) | undefined;
}
