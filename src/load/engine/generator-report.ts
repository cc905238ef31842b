import type { RecordedData, SecondData } from '../record/recorder.ts';
import type { GeneratorSample } from '../record/series.ts';

/** The outcome of one generator's run, as plain data. */
export interface GeneratorReport {
  record: RecordedData;
  /** Over the measured window. */
  usage: GeneratorUsage;
  /** Requests that were due, with a connection free for them, and were not sent. */
  unsentThoughFree: number;
  /** Connections on which bytes came that belong to no answer, the warm-up included. */
  unexpectedBytes?: number | undefined;
}

/** CPU and event-loop usage of a generator over the measured window. */
export interface GeneratorUsage {
  /** Cores in use; null if the system does not report it. */
  cpu: number | null;
  /** Share of the time it was runnable and waited for a core, 0 to 1; null as above. */
  coreWait: number | null;
  /** Share of the time in which the event loop had work, 0 to 1; spin-waiting does not count. */
  eventLoopUtilization: number;
}

/** Progress of a generator, sent a few times a second. */
export interface GeneratorUpdate {
  /** Seconds that have ended since the last update; the report does not repeat them. */
  seconds: readonly SecondData[];
  /** Due requests that wait for a connection; 0 in the closed model. */
  waiting: number;
  /** Health over those seconds; left out by an engine that does not measure it. */
  sample?: GeneratorSample | undefined;
}

/** Receives the updates of one generator. */
export interface GeneratorEvents {
  onUpdate(update: GeneratorUpdate): void;
}
