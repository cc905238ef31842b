import type { DataPoint, MetricData } from '@opentelemetry/sdk-metrics';
import type { HistogramData } from '../../record/histogram.ts';
import type { GeneratorState, RunRecords } from '../../record/run-records.ts';
import { exponentialHistogramOf } from './exponential-histogram.ts';
import type { OtlpPackages } from './packages.ts';

/** Attributes of a point. */
export type Attributes = DataPoint<unknown>['attributes'];
type Kind = 'sum' | 'gauge' | 'exponential-histogram';
type Point<T> = readonly [attributes: Attributes, value: T];

/** The records of a run, as measures are read from them. */
interface RunView extends RunRecords {
  readonly parts: readonly Part[];
  readonly agents: readonly { readonly agent: string | null; readonly states: GeneratorState[] }[];
}

/** A measure of a run: how it is named, and how it is read. */
interface Measure {
  readonly name: string;
  readonly kind: Kind;
  readonly unit: string;
  readonly description: string;
  readonly read: (run: RunView) => readonly Point<number | readonly HistogramData[]>[];
}

/** Reads a figure of each generator that has it. */
const ofGenerators =
  (of: (state: GeneratorState) => number | null | undefined): Measure['read'] =>
  ({ generators }) =>
    generators.flatMap((state) => {
      const value = of(state);
      const attributes = { ...agentOf(state.agent), generator: state.generator };
      return value == null ? [] : [[attributes, value] as const];
    });

/** The measures of a run. */
export const OTLP_METRICS: readonly Measure[] = [
  {
    name: 'fareproof.load.requests',
    kind: 'sum',
    unit: '{request}',
    description: 'Requests of the measured window, by outcome and shape.',
    read: ({ parts }) =>
      parts.flatMap(({ attributes, ok, failed }) => [
        [{ ...attributes, outcome: 'ok' }, ok],
        [{ ...attributes, outcome: 'failed' }, failed],
      ]),
  },
  {
    name: 'fareproof.load.errors',
    kind: 'sum',
    unit: '{request}',
    description: 'Failed requests of the measured window, by kind of error.',
    read: ({ agents }) =>
      agents.flatMap(({ agent, states }) =>
        [...errorsOf(states)].map(
          ([kind, count]): Point<number> => [{ ...agentOf(agent), 'error.type': kind }, count],
        ),
      ),
  },
  {
    name: 'fareproof.load.reconnected',
    kind: 'sum',
    unit: '{request}',
    description: 'Requests that were sent again, since the target closed their kept connection.',
    read: ({ parts }) => parts.map(({ attributes, reconnected }) => [attributes, reconnected]),
  },
  {
    name: 'fareproof.load.response.duration',
    kind: 'exponential-histogram',
    unit: 's',
    description: 'Time from the planned send to the last byte, or to the failure, by outcome.',
    read: ({ parts }) =>
      parts.flatMap(({ attributes, response, failures }) => [
        [{ ...attributes, outcome: 'ok' }, response],
        ...(failures.some(({ count }) => count > 0)
          ? ([[{ ...attributes, outcome: 'failed' }, failures]] as const)
          : []),
      ]),
  },
  {
    name: 'fareproof.load.service.duration',
    kind: 'exponential-histogram',
    unit: 's',
    description: 'Time from the send to the last byte of the successful requests.',
    read: ({ parts }) => parts.map(({ attributes, service }) => [attributes, service]),
  },
  {
    name: 'fareproof.load.send_lag',
    kind: 'exponential-histogram',
    unit: 's',
    description: "Time from when a request could be sent to its send: the generator's own delay.",
    read: ({ agents }) =>
      agents.map(({ agent, states }) => [
        agentOf(agent),
        states.flatMap(({ record }) => record?.sendLag ?? []),
      ]),
  },
  {
    name: 'fareproof.load.planned_rate',
    kind: 'gauge',
    unit: '{request}/s',
    description: 'Requests per second that are due; none in the closed model.',
    read: ({ plannedRate }) => (plannedRate === null ? [] : [[{}, plannedRate]]),
  },
  {
    name: 'fareproof.load.generator.cpu',
    kind: 'gauge',
    unit: '{core}',
    description: 'Processor time that a generator uses, in cores.',
    read: ofGenerators(({ sample }) => sample?.cpu),
  },
  {
    name: 'fareproof.load.generator.core_wait',
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which a generator was ready to run and got no core.',
    read: ofGenerators(({ sample }) => sample?.coreWait),
  },
  {
    name: 'fareproof.load.generator.event_loop_utilization',
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which the event loop of a generator had work.',
    read: ofGenerators(({ sample }) => sample?.eventLoopUtilization),
  },
  {
    name: 'fareproof.load.generator.waiting',
    kind: 'gauge',
    unit: '{request}',
    description: 'Due requests of a generator that wait for a connection.',
    read: ofGenerators(({ waiting }) => waiting),
  },
];

