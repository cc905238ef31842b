import type {
  DataPoint,
  ExponentialHistogram,
  MetricData,
  MetricDescriptor,
} from '@opentelemetry/sdk-metrics';
import type { HistogramData } from '../record/histogram.ts';
import type { GeneratorState, RunRecords } from '../record/run-records.ts';
import { exponentialHistogramOf } from './exponential-histogram.ts';
import type { OtlpPackages } from './packages.ts';

/** Attributes of a point. */
export type Attributes = DataPoint<unknown>['attributes'];
type Kind = 'sum' | 'gauge' | 'exponential-histogram';

/** A metric as it is exported. */
export interface OtlpMetric {
  readonly name: string;
  readonly kind: Kind;
  readonly unit: string;
  readonly description: string;
}

/** The metrics of a run, by their names in {@link runMetrics}. */
export const OTLP_METRICS = {
  requests: {
    name: 'fareproof.load.requests',
    kind: 'sum',
    unit: '{request}',
    description: 'Requests of the measured window, by outcome and shape.',
  },
  errors: {
    name: 'fareproof.load.errors',
    kind: 'sum',
    unit: '{request}',
    description: 'Failed requests of the measured window, by kind of error.',
  },
  reconnected: {
    name: 'fareproof.load.reconnected',
    kind: 'sum',
    unit: '{request}',
    description: 'Requests that were sent again, since the target closed their kept connection.',
  },
  response: {
    name: 'fareproof.load.response.duration',
    kind: 'exponential-histogram',
    unit: 's',
    description: 'Time from the planned send to the last byte, or to the failure, by outcome.',
  },
  service: {
    name: 'fareproof.load.service.duration',
    kind: 'exponential-histogram',
    unit: 's',
    description: 'Time from the send to the last byte of the successful requests.',
  },
  sendLag: {
    name: 'fareproof.load.send_lag',
    kind: 'exponential-histogram',
    unit: 's',
    description: "Time from when a request could be sent to its send: the generator's own delay.",
  },
  plannedRate: {
    name: 'fareproof.load.planned_rate',
    kind: 'gauge',
    unit: '{request}/s',
    description: 'Requests per second that are due; none in the closed model.',
  },
  cpu: {
    name: 'fareproof.load.generator.cpu',
    kind: 'gauge',
    unit: '{core}',
    description: 'Processor time that a generator uses, in cores.',
  },
  coreWait: {
    name: 'fareproof.load.generator.core_wait',
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which a generator was ready to run and got no core.',
  },
  eventLoop: {
    name: 'fareproof.load.generator.event_loop_utilization',
    kind: 'gauge',
    unit: '1',
    description: 'Share of the time in which the event loop of a generator had work.',
  },
  waiting: {
    name: 'fareproof.load.generator.waiting',
    kind: 'gauge',
    unit: '{request}',
    description: 'Due requests of a generator that wait for a connection.',
  },
} as const satisfies Record<string, OtlpMetric>;

type Point<T> = readonly [attributes: Attributes, value: T];
type PackagesOfData = Pick<OtlpPackages, 'metrics'>;

/**
 * The measurements of a run as metrics of OpenTelemetry. Sums and histograms are cumulative since the
 * start of the run, so that one that does not arrive is made up for by the next.
 *
 * @param common attributes of every point
 */
export function runMetrics(
  records: RunRecords,
  common: Attributes,
  { metrics: { AggregationTemporality, DataPointType } }: PackagesOfData,
): MetricData[] {
  const { generators, plannedRate } = records;
  const startTime = hrTimeOf(records.startedAtMs);
  const endTime = hrTimeOf(records.nowMs);
  const points = <T>(values: readonly Point<T>[]): DataPoint<T>[] =>
    values.map(([attributes, value]) => ({
      startTime,
      endTime,
      attributes: { ...common, ...attributes },
      value,
    }));
  const base = (metric: OtlpMetric) => ({
    descriptor: descriptorOf(metric),
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  });
  const sum = (metric: OtlpMetric, values: readonly Point<number>[]): MetricData => ({
    ...base(metric),
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: points(values),
  });
  const gauge = (metric: OtlpMetric, values: readonly Point<number>[]): MetricData => ({
    ...base(metric),
    dataPointType: DataPointType.GAUGE,
    dataPoints: points(values),
  });
  const histogram = (
    metric: OtlpMetric,
    values: readonly Point<ExponentialHistogram>[],
  ): MetricData => ({
    ...base(metric),
    dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM,
    dataPoints: points(values),
  });
  const parts = partsOf(records);
  const agents = byAgent(generators);
  const health = (of: (state: GeneratorState) => number | null | undefined): Point<number>[] =>
    generators.flatMap((state) => {
      const value = of(state);
      const attributes = { ...agentOf(state.agent), generator: state.generator };
      return value == null ? [] : [[attributes, value] as const];
    });
  return [
    sum(
      OTLP_METRICS.requests,
      parts.flatMap(({ attributes, ok, failed }) => [
        [{ ...attributes, outcome: 'ok' }, ok],
        [{ ...attributes, outcome: 'failed' }, failed],
      ]),
    ),
    sum(
      OTLP_METRICS.errors,
      agents.flatMap(({ agent, states }) =>
        [...errorsOf(states)].map(
          ([kind, count]): Point<number> => [{ ...agentOf(agent), 'error.type': kind }, count],
        ),
      ),
    ),
    sum(
      OTLP_METRICS.reconnected,
      parts.map(({ attributes, reconnected }) => [attributes, reconnected]),
    ),
    histogram(
      OTLP_METRICS.response,
      parts.flatMap(({ attributes, response, failures }) => [
        [{ ...attributes, outcome: 'ok' }, exponentialHistogramOf(response)],
        ...(failures.some(({ count }) => count > 0)
          ? ([[{ ...attributes, outcome: 'failed' }, exponentialHistogramOf(failures)]] as const)
          : []),
      ]),
    ),
    histogram(
      OTLP_METRICS.service,
      parts.map(({ attributes, service }) => [attributes, exponentialHistogramOf(service)]),
    ),
    histogram(
      OTLP_METRICS.sendLag,
      agents.map(({ agent, states }) => [
        agentOf(agent),
        exponentialHistogramOf(states.flatMap(({ record }) => record?.sendLag ?? [])),
      ]),
    ),
    gauge(OTLP_METRICS.plannedRate, plannedRate === null ? [] : [[{}, plannedRate]]),
    gauge(
      OTLP_METRICS.cpu,
      health(({ sample }) => sample?.cpu),
    ),
    gauge(
      OTLP_METRICS.coreWait,
      health(({ sample }) => sample?.coreWait),
    ),
    gauge(
      OTLP_METRICS.eventLoop,
      health(({ sample }) => sample?.eventLoopUtilization),
    ),
    gauge(
      OTLP_METRICS.waiting,
      health(({ waiting }) => waiting),
    ),
  ].filter(({ dataPoints }) => dataPoints.length > 0);
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

function byAgent(
  generators: readonly GeneratorState[],
): { agent: string | null; states: GeneratorState[] }[] {
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

function descriptorOf({ name, unit, description }: OtlpMetric): MetricDescriptor {
  // ValueType.DOUBLE of the API, whose code is not imported.
  const descriptor: unknown = { name, unit, description, valueType: 1 };
  return descriptor as MetricDescriptor;
}

/** Seconds and nanoseconds since the epoch. */
function hrTimeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
