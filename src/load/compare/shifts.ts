import type { ComparisonVerdict, QuantileShift } from '../../documents/comparison.ts';
import { median } from '../record/median.ts';
import type { Random } from '../seeded-random.ts';
import {
  type DifferenceOptions,
  differenceOfMeans,
  type Interval,
  valuesThatBound,
} from './bootstrap.ts';

/** Shift from the base, percent of the base; below 0 is faster. */
export type Shift = Omit<QuantileShift, 'q'>;

/** Times that a shift is judged by: of one unit, above 0, one for each run. */
export interface ShiftOptions {
  base: readonly number[];
  candidate: readonly number[];
  paired: boolean;
  marginPercent: number;
  /**
   * Error common to the times of a side, in their unit, by which the margin is widened that a difference
   * must exceed; default 0.
   */
  commonError?: number;
  /** Of the interval of this shift, which is wider where several are judged together. */
  confidence: number;
  /** Resolution of a time, in its unit. */
  stepOf: (time: number) => number;
  random: Random;
  /** Interval of the difference; default the bootstrap's. */
  difference?: (options: DifferenceOptions) => Interval;
}

const CONFIDENCE = 0.95;
/** Shifts within plus or minus this are equivalent. */
export const DEFAULT_MARGIN_PERCENT = 5;
/** Largest number of runs named: more of them mean that the machine does not suit the margin. */
const MOST_RUNS_NAMED = 1000;
/** Most shifts named in a sentence; the rest is counted. */
const MOST_NAMED = 5;

/**
 * Judges the mean shift of the logarithm by its interval: wholly beyond the margin is worse or better,
 * wholly within it is equivalent.
 */
export function judgeShift(options: ShiftOptions): Shift {
  const { base, candidate, paired, confidence, stepOf, random, commonError = 0 } = options;
  const widenedBy = toHundredths((commonError / median(base)) * 100);
  const marginPercent = options.marginPercent + widenedBy;
  const resolution = Math.max(...[...base, ...candidate].map((time) => stepOf(time) / time));
  const { estimate, low, high } = (options.difference ?? differenceOfMeans)({
    a: base.map(Math.log),
    b: candidate.map(Math.log),
    paired,
    confidence,
    random,
    // A value may lie anywhere within its step.
    valueError: resolution / Math.sqrt(12),
    leastHalfWidth: resolution,
  });
  const shift = { shiftPercent: toPercent(estimate), low: toPercent(low), high: toPercent(high) };
  return {
    ...shift,
    verdict: judgeInterval(shift, options.marginPercent, marginPercent),
    ...(widenedBy > 0 && { marginPercent }),
    base: median(base),
    candidate: median(candidate),
  };
}

/** @param widenedPercent margin that a difference must exceed; the other is that of equivalence */
function judgeInterval(
  { low, high }: { low: number; high: number },
  marginPercent: number,
  widenedPercent: number,
): ComparisonVerdict {
  if (low > widenedPercent) return 'worse';
  if (high < -widenedPercent) return 'better';
  return low >= -marginPercent && high <= marginPercent ? 'equivalent' : 'inconclusive';
}

/** Two sides to compare. */
export interface CompareOptions<Sample> {
  base: readonly Sample[];
  candidate: readonly Sample[];
  /** Shifts within plus or minus this are equivalent; default 5. */
  marginPercent?: number | undefined;
  seed: number;
}

/** Settings that shifts are judged with, as a comparison reports them. */
export interface ShiftSettings {
  marginPercent: number;
  confidence: number;
  correction: string;
  paired: boolean;
}

/** Settings of a comparison of several shifts, such as three quantiles. */
export function settingsOf(
  { base, candidate, marginPercent = DEFAULT_MARGIN_PERCENT }: CompareOptions<Dated>,
  count: number,
  nouns: string,
): ShiftSettings {
  const paired = areInterleaved(base, candidate);
  const correction = `Bonferroni over ${count} ${nouns}`;
  return { marginPercent, confidence: CONFIDENCE, correction, paired };
}

/**
 * Concludes from several shifts: the verdict, its reason, and the runs a side that would decide it.
 *
 * @param needed runs of the candidate that would, where the base may have another number
 */
export function conclude(
  shifts: readonly (Shift & { name: string })[],
  settings: ShiftSettings,
  { of, runs, needed }: { of: string; runs: number; needed?: number },
): { verdict: ComparisonVerdict; reason: string; runsNeeded: number | null } {
  const { marginPercent, confidence, correction } = settings;
  const verdict = overall(shifts);
  const margin = `margin of ${marginPercent} % (${confidence * 100} % confidence, ${correction})`;
  const widened = widenedInWords(shifts);
  const deciding = shifts.filter((shift) => shift.verdict === verdict);
  const named = [
    ...deciding
      .slice(0, MOST_NAMED)
      .map(({ name, low, high }) => `${name} ${signed(low)} to ${signed(high)} %`),
    ...(deciding.length > MOST_NAMED ? [`${deciding.length - MOST_NAMED} more`] : []),
  ].join(', ');
  if (verdict === 'inconclusive') {
    const runsNeeded = needed ?? runsThatWouldDo(shifts, marginPercent, runs);
    const more = moreInWords(runsNeeded - runs, settings);
    const enough = needed
      ? `About ${needed} runs of the newest build would do: ${needed - runs} more.`
      : `About ${runsNeeded} runs a side would do: ${more}.`;
    const advice =
      runsNeeded >= MOST_RUNS_NAMED
        ? `It would take ${MOST_RUNS_NAMED} runs a side or more: make the runs longer instead, or the machine quieter.`
        : enough;
    const reason = `The runs scatter too much for a ${margin}: ${named}.${widened} ${advice}`;
    return { verdict, reason, runsNeeded };
  }
  const reason = {
    worse: `Slower beyond the ${margin}: ${named}.`,
    better: `Faster beyond the ${margin}: ${named}.`,
    equivalent: `Every ${of} lies within the ${margin}.`,
  }[verdict];
  return { verdict, reason: reason + widened, runsNeeded: null };
}

