import { expect, it } from 'vitest';
import { judgeClient } from '../../../../src/conformance/client/judging/judge-client.ts';
import { listeningRecord } from '../../../../src/conformance/client/judging/rule-result.ts';
import { estimate, observe, tokenRequest } from '../client-traffic.ts';

/** A pool that is filled as its tokens are needed. */
function pooled(size: number, estimates: number): ReturnType<typeof listeningRecord> {
  const exchanges = Array.from({ length: estimates }, (_, nth) => [
    ...(nth < size ? [tokenRequest(`t${nth}`, { at: nth * 1000 })] : []),
    estimate(`t${nth % size}`, { at: nth * 1000 + 100 }),
  ]);
  return listeningRecord(observe(exchanges.flat()), true);
}

const verdictOnReuse = (records: Parameters<typeof judgeClient>[0]): string | undefined =>
  judgeClient(records, null).rules.find(({ id }) => id === 'client/token-reused')?.verdict;

it('excuses a pool that is larger than one scenario needs, as another shows it in use', () => {
  expect(verdictOnReuse([pooled(5, 5), pooled(5, 12)])).toBe('pass');
  expect(verdictOnReuse([pooled(9, 9), pooled(9, 11)])).toBe('pass');
  expect(verdictOnReuse([pooled(7, 7), pooled(5, 12)])).toBe('warn');
});

it('leaves open whether there is a pool where each token was used once, unless there are too many', () => {
  expect(verdictOnReuse([pooled(5, 5)])).toBe('untestable');
  expect(verdictOnReuse([pooled(10, 10)])).toBe('untestable');
  expect(verdictOnReuse([pooled(11, 11)])).toBe('warn');
});

it('excuses a pool of short-lived tokens that is filled while the first of them end', () => {
  const filled = Array.from({ length: 5 }, (_, nth) => [
    tokenRequest(`t${nth}`, { at: nth * 1500 }, 2),
    estimate(`t${nth}`, { at: nth * 1500 + 100 }),
  ]);
  const short = listeningRecord(observe(filled.flat()), true);
  const verdictOn = (records: Parameters<typeof judgeClient>[0]): string | undefined =>
    judgeClient(records, null).rules.find(({ id }) => id === 'client/expired-refreshed')?.verdict;
  expect(verdictOn([short, pooled(1, 12)])).toBe('warn');
  expect(verdictOn([short, pooled(5, 12)])).toBe('untestable');
});
