import type { Random } from '../seeded-random.ts';
import { differenceOfMeans, valuesThatBound } from './bootstrap.ts';

export type ComparisonVerdict = 'better' | 'worse' | 'equivalent' | 'inconclusive';

/** How far something lies from what it is held against, percent of that; below 0 is faster. */
export interface Shift {
  shiftPercent: number;
  low: number;
  high: number;
  verdict: ComparisonVerdict;
}

/** What a shift is judged by; times of the same unit, above 0, one of each run. */
export interface ShiftOptions {
  base: readonly number[];
  candidate: readonly number[];
  paired: boolean;
  marginPercent: number;
  /** How many shifts are judged together; each interval is so much wider (Bonferroni). */
  among: number;
  /** Finest step in which a time is written down, in its unit. */
  stepOf: (time: number) => number;
  random: Random;
}

export const CONFIDENCE = 0.95;
export const DEFAULT_MARGIN_PERCENT = 5;
/** No more are named: so many say that the machine is not fit for the margin. */
export const MOST_RUNS_NAMED = 1000;

/**
 * The mean shift of the logarithm with its interval, held against the margin: wholly beyond it is
 * worse or better, wholly within is equivalent.
 */
export function judgeShift(options: ShiftOptions): Shift {
  const { base, candidate, paired, marginPercent, among, stepOf, random } = options;
  const resolution = Math.max(...[...base, ...candidate].map((time) => stepOf(time) / time));
  const { estimate, low, high } = differenceOfMeans({
    a: base.map(Math.log),
    b: candidate.map(Math.log),
    paired,
    confidence: confidenceOfEach(among),
    random,
    // Of a value that lies anywhere within its step.
    valueError: resolution / Math.sqrt(12),
    leastHalfWidth: resolution,
  });
  const shift = { shiftPercent: toPercent(estimate), low: toPercent(low), high: toPercent(high) };
  return { ...shift, verdict: judgeInterval(shift, marginPercent) };
}

function judgeInterval(
  { low, high }: { low: number; high: number },
  marginPercent: number,
): ComparisonVerdict {
  if (low > marginPercent) return 'worse';
  if (high < -marginPercent) return 'better';
  return low >= -marginPercent && high <= marginPercent ? 'equivalent' : 'inconclusive';
}

/** What several shifts come to: one that is worse makes the whole worse, one that is open leaves it open. */
export function overall(shifts: readonly { verdict: ComparisonVerdict }[]): ComparisonVerdict {
  const order: readonly ComparisonVerdict[] = ['worse', 'inconclusive', 'better'];
  return order.find((wanted) => shifts.some(({ verdict }) => verdict === wanted)) ?? 'equivalent';
}

/** The width of an interval goes with the root of the runs; what is missing of it tells how many more. */
export function runsThatWouldDo(
  shifts: readonly Shift[],
  marginPercent: number,
  runs: number,
): number {
  const needed = shifts.map(({ shiftPercent, low, high }) => {
    const room = Math.max(Math.abs(Math.abs(shiftPercent) - marginPercent), marginPercent / 4);
    return runs * ((high - low) / 2 / room) ** 2;
  });
  return Math.min(MOST_RUNS_NAMED, Math.max(runs + 1, Math.ceil(Math.max(...needed))));
}

/** Pairs that ran one after the other share what drifts, and are compared as pairs. */
export function areInterleaved(
  base: readonly { startedAt: string }[],
  candidate: readonly { startedAt: string }[],
): boolean {
  if (base.length !== candidate.length) return false;
  const inOrder = [
    ...base.map((run) => ({ run, side: 0 })),
    ...candidate.map((run) => ({ run, side: 1 })),
  ].sort((x, y) => Date.parse(x.run.startedAt) - Date.parse(y.run.startedAt));
  return inOrder.every(({ side }, index) => index % 2 === 0 || side !== inOrder[index - 1]?.side);
}

/** Oldest first, so that pairs are those that ran side by side. */
export function oldestFirst<T extends { startedAt: string }>(runs: readonly T[]): T[] {
  return [...runs].sort((x, y) => Date.parse(x.startedAt) - Date.parse(y.startedAt));
}

/** Fewer a side than this leave the intervals of so many shifts without bounds. */
export const leastRuns = (among: number): number => valuesThatBound(confidenceOfEach(among));

/** Why there are too few runs to compare; null where there are enough. */
export function tooFew(
  base: readonly unknown[],
  candidate: readonly unknown[],
  { least, noun }: { least: number; noun: string },
): string | null {
  if (Math.min(base.length, candidate.length) >= least) return null;
  return `There ${base.length === 1 ? 'is' : 'are'} ${base.length} ${noun}${base.length === 1 ? '' : 's'} of the base and ${candidate.length} of the candidate; from fewer than ${least} a side nothing can be said of how ${noun}s scatter.`;
}

/** That all of them hold at once (Bonferroni). */
const confidenceOfEach = (among: number): number => 1 - (1 - CONFIDENCE) / among;

/** Beyond ten times as slow the number says no more. */
const toPercent = (log: number): number =>
  Math.round((Math.exp(Math.min(log, Math.log(10))) - 1) * 10_000) / 100;
