import type { TargetAddress } from '../target-address.ts';
import type { Stage } from './stages.ts';

/** `open`: requests follow a schedule. `closed`: each follows the answer to the one before it. */
export type LoadModel = 'open' | 'closed';

/** Distribution of the planned times in the open model: even, or as from independent callers. */
export type Arrivals = 'constant' | 'poisson';

/**
 * Task of the generators of a run, as data: each derives its part from its index. It is passed to
 * other threads, so it has no function and no open file.
 */
export interface LoadPlan {
  model: LoadModel;
  arrivals: Arrivals;
  /** Open model: the schedule, the warm-up first; empty in the closed model. */
  stages: readonly Stage[];
  warmupMs: number;
  durationMs: number;
  /** Of all generators. Closed model: connections in use. Open model: the most that may be open. */
  connections: number;
  /** Time after which a request is given up: from its send, or from its planned time if unsent. */
  timeoutMs: number;
  /** Send lag p99 of a generator up to which a run is judged, microseconds; left out: the usual limits. */
  acceptedLatenessUs?: number;
  /** A connection of its own for each request. */
  newConnections: boolean;
  /** Share of the answers whose shape is checked, 0 to 1. */
  validateShare: number;
  seed: number;
  address: TargetAddress;
  /** Headers of each request, without Authorization (interface.md, "2. Estimate prices"). */
  headers: Readonly<Record<string, string>>;
  /** Number of generators that share the plan. */
  generators: number;
}

/** Connections of generator k of n, divided as evenly as possible. */
export function shareOfConnections(plan: LoadPlan, generator: number): number {
  const share = Math.floor(plan.connections / plan.generators);
  return share + (generator < plan.connections % plan.generators ? 1 : 0);
}
