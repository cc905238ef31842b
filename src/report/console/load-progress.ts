import type { Trial } from '../../documents/find-max.ts';
import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { LoadDocument } from '../../documents/load.ts';
import { countWords } from '../text/load-words.ts';
import { formatCount, formatRate, formatUs, QUANTILES } from '../text/quantities.ts';
import { labelled } from './layout.ts';

/** A load run up to now, as `load` tells its observers. */
export interface ShownProgress {
  readonly phase: string;
  readonly elapsedS: number;
  readonly totalS: number;
  /** Responses a second in the last whole second. */
  readonly rate: number;
  /** Requests a second that are due; null in the closed model. */
  readonly plannedRate: number | null;
  readonly soFar: {
    readonly latencyUs: LatencySummaryUs;
    /** Response times in ascending order, microseconds. */
    readonly values: readonly (readonly [us: number, count: number])[];
    readonly statuses: Readonly<Record<string, number>>;
    readonly errors: Readonly<Record<string, number>>;
  };
  /** The last one is that of the rate. */
  readonly seconds: readonly { readonly plannedRate?: number | undefined }[];
}

/** Response times of the last whole second, 0 without a success; the failures of the whole window. */
export interface LastSecond {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly failed: number;
}

/** A run that is over. */
interface EndedRun {
  readonly result: Pick<LoadDocument, 'verdict' | 'reason' | 'achieved' | 'latencyUs'>;
  /** The run as a trial of a search. */
  readonly trial?: Pick<Trial, 'rate' | 'held' | 'valid' | 'reason'> | undefined;
}

const BAR_LENGTH = 30;
const HISTOGRAM_ROWS = 8;

/**
 * Lines of a run in progress: time, rate, percentiles, statuses, errors, a histogram of response times.
 *
 * @param label name of the run among several; empty for a single one
 */
export function loadProgressLines(progress: ShownProgress, label: string): string[] {
  const { phase, elapsedS, totalS, soFar } = progress;
  const doneShare = Math.min(1, elapsedS / totalS);
  return [
    `${prefixOf(label)}${phase}  ${barOf(doneShare).padEnd(BAR_LENGTH, '░')}  ${timeWords(elapsedS, totalS)}`,
    `  rate      ${rateWords(progress)}`,
    `  response  ${latencyWords(soFar.latencyUs)}`,
    ...[
      ['statuses', countWords(soFar.statuses)],
      ['errors', countWords(soFar.errors)],
    ].flatMap(([name = '', words = '']) => (words === '' ? [] : labelled(name, words, 8))),
    ...histogramLines(soFar.values),
  ];
}

/** A run in progress in one line, with the response times of the last whole second. */
export function loadProgressLine(progress: ShownProgress & LastSecond, label: string): string {
  const { phase, elapsedS, totalS, p50Us, p99Us, failed } = progress;
  const rate = rateWords(progress);
  const latency = p99Us === 0 ? '' : `, p50 ${formatUs(p50Us)}, p99 ${formatUs(p99Us)}`;
  return `${prefixOf(label)}${phase}: ${rate}${latency}, ${formatCount(failed)} failed, ${timeWords(elapsedS, totalS)}`;
}

/** A line for a run that is over; null for a single one, whose report follows. */
export function endedRunLine(label: string, { result, trial }: EndedRun): string | null {
  if (label === '') return null;
  if (trial === undefined) return prefixOf(label) + outcomeWords(result);
  const { rate, held, valid, reason } = trial;
  const outcome = held ? 'holds' : valid ? 'falls short' : 'is not valid';
  return `${prefixOf(label)}${rate}/s ${outcome}: ${reason}`;
}

function outcomeWords({ verdict, reason, achieved, latencyUs }: EndedRun['result']): string {
  if (verdict === 'invalid') return `invalid: ${reason}`;
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}

const prefixOf = (label: string): string => (label === '' ? '' : `${label}: `);

/** `4,998/s of 5,000/s`. */
function rateWords({ rate, seconds, ...rest }: ShownProgress): string {
  // The plan of the second whose rate is shown: on a ramp, more is due by now.
  const plannedRate = seconds.at(-1)?.plannedRate ?? rest.plannedRate;
  return `${formatRate(rate)}${plannedRate === null ? '' : ` of ${formatRate(plannedRate)}`}`;
}

const timeWords = (elapsedS: number, totalS: number): string =>
  `${elapsedS.toFixed(0)} s of ${totalS.toFixed(0)} s, ${Math.max(0, totalS - elapsedS).toFixed(0)} s left`;

const latencyWords = (latencyUs: LatencySummaryUs): string =>
  latencyUs.count === 0
    ? '–'
    : QUANTILES.map(({ name, field }) => `${name} ${formatUs(latencyUs[field])}`).join('  ');

/** Counts in buckets of equal width on a logarithmic scale, from the least value to the greatest. */
function histogramLines(values: readonly (readonly [us: number, count: number])[]): string[] {
  const [leastUs] = values[0] ?? [];
  const [mostUs] = values.at(-1) ?? [];
  if (leastUs === undefined || mostUs === undefined) return [];
  const low = Math.log(Math.max(leastUs, 1));
  const width = Math.max((Math.log(Math.max(mostUs, 1)) - low) / HISTOGRAM_ROWS, 1e-9);
  const counts = Array.from({ length: HISTOGRAM_ROWS }, () => 0);
  for (const [us, count] of values) {
    const row = Math.min(HISTOGRAM_ROWS - 1, Math.floor((Math.log(Math.max(us, 1)) - low) / width));
    counts[row] = (counts[row] ?? 0) + count;
  }
  const highest = Math.max(...counts);
  return counts.map((count, row) => {
    const upToUs = formatUs(Math.exp(low + width * (row + 1)));
    return `${upToUs.padStart(10)}  ${barOf(count / highest)} ${count === 0 ? '' : formatCount(count)}`.trimEnd();
  });
}

/** A bar in eighths of a character, so that small shares are seen. */
function barOf(share: number): string {
  const eighths = Math.ceil(share * BAR_LENGTH * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + ' ▏▎▍▌▋▊▉'.charAt(eighths % 8).trim();
}
