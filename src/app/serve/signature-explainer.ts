import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { MOST_SEARCHED_FIELDS } from '../../conformance/signature/check-signature.ts';
import type { ServerOptions } from '../../server/index.ts';
import { namedMistakes, type SearchQuestion } from './mistake-search.ts';

const THREAD = new URL('./search-thread.js', import.meta.url);

/** Longest search for a mistake, in milliseconds. */
const LONGEST_SEARCH_MS = 5000;
/** Wrong signatures that wait for their search. */
const MOST_WAITING = 8;
/** A whole search is followed by this many times its own duration without another. */
const REST_BY_DURATION = 19;

/** Looks for the mistake of one signature at a time. */
export interface MistakeSearcher {
  /** The mistakes in words; null if none is known, or once the search is given up. */
  search(question: SearchQuestion): Promise<string | null>;
  /** Gives up the search under way. */
  giveUp(): void;
}

/**
 * Names the mistake behind a wrong signature, for the server's refusal, or says why none was looked for:
 * too many fields, too long a search, too many others. The search is in a thread of its own, so no other
 * request waits for it. One through rare mistakes and several at once takes a few hundred milliseconds, so
 * these get one twentieth of the time: a client that sends one wrong signature after another hears of single
 * mistakes only.
 *
 * @param nowMs a clock, in milliseconds
 */
export function signatureExplainer(
  nowMs: () => number,
  searcher: MistakeSearcher = existsSync(THREAD) ? searchInThread() : SEARCH_HERE,
): NonNullable<ServerOptions['explainSignature']> {
  let restsUntilMs = 0;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const search = async (asked: Omit<SearchQuestion, 'search'>): Promise<string | null> => {
    const startMs = nowMs();
    const isWhole = startMs >= restsUntilMs;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      searcher.giveUp();
    }, LONGEST_SEARCH_MS).unref();
    const found = await searcher.search({ ...asked, search: isWhole ? 'combined' : 'single' });
    clearTimeout(timer);
    const endMs = nowMs();
    if (isWhole) restsUntilMs = endMs + (endMs - startMs) * REST_BY_DURATION;
    return isLate ? unexplained(`the search took more than ${LONGEST_SEARCH_MS / 1000} s`) : found;
  };
  return (pairs, signingKey, signature) => {
    const fieldCount = Object.keys(pairs).length;
    if (fieldCount === 0) return null;
    if (fieldCount > MOST_SEARCHED_FIELDS)
      return unexplained(`it has more than ${MOST_SEARCHED_FIELDS} fields`);
    if (waiting === MOST_WAITING) return unexplained('too many others are wrong at this time');
    waiting++;
    const found = last
      .then(() => search({ pairs, signingKey, signature }))
      .finally(() => {
        waiting--;
      });
    last = found;
    return found;
  };
}

/** Said of "the signature". */
const unexplained = (why: string): string => `was not explained, because ${why}`;

/** Used where the thread is not compiled (when running from source). */
const SEARCH_HERE: MistakeSearcher = {
  search: (question) => Promise.resolve(namedMistakes(question)),
  giveUp: () => undefined,
};

/** Searches in a thread, which ends with a search that is given up; the next one starts another. */
function searchInThread(): MistakeSearcher {
  let worker: Worker | null = null;
  const start = (): Worker => {
    const started = new Worker(THREAD);
    // A thread that fails ends as well.
    started.on('error', () => undefined);
    started.unref();
    return started;
  };
  return {
    search: (question) => {
      const asked = (worker ??= start());
      return new Promise((resolve) => {
        const settle = (found: string | null): void => {
          asked.off('exit', end).off('message', settle);
          resolve(found);
        };
        const end = (): void => {
          worker = null;
          settle(null);
        };
        asked.once('message', settle).once('exit', end);
        asked.postMessage(question);
      });
    },
    giveUp: () => void worker?.terminate(),
  };
}
