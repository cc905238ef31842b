import type { MetricData } from '@opentelemetry/sdk-metrics';
import type { Labels } from '../../../files/prometheus-text.ts';
import type { RunRecords } from '../../record/run-records.ts';
import { figuresSoFar, type Latencies } from '../figures.ts';
import { MEASURES, type Measure } from '../measures.ts';
import { exponentialHistogramOf } from './exponential-histogram.ts';
import type { OtlpPackages } from './packages.ts';

/**
 * The measures of a run as metrics of OpenTelemetry. Sums and histograms are cumulative since the
 * start of the run, so that one that does not arrive is made up for by the next.
 *
 * @param common attributes of every point
 */
export function runMetrics(
  records: RunRecords,
  common: Labels,
  { AggregationTemporality, DataPointType }: OtlpPackages,
): MetricData[] {
  const run = figuresSoFar(records);
  const startTime = hrTimeOf(records.startedAtMs);
  const endTime = hrTimeOf(records.nowMs);
  const types: Readonly<Record<Measure['kind'], object>> = {
    counter: { dataPointType: DataPointType.SUM, isMonotonic: true },
    gauge: { dataPointType: DataPointType.GAUGE },
    latency: { dataPointType: DataPointType.EXPONENTIAL_HISTOGRAM },
  };
  return MEASURES.map(({ name, unit, help, kind, read }) => {
    const metric: unknown = {
      // ValueType.DOUBLE of the API, whose code is not imported.
      descriptor: { name: `fareproof.load.${name}`, unit, description: help, valueType: 1 },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      ...types[kind],
      dataPoints: read(run).map(([attributes, value]) => ({
        startTime,
        endTime,
        attributes: { ...common, ...attributes },
        value: valueOf(value),
      })),
    };
    return metric as MetricData;
  }).filter(({ dataPoints }) => dataPoints.length > 0);
}

/** While a run lasts, no latencies are summed up. */
function valueOf(value: number | Latencies): unknown {
  return typeof value === 'number' || 'p50' in value ? value : exponentialHistogramOf(value);
}

/** Seconds and nanoseconds since the epoch. */
function hrTimeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
