import { expect, it } from 'vitest';
import { outcomeOf } from '../../../../src/conformance/service/replay/outcome.ts';
import type { Exchange } from '../../../../src/documents/exchange.ts';

const answer = (status: number): Exchange['response'] => ({
  status,
  headers: {},
  body: '',
  bodyBytes: 0,
  truncated: false,
});

it.each<[Exchange['expects'], number, string, string | null, RegExp]>([
  ['accepted', 200, 'as-expected', 'accepted', /^accepted \(status 200\), as it must be$/],
  ['accepted', 400, 'not-as-expected', 'accepted', /^refused \(status 400\), and it must be accep/],
  ['accepted', 201, 'not-as-expected', 'accepted', /^refused \(status 201\)/],
  ['refused', 400, 'as-expected', 'refused', /^refused \(status 400\), as it must be$/],
  ['refused', 200, 'not-as-expected', 'refused', /^accepted \(status 200\), and it must be refus/],
  ['refused', 429, 'inconclusive', 'refused', /^status 429 shows a rate limit/],
  ['accepted', 503, 'inconclusive', 'accepted', /^status 503 shows a rate limit/],
  ['either', 400, 'answered', null, /^refused \(status 400\)$/],
  ['either', 200, 'answered', null, /^accepted \(status 200\)$/],
  // An older run, or a certification, says of no request what must come.
  [undefined, 400, 'answered', null, /^refused \(status 400\)$/],
])(
  'a request that must be %s, with status %d, is %s',
  (expects, status, verdict, expected, why) => {
    const outcome = outcomeOf({ expects, response: answer(status), error: null });
    expect(outcome).toEqual({ verdict, expected, reason: expect.stringMatching(why) });
  },
);

it('is not decided without an answer', () => {
  const error = { code: 'TIMEOUT', message: 'no answer within 1 s' };
  const without = { expects: 'refused', response: null } as const;
  expect(outcomeOf({ ...without, error })).toMatchObject({
    verdict: 'inconclusive',
    expected: 'refused',
    reason: 'no answer within 1 s (TIMEOUT)',
  });
  expect(outcomeOf({ ...without, error: null })).toMatchObject({ reason: 'no response came' });
});
