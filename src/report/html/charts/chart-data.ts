import type { Unit } from '../../text/quantities.ts';

/** A colour of the page's style, by name. */
export type ChartColor = 'blue' | 'orange' | 'red' | 'teal' | 'gray';

/** A line of a chart. */
export interface ChartSeries {
  readonly label: string;
  /** One for each x value. */
  readonly values: readonly (number | null)[];
  readonly color: ChartColor;
  readonly dashed?: boolean;
  /** Bars, the steps of a histogram, or the end of a band; by default a line. */
  readonly drawn?: 'bars' | 'steps' | 'end';
  readonly filled?: boolean;
}

/** A value with its label, drawn as a line across the chart. */
export interface ChartLimit {
  readonly label: string;
  readonly value: number;
}

/** The data of a chart; the page's script draws it. */
export interface ChartData {
  /** Id of the element that it is drawn in. */
  readonly id: string;
  readonly x: readonly number[];
  /** Seconds, −log10(1 − q), microseconds on a logarithmic scale, or indices of `builds`. */
  readonly xKind: 'seconds' | 'percentile' | 'latency' | 'build';
  readonly builds?: readonly string[];
  readonly unit: Unit;
  readonly logarithmic?: boolean;
  readonly series: readonly ChartSeries[];
  readonly limits?: readonly ChartLimit[];
  /** Places on the x axis, drawn as vertical lines. */
  readonly marks?: readonly ChartLimit[];
  /** Charts of a group share pointer and zoom. */
  readonly group?: string;
  readonly height: number;
}
