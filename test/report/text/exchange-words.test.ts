import { expect, it } from 'vitest';
import { byteWords, cutWords } from '../../../src/report/text/exchange-words.ts';

const answer = { status: 200, headers: {}, body: '', bodyBytes: 5213, truncated: true };

it.each([
  [{ bodyBytes: 5213, headerFields: 0 }, 'cut 5,213 bytes'],
  [{ bodyBytes: 0, headerFields: 3 }, 'cut 3 header fields'],
  [{ bodyBytes: 5213, headerFields: 3 }, 'cut 5,213 bytes and 3 header fields'],
  // A certification does not count what it leaves out.
  [undefined, 'stored in part'],
])('a cut answer says what is left out: %j', (cut, words) => {
  const response = { ...answer, ...(cut && { cut }) };
  expect(cutWords(response)).toBe(words);
  const request = { method: 'GET', url: 'http://x/', headers: {}, body: null };
  const times = { at: '2026-01-31T09:00:00.000Z', durationMs: 1 };
  const exchange = { id: 'x1', purpose: '', partnerId: null, error: null, request, response };
  expect(byteWords({ ...exchange, ...times }).received).toBe(
    // Of header fields that were cut, none is said to be missing.
    `5,213 bytes received; ${cut?.headerFields ? '' : 'no Content-Length; '}${words}`,
  );
});

it('a whole answer has no such words', () => {
  expect(cutWords({ ...answer, truncated: false })).toBeNull();
});
