import type uPlot from 'uplot';
import type { ChartData } from '../../html/charts/chart-data.ts';
import { formatIn } from '../../text/quantities.ts';
import { pageColor } from './colors.ts';
import { placeWords } from './words.ts';

/** Font of the axes. */
const FONT = '12px system-ui, sans-serif';

/** The x axis of a chart. */
export function xAxis({ xKind }: ChartData): uPlot.Axis {
  return {
    ...axisStyle(),
    size: 34,
    space: xKind === 'percentile' ? 24 : 56,
    ...(xKind === 'percentile' ? { splits: percentileSplits } : {}),
    ...(xKind === 'latency' ? { splits: decadeSplits } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) => (value === null ? '' : placeWords(xKind, value))),
  };
}

/** The median, and every further nine. */
function percentileSplits(_: uPlot, _axis: number, min: number, max: number): number[] {
  const nines = [Math.log10(2), 1, 2, 3, 4, 5, 6, 7, 8, 9];
  return nines.filter((at) => at >= min && at <= max);
}

/** Whole decades; twos and fives too where there are fewer than two decades. */
function decadeSplits(_: uPlot, _axis: number, min: number, max: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.ceil(Math.log10(max));
  const factors = max / min < 100 ? [1, 2, 5] : [1];
  const splits: number[] = [];
  for (let decade = first; decade <= last; decade += 1) {
    splits.push(...factors.map((factor) => factor * 10 ** decade));
  }
  return splits.filter((value) => value >= min * 0.999 && value <= max * 1.001);
}

/** The y axis of a chart. */
export function yAxis({ unit, logarithmic }: ChartData): uPlot.Axis {
  return {
    ...axisStyle(),
    size: 66,
    ...(logarithmic === true ? { splits: decadeSplits } : {}),
    ...(unit === 'bytes' ? { incrs: BINARY_STEPS } : {}),
    ...(unit === 'count' ? { incrs: WHOLE_STEPS } : {}),
    values: (_, splits) =>
      splits.map((value: number | null) => (value === null ? '' : formatIn(unit, value))),
  };
}

/** Steps between ticks in bytes: round in KiB, MiB and GiB. */
const BINARY_STEPS = Array.from({ length: 42 }, (_, power) => 2 ** power);

/** Steps between ticks of counts: whole numbers. */
const WHOLE_STEPS = Array.from(
  { length: 36 },
  (_, at) => [1, 2, 5][at % 3]! * 10 ** Math.floor(at / 3),
);

function axisStyle(): uPlot.Axis {
  const line = pageColor('line');
  return {
    font: FONT,
    stroke: pageColor('muted'),
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 5 },
  };
}
