import type { ComparisonDocument, StepShift } from '../../documents/comparison.ts';
import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { ThresholdTerms } from '../../documents/load.ts';

/** Formats a time in microseconds: `0 µs`, `412 µs`, `3.81 ms`, `1.2 s`. */
export function formatUs(us: number): string {
  if (us < 1000) return `${digits(us)} µs`;
  if (us < 1_000_000) return `${digits(us / 1000)} ms`;
  return `${digits(us / 1_000_000)} s`;
}

/** Formats a time in nanoseconds. */
export function formatNs(ns: number): string {
  return ns < 1000 ? `${digits(ns)} ns` : formatUs(ns / 1000);
}

/** Formats a rate in requests a second: `1,250/s`. */
export function formatRate(perSecond: number): string {
  return `${perSecond < 100 ? digits(perSecond) : formatCount(Math.round(perSecond))}/s`;
}

/** Formats a count: `1,250`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** Formats a share from 0 to 1: `0.08 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent !== 0 && Math.abs(percent) < 0.001) return `${percent < 0 ? '> −' : '< '}0.001 %`;
  return `${digits(percent)} %`;
}

/** Ends of intervals are cut here: beyond ten times as much the number says no more. */
const MOST_SHIFT_PERCENT = 900;

/** Formats a change in percent, with its sign: `+3.2 %`, `−0.4 %`; `> +900 %` for all beyond. */
export function formatShift(percent: number): string {
  if (percent >= MOST_SHIFT_PERCENT) return `> +${MOST_SHIFT_PERCENT} %`;
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±';
  return `${sign}${Math.abs(percent).toFixed(1)} %`;
}

/** Formats a size in bytes: `312 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${digits(value)} ${units[unit]}`;
}

/** Formats a span between two ISO 8601 instants: `1.9 s`, `2 min 5 s`, `2 min`. */
export function formatSpan(startedAt: string, finishedAt: string): string {
  const exact = Math.max(0, secondsBetween(startedAt, finishedAt));
  if (exact < 59.5) return `${digits(exact)} s`;
  const seconds = Math.round(exact);
  const minutes = Math.floor(seconds / 60);
  const [whole, rest] =
    minutes < 60
      ? [`${minutes} min`, `${seconds % 60} s`]
      : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return rest.startsWith('0 ') ? whole : `${whole} ${rest}`;
}

/** Seconds between two ISO 8601 instants. */
export function secondsBetween(startedAt: string, finishedAt: string): number {
  return (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}

/** Formats an ISO 8601 instant, in UTC: `2025-11-20 10:27 UTC`. */
export function formatInstant(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Unit of a value: microseconds, a rate, a count, a share from 0 to 1. */
export type Unit = ThresholdTerms['unit'] | 'count';

/** Formats a value of a unit. */
export function formatIn(unit: Unit, value: number): string {
  return FORMATS[unit](value);
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  us: formatUs,
  'requests/s': formatRate,
  count: formatCount,
  share: formatShare,
};

/** Formats a count with its noun: `1 rule`, `2 rules`. */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** About three significant digits; a whole number has no decimals. */
function digits(value: number): string {
  const size = Math.abs(value);
  const behind = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  const text = value.toLocaleString('en', {
    minimumFractionDigits: behind,
    maximumFractionDigits: behind,
  });
  return text.replace('-', '−');
}

/** A latency of a summary. */
export type LatencyField = Exclude<keyof LatencySummaryUs, 'count'>;

/** The quantiles of a latency summary, and their names. */
export const QUANTILES: readonly { name: string; field: LatencyField; q: number }[] = [
  { name: 'min', field: 'min', q: 0 },
  { name: 'p50', field: 'p50', q: 0.5 },
  { name: 'p90', field: 'p90', q: 0.9 },
  { name: 'p99', field: 'p99', q: 0.99 },
  { name: 'p99.9', field: 'p99_9', q: 0.999 },
  { name: 'p99.99', field: 'p99_99', q: 0.9999 },
  { name: 'max', field: 'max', q: 1 },
];

/** Names a quantile: `p99.9` for 0.999, `max` for 1. */
export function quantileName(q: number): string {
  const known = QUANTILES.find((quantile) => quantile.q === q);
  return known ? known.name : `p${Number((q * 100).toPrecision(8))}`;
}

/** A shift and the name of what shifted: a quantile of load runs, or a step of benches. */
export type NamedShift = Pick<
  StepShift,
  'name' | 'shiftPercent' | 'low' | 'high' | 'base' | 'candidate' | 'marginPercent'
>;

/** The shifts of a comparison, those of quantiles first. */
export function namedShifts({
  quantiles,
  serviceQuantiles = [],
  steps = [],
}: ComparisonDocument): NamedShift[] {
  return [
    ...quantiles.map(({ q, ...shift }) => ({ ...shift, name: quantileName(q) })),
    ...serviceQuantiles.map(({ q, ...shift }) => ({
      ...shift,
      name: `service ${quantileName(q)}`,
    })),
    ...steps,
  ];
}

/** Formats a shift: `+7.4 % (+4.8 % to +9.9 %)`. */
export function shiftWords({
  shiftPercent,
  low,
  high,
}: Pick<NamedShift, 'shiftPercent' | 'low' | 'high'>): string {
  return `${formatShift(shiftPercent)} (${formatShift(low)} to ${formatShift(high)})`;
}
