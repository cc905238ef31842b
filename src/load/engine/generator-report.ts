import type { RecordedData, SecondData } from '../record/recorder.ts';

/** What one generator has to say after a run, as plain data. */
export interface GeneratorReport {
  record: RecordedData;
  /** Over the measured window. */
  usage: GeneratorUsage;
  /** Requests that were due, with a connection free for them, and were not sent. */
  unsentThoughFree: number;
  /** Send lag cannot be seen by every engine. */
  seesSendLag: boolean;
  /** Connections on which bytes came that belong to no answer, the warm-up included. */
  unexpectedBytes?: number | undefined;
}

/** How busy a generator was over the measured window. */
export interface GeneratorUsage {
  /** Cores in use; null where the system does not tell. */
  cpu: number | null;
  /** Share of the time it was ready to run, with no core to be had; null as above. */
  coreWait: number | null;
  /** Share of the time in which the event loop had work, waiting in a spin left out; 0 to 1. */
  eventLoopUtilization: number;
}

/** What a generator tells while it runs, a few times a second. */
export interface GeneratorUpdate {
  /** Seconds that are over; they are not repeated in the report. */
  seconds: readonly SecondData[];
  /** Requests that are due and wait for a connection; 0 in the closed model. */
  waiting: number;
  /** Comes with the seconds; left out by an engine that does not see it. */
  moment?: GeneratorMoment | undefined;
}

/** How a generator did over the last second or so. */
export interface GeneratorMoment {
  /** Cores in use; null where the system does not tell. */
  cpu: number | null;
  /** 0 to 1; waiting in a spin left out. */
  eventLoopUtilization: number;
  /** Null where nothing was sent. */
  sendLagP99Us: number | null;
}

/** Where a generator tells it. */
export interface GeneratorEvents {
  onUpdate(update: GeneratorUpdate): void;
}
