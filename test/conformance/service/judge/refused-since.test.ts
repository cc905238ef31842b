import { describe, expect, it } from 'vitest';
import { refusedSince } from '../../../../src/conformance/service/judge/refused-since.ts';

const BASE = 'https://a.example';
const PATHS = ['/v1/oauth/token', '/v1/estimates/prices?start_lat=1'];
type Exchanges = Parameters<typeof refusedSince>[1];

/** Right requests for tokens and estimates of three partners in turn, a second apart, by their statuses. */
const run = (statuses: readonly number[], more: Partial<Exchanges[number]> = {}): Exchanges =>
  statuses.map((status, at) => ({
    id: `x${at + 1}`,
    at: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
    request: { method: 'GET', url: `${BASE}${PATHS[at % 2]!}`, headers: {}, body: null },
    response: { status, headers: {}, body: '', bodyBytes: 0, truncated: false },
    expects: 'accepted',
    partnerId: `partner-${at % 3}`,
    ...more,
  }));

const refusals = (count: number): number[] => Array.from({ length: count }, () => 403);

describe('a refusal after which a target refused all right requests', () => {
  it('proves nothing', () => {
    expect(refusedSince('x2', run([200, ...refusals(10)]), BASE)).toMatch(
      /^from then on .* all 10/,
    );
  });

  it.each([
    ['an earlier one', 'x2', run([200, ...refusals(10), 200])],
    ['too few', 'x2', run([200, ...refusals(9)])],
    ['one partner only', 'x2', run([200, ...refusals(10)], { partnerId: 'partner-0' })],
    ['requests that are to be refused', 'x2', run([200, ...refusals(10)], { expects: 'refused' })],
    [
      'estimates of which none was refused',
      'x2',
      run([200, ...refusals(20)]).filter((_one, at) => at < 1 || at % 2 === 0),
    ],
    ['nothing accepted before', 'x1', run(refusals(12))],
    [
      'requests to another address',
      'x2',
      run([200, ...refusals(10)]).map((one) => ({
        ...one,
        request: { ...one.request, url: 'https://b.example/' },
      })),
    ],
  ])('stands with %s', (_words, id, exchanges) => {
    expect(refusedSince(id, exchanges, BASE)).toBeNull();
  });

  it('stands where a day passed before it: the target may have changed by that', () => {
    const [first, ...later] = run([200, ...refusals(10)]);
    const exchanges = [{ ...first!, at: '2025-12-31T00:00:00.000Z' }, ...later];
    expect(refusedSince('x2', exchanges, BASE)).toBeNull();
  });
});
