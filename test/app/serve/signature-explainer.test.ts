import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureExplainer } from '../../../src/app/serve/signature-explainer.ts';
import { checkPairs } from '../../../src/conformance/signature/check-signature.ts';

const PAIRS = { grant_type: 'client_credentials', nostr: 'a1b2c3' };
const KEY = 'key-of-tests';
const UNEXPLAINED = '0'.repeat(32);

/** Searches that were asked for; each takes as long as given. */
function explainerWith(durationMs: number) {
  const searches: unknown[] = [];
  let nowMs = 0;
  const explain = signatureExplainer(
    (pairs, key, signature, search) => {
      searches.push(search);
      nowMs += durationMs;
      return checkPairs(pairs, key, signature, 'singles');
    },
    () => nowMs,
  );
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { explain: () => explain(PAIRS, KEY, UNEXPLAINED), searches, wait };
}

describe('the explanation of wrong signatures by serve', () => {
  it('searches on only if that took at most a twentieth of the time so far', () => {
    const { explain, searches, wait } = explainerWith(300);
    explain();
    explain();
    wait(300 * 19 - 300 - 1);
    explain();
    wait(1);
    explain();
    expect(searches).toEqual(['pairs', 'singles', 'singles', 'pairs']);
  });

  it('searches each time if that takes no time', () => {
    const { explain, searches } = explainerWith(0);
    explain();
    explain();
    expect(searches).toEqual(['pairs', 'pairs']);
  });

  it('names a single mistake in a short search too', () => {
    const singleMd5 = hash('md5', `grant_type=client_credentials&nostr=a1b2c3${KEY}`);
    const explain = signatureExplainer(
      (pairs, key, signature) => checkPairs(pairs, key, signature, 'singles'),
      () => 0,
    );
    expect(explain(PAIRS, KEY, singleMd5)).toContain('(single-md5)');
    expect(explain(PAIRS, KEY, UNEXPLAINED)).toBeNull();
  });
});
