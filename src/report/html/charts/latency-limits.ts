import type { ThresholdResult } from '../../../documents/load.ts';
import type { ChartLimit } from './chart-data.ts';

/** Limits that are drawn. */
const LIMIT_COUNT = 5;

/** Thresholds on response time, as limits of a chart. */
export function latencyLimits(
  thresholds: readonly Pick<ThresholdResult, 'expression' | 'metric' | 'bound'>[],
): ChartLimit[] {
  return thresholds
    .slice(0, LIMIT_COUNT)
    .flatMap(({ expression, metric, bound }) =>
      bound !== undefined && /^(p[\d.]+|max)$/.test(metric ?? '')
        ? [{ label: expression, value: bound }]
        : [],
    );
}
