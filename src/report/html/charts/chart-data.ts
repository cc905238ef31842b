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
  /** Bars, the end of a band, or dots, of which `dashed` ones are hollow; by default a line. */
  readonly drawn?: 'bars' | 'end' | 'dots';
}

/** A value with its label, drawn as a line across the chart. */
export interface ChartLimit {
  readonly label: string;
  readonly value: number;
}

/** A span of the x axis. */
export type ChartSpan = readonly [from: number, to: number];

/** The data of a chart; the page's script draws it. */
export interface ChartData {
  /** Id of the element that it is drawn in. */
  readonly id: string;
  readonly x: readonly number[];
  /** Seconds, −log10(1 − q), numbers of trials, or indices of `builds`. */
  readonly xKind: 'seconds' | 'percentile' | 'trial' | 'build';
  readonly builds?: readonly string[];
  readonly unit: Unit;
  readonly logarithmic?: boolean;
  readonly series: readonly ChartSeries[];
  readonly limits?: readonly ChartLimit[];
  /** Places on the x axis, drawn as vertical lines. */
  readonly marks?: readonly ChartLimit[];
  /** Spans of the x axis in which a bound was missed: shaded. */
  readonly missed?: readonly ChartSpan[];
  /** Spans of the x axis in which the generator was late: hatched. */
  readonly late?: readonly ChartSpan[];
  /** Charts of a group share pointer and axis. */
  readonly group?: string;
  /** True for a chart whose x axis is that of the one below it. */
  readonly isAxisBelow?: boolean;
  readonly height: number;
}
