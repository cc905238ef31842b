import type { Trial } from '../../documents/find-max.ts';
import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { LoadDocument, SeriesPoint } from '../../documents/load.ts';
import type { TargetProfile } from '../../interface/index.ts';
import type { AgentProgress } from '../agents/agent-progress.ts';
import type { OutcomeCounts } from '../record/recorder.ts';
import type { RunRecords } from '../record/run-records.ts';

/** Measurements of a run's window up to now. */
export interface ProgressSoFar extends OutcomeCounts {
  /** Response times of the successes. */
  readonly latencyUs: LatencySummaryUs;
  /** The same, in ascending order. */
  readonly values: readonly (readonly [us: number, count: number])[];
}

/** Progress of a run. */
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
  /** Measurements of the window so far. */
  soFar: ProgressSoFar;
  /** Seconds of the window since the last report, and the one before them, updated. */
  seconds: readonly SeriesPoint[];
  /** The agents, where they run the generators. */
  agents?: readonly AgentProgress[] | undefined;
}

/** Measurements of a run so far. */
export interface OutputSample {
  readonly target: Pick<TargetProfile, 'name' | 'baseUrl'>;
  readonly progress: LoadProgress;
  /**
   * The same in every detail; null unless the output takes records. Generators renew theirs each five
   * seconds, or each second in agents, and at the end of a run.
   */
  readonly records: RunRecords | null;
}

/** A run that is over. */
export interface EndedRun {
  readonly result: Omit<LoadDocument, 'tool'>;
  /** Set if it was a trial of a search. */
  readonly trial?: Trial | undefined;
}

/** Is told of the runs of a load, one after the other. What it does not need it leaves out. */
export interface RunOutput {
  /** True for one that needs {@link OutputSample.records}. */
  readonly takesRecords?: boolean | undefined;
  /** @param label name of the run among several, such as `run 3 of 10`; empty for a single one */
  start?(label: string): void;
  /** Takes a sample, about once a second and at the end of a run; the run does not wait for it. */
  add?(sample: OutputSample): void | Promise<void>;
  /** Not called where the run failed, nor for a trial that was cut short. */
  end?(run: EndedRun): void;
}

/** An output of a whole load, with its document in the end. */
export interface LoadOutput<Document> extends RunOutput {
  /** Ends the output; null where the load failed and has no document. */
  stop?(document: Document | null): void | Promise<void>;
}

/** Outputs as one, which reports their problems itself. */
export interface AllOutputs<Document> extends Required<LoadOutput<Document>> {
  add(sample: OutputSample): void;
  /** Throws what the first output threw that could not be stopped. */
  stop(document: Document | null): Promise<void>;
}

/**
 * Several outputs as one, which stop one after the other.
 *
 * @param onProblem called with the first problem that each output has; the run continues
 */
export function allOutputs<Document>(
  outputs: readonly LoadOutput<Document>[],
  onProblem: (message: string) => void,
): AllOutputs<Document> {
  const failed = new Set<LoadOutput<Document>>();
  const each = (act: (output: LoadOutput<Document>) => void | Promise<void>): void => {
    for (const output of outputs) {
      // An async function, so that it catches what is thrown at once, too.
      void (async () => act(output))().catch((error: Error) => {
        if (failed.has(output)) return;
        failed.add(output);
        onProblem(`${error.message}. The run does not depend on it.`);
      });
    }
  };
  return {
    takesRecords: outputs.some(({ takesRecords }) => takesRecords),
    start: (label) => each((output) => output.start?.(label)),
    add: (sample) => each((output) => output.add?.(sample)),
    end: (run) => each((output) => output.end?.(run)),
    stop: async (document) => {
      const problems: unknown[] = [];
      for (const output of outputs) {
        try {
          await output.stop?.(document);
        } catch (error) {
          problems.push(error);
        }
      }
      if (problems.length > 0) throw problems[0];
    },
  };
}