/**
 * The measures of a run as metrics of OpenTelemetry. Sums and histograms are cumulative since the
 * start of the run, so that one that does not arrive is made up for by the next.
 *
 * @param common attributes of every point
 */
export function runMetrics(
  records: RunRecords,
  common: Attributes,
  { metrics: { AggregationTemporality, DataPointType } }: Pick<OtlpPackages, 'metrics'>,
): MetricData[] {
  const run = { ...records, parts: partsOf(records), agents: byAgent(records.generators) };
  const startTime = hrTimeOf(records.startedAtMs);
  const endTime = hrTimeOf(records.nowMs);
  const types: Readonly<Record<Kind, object>> = {
    sum: { dataPointType: DataPointType.SUM, isMonotonic: true },
    gauge: { dataPointType: DataPointType.GAUGE },
    'exponential-histogram': { dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM },
  };
  return OTLP_METRICS.map(({ name, unit, description, kind, read }) => {
    const metric: unknown = {
      // ValueType.DOUBLE of the API, whose code is not imported.
      descriptor: { name, unit, description, valueType: 1 },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      ...types[kind],
      dataPoints: read(run).map(([attributes, value]) => ({
        startTime,
        endTime,
        attributes: { ...common, ...attributes },
        value: typeof value === 'number' ? value : exponentialHistogramOf(value),
      })),
    };
    return metric as MetricData;
  }).filter(({ dataPoints }) => dataPoints.length > 0);
}

/** The requests of one shape that one agent sent. */
interface Part {
  readonly attributes: Attributes;
  ok: number;
  failed: number;
  reconnected: number;
  readonly response: HistogramData[];
  readonly service: HistogramData[];
  readonly failures: HistogramData[];
}

function partsOf({ generators, shapes }: RunRecords): Part[] {
  const parts = new Map<string, Part>();
  for (const { agent, record } of generators) {
    for (const { shape: index, response, service, failures, ...counts } of record?.parts ?? []) {
      const shape = shapes[index];
      const attributes = { ...agentOf(agent), ...(shape !== undefined && { shape }) };
      const key = JSON.stringify(attributes);
      const part = parts.get(key) ?? emptyPart(attributes);
      part.ok += counts.ok;
      part.failed += counts.failed;
      part.reconnected += counts.reconnected;
      part.response.push(response);
      part.service.push(service);
      part.failures.push(failures);
      parts.set(key, part);
    }
  }
  return [...parts.values()];
}

function emptyPart(attributes: Attributes): Part {
  const counts = { ok: 0, failed: 0, reconnected: 0 };
  return { attributes, ...counts, response: [], service: [], failures: [] };
}

function byAgent(generators: readonly GeneratorState[]): RunView['agents'] {
  const states = new Map<string | null, GeneratorState[]>();
  for (const state of generators) {
    if (state.record === null) continue;
    states.set(state.agent, [...(states.get(state.agent) ?? []), state]);
  }
  return [...states].map(([agent, own]) => ({ agent, states: own }));
}

function errorsOf(states: readonly GeneratorState[]): Map<string, number> {
  const errors = new Map<string, number>();
  for (const { record } of states) {
    for (const [kind, count] of Object.entries(record?.errors ?? {})) {
      errors.set(kind, (errors.get(kind) ?? 0) + count);
    }
  }
  return errors;
}

const agentOf = (agent: string | null): Attributes => (agent === null ? {} : { agent });

/** Seconds and nanoseconds since the epoch. */
function hrTimeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
