import type { EstimateShape } from '../../interface/index.ts';
import type { RecordSoFar } from './recorder.ts';
import type { GeneratorSample } from './series.ts';

/** State of one generator during a run. */
export interface GeneratorState {
  /** Index among the plan's generators, from 0. */
  readonly generator: number;
  /** Name of the agent that runs it; null for one of this process. */
  readonly agent: string | null;
  /** Measurements of the window so far; null before the first second of it has ended. */
  readonly record: RecordSoFar | null;
  /** Health over the last second; null if it is not known. */
  readonly sample: GeneratorSample | null;
  /** Due requests that wait for a connection. */
  readonly waiting: number;
}

/** Measurements of a run up to now, in the detail in which they are recorded. */
export interface RunRecords {
  /** Start of the schedule, milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Requests per second due now; null in the closed model. */
  readonly plannedRate: number | null;
  /** Names of the shapes by their index in the records; empty if the engine cannot tell them apart. */
  readonly shapes: readonly EstimateShape[];
  readonly generators: readonly GeneratorState[];
}
