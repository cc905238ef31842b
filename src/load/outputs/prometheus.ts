import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { Distribution, Labels, PrometheusMetric } from '../../files/prometheus-text.ts';
import { type HistogramData, valuesOf } from '../record/histogram.ts';
import type { Latencies } from './figures.ts';
import { type Measure, prometheusName } from './measures.ts';

const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p99_9: 0.999, p99_99: 0.9999 } as const;
const BOUNDS_S = [
  0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
  0.2, 0.5, 1, 2, 5,
];
const US_PER_S = 1e6;

/**
 * The measures of a run as metrics of Prometheus. Latencies are histograms, or summaries where they come
 * from a document.
 *
 * @param prefix of each name, such as `fareproof_load_`
 * @param common labels of every sample
 */
export function prometheusMetrics<Source>(
  measures: readonly Measure<Source>[],
  source: Source,
  prefix: string,
  common: Labels = {},
): PrometheusMetric[] {
  return measures.map((measure) => {
    const points = measure.read(source);
    const isSummary = points.some(([, value]) => typeof value === 'object' && 'p50' in value);
    const ofLatency = isSummary ? 'summary' : 'histogram';
    return {
      name: prefix + prometheusName(measure),
      type: measure.kind === 'latency' ? ofLatency : measure.kind,
      help: measure.help,
      samples: points.map(([labels, value]) => [
        { ...common, ...withoutDots(labels) },
        typeof value === 'number' ? value : distributionOf(value),
      ]),
    };
  });
}

const withoutDots = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [label.replaceAll('.', '_'), value]),
  );

function distributionOf(latencies: Latencies): Distribution {
  return 'p50' in latencies ? summaryOf(latencies) : histogramOf(latencies);
}

function summaryOf(latencies: LatencySummaryUs): Distribution {
  const { count, mean } = latencies;
  const quantiles = Object.entries(QUANTILES) as [keyof typeof QUANTILES, number][];
  return {
    at: quantiles.map(([name, quantile]) => [quantile, latencies[name] / US_PER_S]),
    count,
    sum: (mean * count) / US_PER_S,
  };
}

function histogramOf(histograms: readonly HistogramData[]): Distribution {
  const values = histograms.flatMap(valuesOf);
  const sum = (of: 'count' | 'sumUs'): number =>
    histograms.reduce((total, histogram) => total + histogram[of], 0);
  return {
    at: BOUNDS_S.map((boundS) => [
      boundS,
      values.reduce((below, [us, count]) => (us <= boundS * US_PER_S ? below + count : below), 0),
    ]),
    count: sum('count'),
    sum: sum('sumUs') / US_PER_S,
  };
}
