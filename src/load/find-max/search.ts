import { TrialBook, type TrialOutcome } from './trial-book.ts';

/** Reasons why a search ends. */
export type SearchEnding =
  | 'found'
  /** The generator could not reach the rate above, while the one below could be measured. */
  | 'generator-limited'
  /** Other processes had the cores, or a rate that could be measured before could not any more. */
  | 'machine-disturbed'
  | 'nothing-held'
  | 'nothing-fell-short'
  /** The time was used up before the bounds were close enough, or agreed. */
  | 'not-settled'
  | 'interrupted';

/** Result of a search; rates are requests per second. */
export interface SearchResult {
  /** The highest that held; 0 for none. */
  low: number;
  /** The lowest that did not hold; null for none. */
  high: number | null;
  /** The lowest above `low` that could not be measured; null for none below `high`. */
  limitedAt: number | null;
  ending: SearchEnding;
}

/** Options of a search. */
export interface SearchOptions {
  /** First rate, requests per second. */
  startRate: number;
  /** Runs one trial; null ends the search. */
  trial(rate: number): Promise<TrialOutcome | null>;
  /** True once a search of so many trials has to end, with the best bounds so far. */
  isOver(trials: number): boolean;
  mostRate?: number;
}

/** Largest distance of the final bounds, as a share of the upper one. */
const PRECISION = 0.03;
const DEFAULT_MOST_RATE = 2_000_000;
const LEAST_RATE = 1;
/** Number of unmeasurable rates after which a lower one would not help. */
const UNMEASURABLE_RATES = 3;

/**
 * Finds the highest rate that holds an objective: doubles (or halves) until one holds and one does
 * not, bisects between them, and tries both bounds again in turn, until each stands.
 *
 * A trial that was not valid is repeated and never counts against the target. One that fell short
 * bounds the search; its rate is tried again only if it is a bound at the end, since a lower rate that
 * falls short confirms it.
 */
export async function searchHighestRate(options: SearchOptions): Promise<SearchResult> {
  const book = new TrialBook();
  for (;;) {
    const next = options.isOver(book.count) ? 'not-settled' : nextStep(book, options);
    if (typeof next === 'string') return resultOf(book, next);
    const outcome = await options.trial(next);
    if (outcome === null) return resultOf(book, 'interrupted');
    book.add(next, outcome);
  }
}

function resultOf(book: TrialBook, ending: SearchEnding): SearchResult {
  const { low } = book.bounds;
  // A single trial that fell short may have been a disturbance.
  const isSure = ending !== 'not-settled' || book.hasAgreement(book.bounds.high);
  const high = isSure ? book.bounds.high : null;
  const limitedAt = high !== null && book.isUnmeasurable(high) ? high : null;
  return { low, high: limitedAt === null ? high : book.lowestFallen(), limitedAt, ending };
}

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
    middleOf(bounds) ??
    book.unconfirmedBound(bounds) ??
    endingAt(book, high)
  );
}

/** Ending of a search whose upper bound is final. */
function endingAt(book: TrialBook, high: number): SearchEnding {
  if (!book.isUnmeasurable(high)) return 'found';
  return book.isGeneratorsLimit(high) ? 'generator-limited' : 'machine-disturbed';
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
  return book.isUnmeasurable(high) ? endingAt(book, high) : 'nothing-held';
}

function middleOf({ low, high }: { low: number; high: number }): number | null {
  if ((high - low) / high <= PRECISION) return null;
  const middle = tidyRate((low + high) / 2);
  return middle > low && middle < high ? middle : null;
}

/** Rounds to whole requests per second where that is fine enough. */
const tidyRate = (rate: number): number =>
  rate >= 200 ? Math.round(rate) : Math.round(rate * 100) / 100;
