import type { TargetAddress } from '../target-address.ts';
import type { Stage } from './stages.ts';

/** How requests come: by a schedule, or each when the answer before it is there. */
export type LoadModel = 'open' | 'closed';

/** How the planned times of the open model lie: evenly, or as independent callers bring them. */
export type Arrivals = 'constant' | 'poisson';

/**
 * What the generators of a run do, as data: each knows its part from its index. It goes to other
 * threads as it is, so it holds no function and no open file.
 */
export interface LoadPlan {
  model: LoadModel;
  arrivals: Arrivals;
  /** Open model: the schedule, the warm-up first; empty in the closed model. */
  stages: readonly Stage[];
  warmupMs: number;
  durationMs: number;
  /** Closed model: connections in use. Open model: the most that may be open. Of all generators. */
  connections: number;
  /** Given up so long after its send, or after its planned time where it was never sent. */
  timeoutMs: number;
  /** One connection for each request. */
  newConnections: boolean;
  /** Share of the answers held to their shape, 0 to 1. */
  validateShare: number;
  seed: number;
  address: TargetAddress;
  /** Sent with each request, Authorization apart. */
  headers: Readonly<Record<string, string>>;
  /** How many generators share the plan. */
  generators: number;
}

/** Connections that generator k of n opens: as even as whole numbers allow. */
export function shareOfConnections(plan: LoadPlan, generator: number): number {
  const share = Math.floor(plan.connections / plan.generators);
  return share + (generator < plan.connections % plan.generators ? 1 : 0);
}