/** `7 more pairs`, or `7 more on each`. */
export const moreInWords = (more: number, { paired }: Pick<ShiftSettings, 'paired'>): string =>
  paired ? `${more} more ${more === 1 ? 'pair' : 'pairs'}` : `${more} more on each`;

/** Names the shifts that are decided, and what of; empty if none is. */
export function decidedInWords(shifts: readonly (Shift & { name: string })[]): string {
  const decided = shifts.filter(({ verdict }) => verdict !== 'inconclusive');
  const words = decided.map(
    ({ name, verdict, low, high }) => `${name} ${verdict} (${signed(low)} to ${signed(high)} %)`,
  );
  return words.length === 0 ? '' : `${words.join(', ')}.${widenedInWords(decided)}`;
}

/** Names the margins that lateness widened, after a space; empty if there are none. */
function widenedInWords(shifts: readonly (Shift & { name: string })[]): string {
  const widened = shifts.flatMap(({ name, marginPercent }) =>
    marginPercent === undefined ? [] : `${name} ${Number(marginPercent.toFixed(1))} %`,
  );
  return widened.length === 0
    ? ''
    : ` Generators were late, which widens the margin: ${widened.join(', ')}.`;
}

const signed = (percent: number): string =>
  percent >= MOST_PERCENT
    ? `more than +${MOST_PERCENT}`
    : `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;

/** Verdict on several shifts: one that is worse, or else inconclusive, decides. */
function overall(shifts: readonly { verdict: ComparisonVerdict }[]): ComparisonVerdict {
  const order: readonly ComparisonVerdict[] = ['worse', 'inconclusive', 'better'];
  return order.find((wanted) => shifts.some(({ verdict }) => verdict === wanted)) ?? 'equivalent';
}

/** Estimates the runs that would decide it: an interval narrows with the root of their number. */
function runsThatWouldDo(shifts: readonly Shift[], marginPercent: number, runs: number): number {
  const needed = shifts.map(({ shiftPercent, low, high, marginPercent: own = marginPercent }) => {
    const room = Math.max(Math.abs(Math.abs(shiftPercent) - own), own / 4);
    return runs * ((high - low) / 2 / room) ** 2;
  });
  return Math.min(MOST_RUNS_NAMED, Math.max(runs + 1, Math.ceil(Math.max(...needed))));
}

interface Dated {
  startedAt: string;
}

/** True if runs of both sides alternate: these share drift, and are compared as pairs. */
function areInterleaved(base: readonly Dated[], candidate: readonly Dated[]): boolean {
  if (base.length !== candidate.length) return false;
  const inOrder = oldestFirst([
    ...base.map(({ startedAt }) => ({ startedAt, side: 0 })),
    ...candidate.map(({ startedAt }) => ({ startedAt, side: 1 })),
  ]);
  return inOrder.every(({ side }, index) => index % 2 === 0 || side !== inOrder[index - 1]?.side);
}

/** Oldest first, so that pairs are those that ran one after the other. */
export function oldestFirst<T extends Dated>(runs: readonly T[]): T[] {
  return runs.toSorted((x, y) => Date.parse(x.startedAt) - Date.parse(y.startedAt));
}

/** Least number of runs on each side that bounds the intervals of several shifts. */
export const leastRuns = (among: number): number => valuesThatBound(confidenceOfEach(among));

/** Reason why there are too few runs to compare; null if there are enough. */
export function tooFew(
  base: readonly unknown[],
  candidate: readonly unknown[],
  { least, noun, paired = false }: { least: number; noun: string; paired?: boolean },
): string | null {
  const fewest = Math.min(base.length, candidate.length);
  if (fewest >= least) return null;
  const more = moreInWords(least - fewest, { paired });
  return `There ${base.length === 1 ? 'is' : 'are'} ${base.length} ${noun}${base.length === 1 ? '' : 's'} of the base and ${candidate.length} of the candidate; with fewer than ${least} a side the scatter of ${noun}s is unknown. At least ${more} ${least - fewest === 1 ? 'is' : 'are'} needed.`;
}

/** Confidence of each interval, so that all of them hold at once (Bonferroni). */
export const confidenceOfEach = (among: number, ofAll: number = CONFIDENCE): number =>
  1 - (1 - ofAll) / among;

/** Ten times as slow: beyond that the number says no more. */
const MOST_PERCENT = 900;

const toPercent = (log: number): number =>
  toHundredths(Math.min(Math.expm1(log) * 100, MOST_PERCENT));

const toHundredths = (percent: number): number => Math.round(percent * 100) / 100;
