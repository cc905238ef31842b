import type { GeneratorHealth } from '../documents/load.ts';
import type { AgentPart } from './agents/pool.ts';
import type { GeneratorReport } from './engine/engine.ts';
import type { LoadModel } from './plan/plan.ts';
import type { MergedRecord } from './record/merge.ts';
import type { TargetPlace } from './target-address.ts';

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
