import type { TargetAddress } from '../target-address.ts';
import type { EstimateRequest } from '../workload/requests.ts';
import type { Stage } from './stages.ts';

/** How requests come: by a schedule, or each when the answer before it is there. */
export type LoadModel = 'open' | 'closed';

/** How the planned times of the open model lie: evenly, or as independent callers bring them. */
export type Arrivals = 'constant' | 'poisson';

/** What sends the requests. */
export type LoadEngine = 'native' | 'autocannon';

/**
 * A run as data: whoever holds it and knows which generator of how many it is can do its part. It
 * goes to other threads (and machines) as it is, so it holds no function and no open file.
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
  /** Sent in turn; each generator starts at another one. */
  requests: readonly EstimateRequest[];
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
