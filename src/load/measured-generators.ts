import type { LoadDocument } from '../documents/load.ts';
import type { AgentPart } from './agents/agent-progress.ts';
import type { GeneratorReport } from './engine/engine.ts';
import type { LoadPlan } from './plan.ts';
import type { TargetPlace } from './target-address.ts';

/** Measurements of the generators of a run. */
export interface MeasuredGenerators {
  readonly plan: LoadPlan;
  /** The measured window, shorter than planned where the run was ended early. */
  readonly measuredMs: number;
  readonly place: TargetPlace;
  /** False for an engine that does not measure send lag. */
  readonly seesSendLag: boolean;
  readonly reports: readonly GeneratorReport[];
  readonly series: readonly Pick<LoadDocument['series'][number], 't' | 'sent' | 'ready'>[];
  /** The agents that ran them; undefined for threads of this process. */
  readonly agents?: readonly AgentPart[] | undefined;
}

/**
 * Condition that a threshold may need of the generators: that none stood still, that each had a core, that each was
 * awake to read answers for which requests waited, that everything that could be sent was sent, that each span had its
 * requests, that each request was sent at once, that its event loop had time to spare.
 */
export type Need = 'running' | 'core' | 'awake' | 'all-sent' | 'in-time' | 'at-once' | 'loop';

/** A need that the generators of a run did not meet. */
export interface GeneratorFault {
  readonly need: Need;
  /** A sentence. */
  readonly words: string;
  /** Send lag p99, microseconds; of `at-once`. */
  readonly lagUs?: number;
  /** Share of the time in which the busiest event loop had work; of `loop`. */
  readonly busy?: number;
}

/** Finds the faults of the generators of a run. */
export type FindFaults = (measured: MeasuredGenerators) => readonly GeneratorFault[];
