import type { Unit } from '../../text/quantities.ts';

/** A colour of the page's style, by name. */
export type ChartColor = 'blue' | 'orange' | 'red' | 'teal' | 'gray' | 'purple';

/** A line of a chart. */
export interface ChartSeries {
  label: string;
  /** As many as there are x values. */
  values: readonly (number | null)[];
  color: ChartColor;
  dashed?: boolean;
  /** Bars, or steps for a histogram; else a line. */
  drawn?: 'bars' | 'steps';
  filled?: boolean;
}

/** A level to hold, drawn across the chart. */
export interface ChartLimit {
  label: string;
  value: number;
}

/** A chart of the page, as data; the page's script draws it. */
export interface ChartData {
  /** Id of the element that it is drawn in. */
  id: string;
  x: readonly number[];
  /** Seconds, −log10(1 − q), or microseconds on a logarithmic scale. */
  xKind: 'seconds' | 'percentile' | 'latency';
  unit: Unit;
  logarithmic?: boolean;
  series: readonly ChartSeries[];
  limits?: readonly ChartLimit[];
  /** Charts of a group share the pointer and the zoom. */
  group?: string;
  height: number;
}
