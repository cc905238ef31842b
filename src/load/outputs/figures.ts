import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { LoadDocument } from '../../documents/load.ts';
import type { Labels } from '../../files/prometheus-text.ts';
import type { HistogramData } from '../record/histogram.ts';
import { addCounts } from '../record/merge.ts';
import type { RecordSoFar } from '../record/recorder.ts';
import type { GeneratorState, RunRecords } from '../record/run-records.ts';

/** Latencies: as they were recorded, or summed up in a document. */
export type Latencies = readonly HistogramData[] | LatencySummaryUs;

/** The figures of a run, from which each measure is read. */
export interface RunFigures {
  /** By agent and shape while it lasts; the whole at its end. */
  readonly parts: readonly PartFigures[];
  /** By agent while it lasts; the whole at its end. */
  readonly outcomes: readonly OutcomeFigures[];
  /** Each of them while it lasts; all together at its end. */
  readonly generators: readonly GeneratorFigures[];
  /** Requests per second; null in the closed model. */
  readonly plannedRate: number | null;
}

/** Requests and latencies of a part of a run. */
interface PartFigures {
  readonly labels: Labels;
  readonly ok: number;
  readonly failed: number;
  readonly sent: number;
  readonly checked: number;
  readonly reconnected?: number | undefined;
  readonly response: Latencies;
  readonly service: Latencies;
  /** Response times of the failed requests; null where they are not known. */
  readonly failures: Latencies | null;
}

interface OutcomeFigures extends Pick<RecordSoFar, 'errors' | 'statuses'> {
  readonly labels: Labels;
  readonly sendLag: Latencies | null;
}

interface GeneratorFigures {
  readonly labels: Labels;
  readonly cpu?: number | null | undefined;
  readonly coreWait?: number | null | undefined;
  readonly eventLoopUtilization?: number | undefined;
  readonly waiting?: number | undefined;
}

/**
 * The figures of a run that lasts.
 *
 * @param past requests of other runs, which are added
 */
export function figuresSoFar(
  { generators, shapes, plannedRate }: Pick<RunRecords, 'generators' | 'shapes' | 'plannedRate'>,
  past: RecordSoFar | null = null,
): RunFigures {
  const recorded = [{ agent: null, record: past }, ...generators].flatMap(({ agent, record }) =>
    record === null ? [] : [{ labels: agentOf(agent), record }],
  );
  const parts = recorded.flatMap(({ labels, record }) =>
    record.parts.map(({ shape: index, ...part }) => {
      const shape = shapes[index];
      return { labels: shape === undefined ? labels : { ...labels, shape }, part };
    }),
  );
  return {
    parts: byLabels(parts).map(([labels, own]) => {
      const sum = (of: 'ok' | 'failed' | 'sent' | 'checked' | 'reconnected'): number =>
        own.reduce((total, { part }) => total + part[of], 0);
      return {
        labels,
        ok: sum('ok'),
        failed: sum('failed'),
        sent: sum('sent'),
        checked: sum('checked'),
        reconnected: sum('reconnected'),
        response: own.map(({ part }) => part.response),
        service: own.map(({ part }) => part.service),
        failures: own.map(({ part }) => part.failures),
      };
    }),
    outcomes: byLabels(recorded).map(([labels, own]) => ({
      labels,
      errors: addCounts(own.map(({ record }) => record.errors)),
      statuses: addCounts(own.map(({ record }) => record.statuses)),
      sendLag: own.map(({ record }) => record.sendLag),
    })),
    generators: generators.map(({ agent, generator, sample, waiting }) => ({
      ...sample,
      labels: { ...agentOf(agent), generator },
      waiting,
    })),
    plannedRate,
  };
}

/** The figures of a run that is over. */
export function figuresOf(document: LoadDocument): RunFigures {
  const { achieved, latencyUs, errors, statuses, generator, intended } = document;
  const { response, service } = latencyUs;
  return {
    parts: [{ ...achieved, labels: {}, response, service, failures: null }],
    outcomes: [{ labels: {}, errors, statuses, sendLag: null }],
    generators: [{ ...generator, labels: {} }],
    plannedRate: intended.rate,
  };
}

const agentOf = (agent: GeneratorState['agent']): Labels => (agent === null ? {} : { agent });

function byLabels<T extends { readonly labels: Labels }>(all: readonly T[]): [Labels, T[]][] {
  const groups = new Map<string, [Labels, T[]]>();
  for (const one of all) {
    const key = JSON.stringify(one.labels);
    const group = groups.get(key) ?? [one.labels, []];
    group[1].push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}
