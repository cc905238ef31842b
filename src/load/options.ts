import type { TargetProfile } from '../interface/index.ts';
import type { LoadClock } from './clock.ts';
import type { EngineName } from './engine/names.ts';
import type { Arrivals } from './plan/plan.ts';
import type { Stage } from './plan/stages.ts';
import type { SeriesPoint } from './record/series.ts';
import type { ServerReading } from './record/server-probe.ts';
import type { Threshold } from './threshold.ts';
import type { Allowance } from './tokens/allowance.ts';
import type { Mix } from './workload/mix.ts';
import type { LoadIdentity } from './workload/requests.ts';
import type { RouteQuery } from './workload/routes.ts';

/** How a run stands, told about once a second. */
export interface LoadProgress {
  phase: 'warm-up' | 'measuring' | 'draining';
  /** Seconds since the first request, the warm-up included. */
  elapsedS: number;
  /** Seconds of warm-up and window together. */
  totalS: number;
  /** Requests a second that are due now; null in the closed model. */
  plannedRate: number | null;
  /** Successful answers in the last second that is over. */
  rate: number;
  /** Response time in that second, microseconds. */
  p50Us: number;
  p99Us: number;
  maxUs: number;
  /** In the measured window so far. */
  ok: number;
  failed: number;
  /** The seconds of the window that were not told yet, and the one before them as it is known now. */
  seconds: readonly SeriesPoint[];
}

/** What a load run takes; durations are milliseconds. */
export interface LoadOptions {
  /** Its baseUrl is an address, not `embedded`. */
  profile: TargetProfile;
  clock: LoadClock;
  /** The same seed brings the same requests at the same planned times. */
  seed: number;
  /** Default `native`. */
  engine?: EngineName | undefined;
  /** Open model: requests a second. Without rate and stages the model is closed. */
  rate?: number | undefined;
  /** Open model in stretches, in place of rate and duration. */
  stages?: readonly Stage[] | undefined;
  /** Default `constant`. */
  arrivals?: Arrivals | undefined;
  /** Closed model: connections in use, default 10. Open model: the most that may be open, default 256. */
  connections?: number | undefined;
  /** The warm-up left out; default 10 s. */
  durationMs?: number | undefined;
  /** Default 1 s. */
  warmupMs?: number | undefined;
  /** Default 1. */
  workers?: number | undefined;
  /** Default 5 s. */
  timeoutMs?: number | undefined;
  /** One connection for each request. */
  newConnections?: boolean | undefined;
  /** Share of the answers held to their shape, 0 to 1; default 0. */
  validateShare?: number | undefined;
  mix?: Mix | undefined;
  /** In place of random routes. */
  routes?: readonly RouteQuery[] | undefined;
  /** Default `platform`. */
  identity?: LoadIdentity | undefined;
  /** Parsed, or as text such as `p99<20ms` (docs/load.md, "Thresholds"). */
  thresholds?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early when one of these comes true. */
  abortOn?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early once due requests wait for so many seconds' worth of schedule, and more come. */
  mostBacklogS?: number | undefined;
  /** What token requests are taken from; undefined where they are not metered. */
  allowance?: Allowance | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Ends the run; what was measured so far is returned, marked as interrupted. */
  signal?: AbortSignal | undefined;
  /** Where generators run: each in a thread of its own, or in the calling thread. */
  placement?: 'threads' | 'inline' | undefined;
  /** Reads the target's own side, where it can be seen. */
  probeServer?: (() => Promise<ServerReading>) | undefined;
}
