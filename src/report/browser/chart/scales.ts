import uPlot from 'uplot';
import type { ChartData } from '../../html/charts/chart-data.ts';

/** uPlot declares its distributions as a constant enum, which erasable syntax cannot use. */
const LINEAR = { distr: 1 } as object as uPlot.Scale;
const LOGARITHMIC = { distr: 3 } as object as uPlot.Scale;

/** The x scale of a chart. */
export function xScale({ xKind }: ChartData): uPlot.Scale {
  return { ...(xKind === 'latency' ? LOGARITHMIC : LINEAR), time: false };
}

/** The y scale of a chart: from 0, or logarithmic. */
export function yScale({ logarithmic = false, limits = [] }: ChartData): uPlot.Scale {
  if (logarithmic) {
    return {
      ...LOGARITHMIC,
      range: (plot, min, max) => {
        const floor = lowest(plot);
        return uPlot.rangeLog(
          Math.max(floor, min),
          withLimits(Math.max(max, floor * 10), limits),
          10,
          false,
        );
      },
    };
  }
  return { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 1] };
}

/** A limit is shown if it is near; one far above would flatten the lines. */
function withLimits(max: number, limits: NonNullable<ChartData['limits']>): number {
  const near = limits.map(({ value }) => value).filter((value) => value < max * 30);
  return near.reduce((most, value) => Math.max(most, value), max);
}

function lowest({ data: [, ...lines] }: uPlot): number {
  let low = Number.POSITIVE_INFINITY;
  for (const values of lines) {
    for (const value of values) if (value != null && value > 0 && value < low) low = value;
  }
  return Number.isFinite(low) ? low : 1;
}
