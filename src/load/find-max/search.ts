import { TrialBook, type TrialOutcome } from './trial-book.ts';

/** Why a search ended. */
export type SearchEnding =
  | 'found'
  /** The rate above could not be measured, while the one below could. */
  | 'generator-limited'
  /** What could be measured before could not any more. */
  | 'machine-disturbed'
  | 'nothing-held'
  | 'nothing-fell-short'
  /** The bounds were not yet near enough, or contradicted, when the trials were used up. */
  | 'not-settled'
  | 'interrupted';

/** How a search ended; rates are requests a second. */
export interface SearchResult {
  /** The highest that held; 0 for none. */
  low: number;
  /** The lowest that did not hold; null for none. */
  high: number | null;
  /** The lowest above `low` that could not be measured; null for none below `high`. */
  limitedAt: number | null;
  ending: SearchEnding;
}

/** How a search goes. */
export interface SearchOptions {
  /** The first rate, requests a second. */
  startRate: number;
  /** Runs one trial; null ends the search. */
  trial(rate: number): Promise<TrialOutcome | null>;
  /** How far apart the bounds may end, as a share of the upper one; default 0.03. */
  precision?: number;
  mostTrials?: number;
  mostRate?: number;
}

const DEFAULT_PRECISION = 0.03;
const DEFAULT_MOST_TRIALS = 60;
const DEFAULT_MOST_RATE = 2_000_000;
const LEAST_RATE = 1;
/** Where nothing could be measured at so many rates, a lower one is no help. */
const UNMEASURABLE_RATES = 3;

/**
 * Finds the highest rate that holds an objective: doubles (or halves) until one holds and one does
 * not, bisects between them, and tries both bounds again in turn, until each stands.
 *
 * A trial that was not valid is repeated and never counts against the target; one that fell short
 * bounds the search when a second one agrees, and what bounds it has a control beside it.
 */
export async function searchHighestRate(options: SearchOptions): Promise<SearchResult> {
  const book = new TrialBook();
  const mostTrials = options.mostTrials ?? DEFAULT_MOST_TRIALS;
  for (;;) {
    const next = book.count < mostTrials ? nextStep(book, options) : 'not-settled';
    if (typeof next === 'string') return resultOf(book, next);
    const outcome = await options.trial(next);
    if (outcome === null) return resultOf(book, 'interrupted');
    book.add(next, outcome);
  }
}

function resultOf(book: TrialBook, ending: SearchEnding): SearchResult {
  const { low, high } = book.bounds;
  const limitedAt = high !== null && book.isUnmeasurable(high) ? high : null;
  return { low, high: limitedAt === null ? high : book.lowestFallen(), limitedAt, ending };
}

/** The rate to be tried next, or how the search ended. */
function nextStep(book: TrialBook, options: SearchOptions): number | SearchEnding {
  const open = book.openRate();
  if (open !== null) return open;
  const { low, high } = book.bounds;
  if (low > 0 && book.isStuck(low)) return 'machine-disturbed';
  if (high === null) return stepUp(low, options);
  if (low === 0) return stepDown(book, high);
  const bounds = { low, high };
  return (
    book.controlOf(bounds) ??
    middleOf(bounds, options.precision ?? DEFAULT_PRECISION) ??
    book.unconfirmedBound(bounds) ??
    (book.isUnmeasurable(high) ? 'generator-limited' : 'found')
  );
}

function stepUp(low: number, options: SearchOptions): number | SearchEnding {
  if (low === 0) return options.startRate;
  return 2 * low > (options.mostRate ?? DEFAULT_MOST_RATE) ? 'nothing-fell-short' : 2 * low;
}

function stepDown(book: TrialBook, high: number): number | SearchEnding {
  if (!book.hasVotes() && book.unmeasurableRates().length >= UNMEASURABLE_RATES) {
    return 'machine-disturbed';
  }
  if (high / 2 >= LEAST_RATE) return tidyRate(high / 2);
  return book.isUnmeasurable(high) ? 'generator-limited' : 'nothing-held';
}

function middleOf({ low, high }: { low: number; high: number }, precision: number): number | null {
  if ((high - low) / high <= precision) return null;
  const middle = tidyRate((low + high) / 2);
  return middle > low && middle < high ? middle : null;
}

/** Whole requests a second where that is fine enough. */
const tidyRate = (rate: number): number =>
  rate >= 200 ? Math.round(rate) : Math.round(rate * 100) / 100;
