import { hash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { namedMistakes, type SearchQuestion } from '../../../src/app/serve/mistake-search.ts';
import {
  type MistakeSearcher,
  signatureExplainer,
} from '../../../src/app/serve/signature-explainer.ts';

const PAIRS = { grant_type: 'client_credentials', nostr: 'a1b2c3' };
const KEY = 'key-of-tests';
const UNEXPLAINED = '0'.repeat(32);

/** Searches that were asked for; each takes as long as given. */
function explainerWith(durationMs: number) {
  const searches: unknown[] = [];
  let nowMs = 0;
  const searcher: MistakeSearcher = {
    search: async ({ search }) => {
      searches.push(search);
      nowMs += durationMs;
      return null;
    },
    giveUp: () => undefined,
  };
  const explain = signatureExplainer(() => nowMs, searcher);
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { explain: async () => explain(PAIRS, KEY, UNEXPLAINED), searches, wait };
}

/** A searcher whose searches end by hand. */
function heldSearcher() {
  const held: ((found: string | null) => void)[] = [];
  let given = 0;
  const searcher: MistakeSearcher = {
    search: () => new Promise((resolve) => void held.push(resolve)),
    giveUp: () => {
      given++;
      held.shift()?.(null);
    },
  };
  return { searcher, held, givenUp: () => given };
}

const fieldsOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, 'v']));

describe('the explanation of wrong signatures by serve', () => {
  it('searches on only if that took at most a twentieth of the time so far', async () => {
    const { explain, searches, wait } = explainerWith(300);
    await explain();
    await explain();
    wait(300 * 19 - 300 - 1);
    await explain();
    wait(1);
    await explain();
    expect(searches).toEqual(['combined', 'single', 'single', 'combined']);
  });

  it('searches each time if that takes no time', async () => {
    const { explain, searches } = explainerWith(0);
    await explain();
    await explain();
    expect(searches).toEqual(['combined', 'combined']);
  });

  it('names a single mistake in a short search too', () => {
    const singleMd5 = hash('md5', `grant_type=client_credentials&nostr=a1b2c3${KEY}`);
    const asked: SearchQuestion = {
      pairs: PAIRS,
      signingKey: KEY,
      signature: singleMd5,
      search: 'single',
    };
    expect(namedMistakes(asked)).toContain('(single-md5)');
    expect(namedMistakes({ ...asked, signature: UNEXPLAINED })).toBeNull();
  });

  it('searches in no request of more than 100 fields, or of none, and says so', async () => {
    const { searcher, held } = heldSearcher();
    const explain = signatureExplainer(() => 0, searcher);
    const words = 'was not explained, because it has more than 100 fields';
    expect(await explain(fieldsOf(101), KEY, UNEXPLAINED)).toBe(words);
    expect(await explain({}, KEY, UNEXPLAINED)).toBeNull();
    void explain(fieldsOf(100), KEY, UNEXPLAINED);
    await expect.poll(() => held.length).toBe(1);
  });

  it('gives up a search after five seconds, says so, and continues with the next', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { searcher, held, givenUp } = heldSearcher();
    const explain = signatureExplainer(() => 0, searcher);
    const late = explain(PAIRS, KEY, UNEXPLAINED);
    const next = explain(PAIRS, KEY, UNEXPLAINED);
    await vi.advanceTimersByTimeAsync(4999);
    expect(givenUp()).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toBe('was not explained, because the search took more than 5 s');
    expect([held.length, givenUp()]).toEqual([1, 1]);
    held.shift()?.('is a single MD5');
    expect(await next).toBe('is a single MD5');
  });

  it('lets eight signatures wait, and tells the ninth that it does not search', async () => {
    const { searcher, held } = heldSearcher();
    const explain = signatureExplainer(() => 0, searcher);
    const waiting = Array.from({ length: 8 }, async () => explain(PAIRS, KEY, UNEXPLAINED));
    const words = 'was not explained, because too many others are wrong at this time';
    expect(await explain(PAIRS, KEY, UNEXPLAINED)).toBe(words);
    for (const one of waiting) {
      await expect.poll(() => held.length).toBe(1);
      held.shift()?.(null);
      expect(await one).toBeNull();
    }
    void explain(PAIRS, KEY, UNEXPLAINED);
    await expect.poll(() => held.length).toBe(1);
  });
});
