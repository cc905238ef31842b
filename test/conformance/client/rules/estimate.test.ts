import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  outcomeOf,
  query,
  type RuleCase,
  type Twist,
  tokenRequest,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  ['client/estimate-method', [estimate('a')], [estimate('a', { method: 'POST' })], /POST/],
  [
    'client/estimate-content-type',
    [estimate('a')],
    [estimate('a', { headers: { 'content-type': undefined } })],
    /none/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [estimate('a', { headers: { authorization: 'Bearer access-a' } })],
    /no \|/,
  ],
  [
    'client/estimate-authorization',
    [userToken('a'), userEstimate('a', { at: 10 })],
    [userToken('a'), estimate('a', { at: 10 })],
    /platform's header/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [
      tokenRequest('a'),
      estimate('a', { at: 10, headers: { authorization: 'Bearer p-1|refresh-a' } }),
    ],
    /a refresh_token in place/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ to_name: undefined }) })],
    /no to_name/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ start_lat: '116.3' }) })],
    /beyond ±90/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ end_lng: '116,3' }) })],
    /not a number/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a', { target: query({ start_lng: '1e-05', end_lng: '-1.5E+1' }) })],
    [estimate('a', { target: query({ start_lng: '1e-', end_lng: '2e2' }) })],
    /start_lng is "1e-", not a number; end_lng is 2e2, beyond/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a', { target: query({ from_name: '100%25 天' }) })],
    [estimate('a', { target: `${query({ from_name: undefined })}&from_name=%CC%EC` })],
    /not UTF-8 \(as GBK they are "天"\)/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a')],
    [estimate('a', { target: query({ from_name: encodeURIComponent('天') }) })],
    /percent-encoded twice/,
  ],
  [
    'client/departure-time',
    [estimate('a', { target: query({ departure_time: '1772452800' }) })],
    [estimate('a', { target: query({ departure_time: '1772452800000' }) })],
    /milliseconds/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

describe('client/estimate-method', () => {
  it('is a GET of the path, wherever it starts, with the parameters in the query', () => {
    const got = (twist: Twist): string[] =>
      judge('client/estimate-method', [estimate('a', twist)]).got;
    const parameters = query({}).split('?')[1] ?? '';
    expect(got({ target: query({}).replace('/v1', '/v2') })).toEqual([]);
    expect(got({ target: query({}).replace('/v1', '/api/v1.0') })).toEqual([]);
    expect(got({ target: query({}).replace('prices', 'price') })).toEqual([
      'GET /v1/estimates/price',
    ]);
    expect(got({ target: '/v1/estimates/prices', body: parameters })).toEqual([
      'parameters in the body',
    ]);
  });
});

describe('client/estimate-content-type', () => {
  it.each([
    [' Application/X-WWW-Form-Urlencoded ; charset=utf-8', []],
    ['application/json', ['application/json']],
    [undefined, ['none']],
  ])('of %s is %j', (type, faults) => {
    const sent = estimate('a', { headers: { 'content-type': type } });
    expect(judge('client/estimate-content-type', [sent]).got).toEqual(faults);
  });
});

describe('client/estimate-authorization', () => {
  const RULE = 'client/estimate-authorization';
  const carrying = (authorization: string) => estimate('a', { at: 10, headers: { authorization } });

  it('names an unknown partner before the token', () => {
    expect(judge(RULE, [carrying('Bearer p-2|access-a')]).got).toEqual(['the partner id "p-2"']);
  });

  it('names a token that the client never received, where it can have no other', () => {
    const sent = [tokenRequest('a'), estimate('b', { at: 10 })];
    expect(judge(RULE, sent).got).toEqual(['a token it never received']);
    expect(judge(RULE, sent, null, false).got).toEqual([]);
  });

  it('leaves a token of a failed answer to another rule', () => {
    const sent = [tokenRequest('a', { status: 500 }), estimate('a', { at: 10 })];
    expect(judge(RULE, sent).got).toEqual([]);
    const other = [tokenRequest('c', { status: 500 }), estimate('b', { at: 10 })];
    expect(judge(RULE, other).got).toEqual(['a token it never received']);
  });

  it('takes no token from an answer that was cut short', () => {
    const sent = [tokenRequest('a', { took: null }), estimate('a', { at: 10 })];
    expect(judge(RULE, sent).got).toEqual(['a token it never received']);
  });

  it('knows the refresh_token of each token', () => {
    const sent = [
      tokenRequest('c'),
      tokenRequest('a', { at: 5 }),
      carrying('Bearer p-1|refresh-a'),
    ];
    expect(judge(RULE, sent).got).toEqual(['a refresh_token in place of the access_token']);
  });

  it('names a refresh_token only where the client can have no other', () => {
    const sent = [tokenRequest('a'), carrying('Bearer p-1|refresh-a')];
    expect(judge(RULE, sent, null, false).got).toEqual([]);
  });

  it("names a platform's token in the user's header", () => {
    const sent = [tokenRequest('a'), userEstimate('a', { at: 10 })];
    expect(judge(RULE, sent).got).toEqual(["a platform's token in the user's header"]);
  });
});

describe('client/estimate-parameters', () => {
  it.each([
    [{ to_name: ' ' }, ['no to_name']],
    [{ start_lat: '90', end_lat: '-90', start_lng: '180', end_lng: '-180.0' }, []],
    [{ start_lat: '-90.1' }, ['start_lat is -90.1, beyond ±90']],
    [{ end_lat: '90.1' }, ['end_lat is 90.1, beyond ±90']],
    [{ start_lng: '180.1' }, ['start_lng is 180.1, beyond ±180']],
    [{ start_lng: '.55', end_lng: '5.', start_lat: '+1', end_lat: '1E1' }, []],
    [{ start_lat: '.' }, ['start_lat is ".", not a number']],
    [{ start_lat: '1e+' }, ['start_lat is "1e+", not a number']],
    [{ start_lat: 'x1' }, ['start_lat is "x1", not a number']],
    [{ start_lat: '1x' }, ['start_lat is "1x", not a number']],
    [{ start_lat: '1e12x' }, ['start_lat is "1e12x", not a number']],
    [{ start_lat: '12.34e-12' }, []],
    [{ start_lat: '12.x' }, ['start_lat is "12.x", not a number']],
    [{ from_name: undefined, ride_type: '' }, ['no from_name; no ride_type']],
  ] as const)('with %j have the faults %j', (change, faults) => {
    const sent = estimate('a', { target: query(change) });
    expect(judge('client/estimate-parameters', [sent]).got).toEqual(faults);
  });
});

it('warns of a query that may be encoded twice', () => {
  const outcome = (from_name: string) =>
    outcomeOf('client/estimate-encoding', [
      estimate('a', { target: query({ from_name, to_name: 'b' }) }),
    ]);
  expect(outcome('Gate%20A').warnings).toMatchObject([
    { got: expect.stringContaining('may be percent-encoded twice') },
  ]);
  expect(outcome('Gate A').warnings).toEqual([]);
});

describe('client/departure-time', () => {
  const outcome = (departure_time: string | undefined) =>
    outcomeOf('client/departure-time', [estimate('a', { target: query({ departure_time }) })]);

  it.each([
    ['999999999', ['departure_time="999999999"']],
    ['0123456789', ['departure_time="0123456789"']],
    ['17724528000', ['departure_time="17724528000"']],
    ['x1772452800', ['departure_time="x1772452800"']],
    ['1772452800x', ['departure_time="1772452800x"']],
    [' 1772452800', ['departure_time=" 1772452800"']],
    ['1772452800 ', ['departure_time="1772452800 "']],
    ['1772452800000', ['departure_time="1772452800000", which is milliseconds']],
    ['17724528000000', ['departure_time="17724528000000"']],
    ['x1772452800000', ['departure_time="x1772452800000"']],
    ['', []],
    ['1772452800', []],
  ])('of %s has the faults %j', (time, faults) => {
    expect(outcome(time).violations.map(({ got }) => got)).toEqual(faults);
  });

  it('says whether it was sent at all', () => {
    expect(outcome('1772452800').passed).toBe('departure_time is a Unix time in seconds');
    expect(outcome(undefined).passed).toContain('is never sent');
    expect(outcome('').passed).toContain('is never sent');
    const sent = [
      estimate('a', { target: query({ departure_time: '1772452800' }) }),
      estimate('a'),
    ];
    expect(outcomeOf('client/departure-time', sent).passed).not.toContain('never sent');
  });
});
