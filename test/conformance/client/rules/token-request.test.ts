import { describe, expect, it } from 'vitest';
import {
  estimate,
  expectJudgement,
  judge,
  outcomeOf,
  type RuleCase,
  refresh,
  tokenRequest,
  tokens,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/path-version',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/oauth/token' })],
    /oauth/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it.each(['GET', 'HEAD'])('ignores a %s of the health check', (method) => {
  const traffic = [estimate('a', { target: '/healthz', method })];
  expect(judge('client/path-version', traffic)).toMatchObject({ got: [], judged: 0 });
});

it('leaves bytes that are no request to other rules', () => {
  const bytes = { ...estimate('a', { target: '/x' }), malformed: true };
  expect(judge('client/path-version', [bytes])).toMatchObject({ got: [], judged: 0 });
});

it.each<RuleCase>([
  ['client/token-method', [tokenRequest('a')], [tokenRequest('a', { method: 'PUT' })], /PUT/],
  [
    'client/token-method',
    [tokenRequest('a')],
    [tokenRequest('a', { target: '/v1/token' })],
    /v1\/token/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a', { headers: { 'content-type': 'application/json; charset=utf-8' } })],
    [tokenRequest('a', { headers: { 'content-type': 'text/plain' } })],
    /text\/plain/,
  ],
  [
    'client/token-content-type',
    [tokenRequest('a')],
    [tokenRequest('a', { body: 'grant_type=client_credentials' })],
    /not a JSON object/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: 'Basic p-1:x' } })],
    /scheme Basic, no \|/,
  ],
  [
    'client/token-authorization',
    [tokenRequest('a')],
    [tokenRequest('a', { headers: { authorization: `Bearer p-2|${'0'.repeat(32)}` } })],
    /partner id "p-2"/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: undefined } })],
    /without nostr/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 123456 } })],
    /nostr is a number/,
  ],
  [
    'client/grant-fields',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { grant_type: 'x' } })],
    /grant_type is "x"/,
  ],
  [
    'client/grant-fields',
    [userToken('a')],
    [userToken('a', { fields: { auth_code: undefined } })],
    /auth_code/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it.each<RuleCase>([
  [
    'client/timestamp-iso8601',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { _: '1772452800' } })],
    /1772452800/,
  ],
  [
    'client/timestamp-fresh',
    [tokenRequest('a', { fields: { _: '2026-03-02T20:09:59+08:00' } })],
    [tokenRequest('a', { fields: { _: '2026-03-02T20:00:00' } })],
    /ahead; without a zone/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c3d' } })],
    /a1B2c3d/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c-' } })],
    /a1B2c-/,
  ],
  [
    'client/nostr-random',
    tokens(2),
    tokens(2, (at) => ({ at, fields: { nostr: 'a1B2c3' } })),
    /second time/,
  ],
  [
    'client/scope-known',
    [userToken('a')],
    [tokenRequest('a', { fields: { scope: 'public,rides.read' } })],
    /public,rides/,
  ],
  [
    'client/scope-on-behalf',
    [userToken('a')],
    [userToken('a', { fields: { scope: 'public' } })],
    /rides.read, rides.request/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

describe('client/token-content-type', () => {
  const got = (type: string | undefined, twist = {}) =>
    judge('client/token-content-type', [
      tokenRequest('a', { headers: { 'content-type': type }, ...twist }),
    ]);

  it('is of any case, with any parameter, and required', () => {
    expect(got(' Application/JSON ; charset=utf-8').got).toEqual([]);
    expect(got(undefined).got).toEqual(['Content-Type: none']);
    expect(got('application/jsonp').got).toEqual(['Content-Type: application/jsonp']);
  });

  it('is not judged without a body', () => {
    expect(got(undefined, { method: 'GET', body: '' })).toMatchObject({ got: [], judged: 0 });
  });

  it('names what keeps a body from being JSON', () => {
    expect(got('application/json', { body: '\ufeff{"grant_type":"x"}' }).got).toEqual([
      'a BOM before JSON',
    ]);
    expect(got('application/json', { body: '[]' }).got).toEqual([
      'a body that is not a JSON object',
    ]);
  });
});

it('takes the header of a user for none of a token request', () => {
  const authorization = `Bearer p-1|${'0'.repeat(32)} openid|access-a`;
  const { got } = judge('client/token-authorization', [
    tokenRequest('a', { headers: { authorization } }),
  ]);
  expect(got).toEqual(['Bearer ID|SIGN openid|TOKEN']);
});

describe('client/grant-fields', () => {
  const got = (fields: Record<string, unknown>): string[] =>
    judge('client/grant-fields', [tokenRequest('a', { fields })]).got;

  it.each([
    [{ _: undefined }, ['client_credentials without _']],
    [{ _: 17 }, ['_ is a number: 17']],
    [{ nostr: '' }, ['client_credentials without nostr']],
    [{ nostr: null }, ['client_credentials without nostr']],
    [{ scope: 7 }, ['scope is not a string: 7']],
    [{ scope: null }, []],
    [{ scope: undefined }, []],
    [{ refresh_token: 7, auth_code: 7 }, []],
    [{ grant_type: 'refresh_token' }, ['refresh_token without refresh_token']],
    [{ grant_type: 'refresh_token', refresh_token: 7 }, ['refresh_token is a number: 7']],
    [{ grant_type: 'authorization_code' }, ['authorization_code without auth_code']],
    [
      { grant_type: undefined },
      ['grant_type is nothing, none of client_credentials, refresh_token, authorization_code'],
    ],
  ])('of %j are %j', (fields, faults) => {
    expect(got(fields)).toEqual(faults);
  });

  it('are not judged in a body that cannot be read', () => {
    const outcome = judge('client/grant-fields', [tokenRequest('a', { body: 'x' })]);
    expect(outcome).toEqual({
      got: [],
      judged: 0,
      missing: 'no token request with a readable body was sent',
    });
  });
});

describe('client/timestamp-fresh', () => {
  const RULE = 'client/timestamp-fresh';
  const sent = (text: unknown, at = 0) => tokenRequest('a', { at, fields: { _: text } });

  it.each([
    ['2026-03-02T11:50:00Z', []],
    ['2026-03-02T11:49:59Z', ['_ is "2026-03-02T11:49:59Z", 601 s behind']],
    ['2026-03-02T12:10:00Z', []],
    ['2026-03-02T12:10:01Z', ['_ is "2026-03-02T12:10:01Z", 601 s ahead']],
    [
      '2026-03-02T20:00:00',
      ['_ is "2026-03-02T20:00:00", 28800 s ahead; without a zone it is taken as UTC'],
    ],
  ])('of %s at noon finds %j', (text, faults) => {
    expect(judge(RULE, [sent(text)])).toMatchObject({ got: faults, judged: 1 });
  });

  it.each([undefined, '', 17, 'now'])('is not judged without a time: %j', (text) => {
    expect(judge(RULE, [sent(text)])).toMatchObject({ got: [], judged: 0 });
  });

  it.each([
    ['2026-03-02T12:00:00Z', 2000, []],
    ['2026-03-02T12:00:00Z', 2001, ['_ is "2026-03-02T12:00:00Z" again, 2 s after x1']],
    ['2026-03-02T12:00:00.5Z', 2600, ['_ is "2026-03-02T12:00:00.5Z" again, 3 s after x1']],
    ['20260302T120000Z', 2001, ['_ is "20260302T120000Z" again, 2 s after x1']],
    ['2026-03-02T12:00Z', 61_000, []],
    ['2026-03-02T12:00Z', 61_001, ['_ is "2026-03-02T12:00Z" again, 61 s after x1']],
    ['2026-03-02T12Z', 3_601_000, []],
  ])('warns of a clock that is read once: %s again after %d ms', (text, at, warnings) => {
    const outcome = outcomeOf(RULE, [sent(text), sent(text, at)]);
    expect(outcome.warnings?.map(({ got }) => got)).toEqual(warnings);
    for (const warning of outcome.warnings ?? []) {
      expect(warning).toMatchObject({ exchange: 'x2', related: ['x1'] });
    }
  });

  it('warns of no time that is not one', () => {
    expect(outcomeOf(RULE, [sent('now'), sent('now', 4_000_000)]).warnings).toEqual([]);
  });

  it('warns of no time that is another', () => {
    const traffic = [sent('2026-03-02T12:00:00Z'), sent('2026-03-02T12:00:09Z', 9000)];
    expect(outcomeOf(RULE, traffic).warnings).toEqual([]);
  });
});

describe('client/timestamp-iso8601', () => {
  it('is judged where `_` is sent', () => {
    const of = (_: unknown) =>
      judge('client/timestamp-iso8601', [tokenRequest('a', { fields: { _ } })]);
    expect(of(undefined)).toMatchObject({ judged: 0, missing: expect.stringContaining('`_`') });
    expect(of('')).toMatchObject({ judged: 0 });
    expect(of(17)).toMatchObject({ judged: 1, got: ['_ is 17'] });
    expect(of(['2026-03-02T12:00:00Z']).got).toEqual(['_ is ["2026-03-02T12:00:00Z"]']);
  });
});

describe('client/nostr', () => {
  it.each([
    ['a1B2c', 1],
    ['a1B2c3', 0],
    ['a1B2c34', 1],
    ['ä1B2c3', 1],
    [123456, 0],
  ])('%j has %d faults', (nostr, faults) => {
    expect(judge('client/nostr', [tokenRequest('a', { fields: { nostr } })])).toMatchObject({
      got: { length: faults },
      judged: 1,
    });
  });

  it('is not judged where it is left out', () => {
    expect(judge('client/nostr', [tokenRequest('a', { fields: { nostr: '' } })]).judged).toBe(0);
  });
});

describe('client/nostr-random', () => {
  const sent = (nostr: unknown, at: number) => tokenRequest('a', { at, fields: { nostr } });

  it('needs two that are sent', () => {
    const one = judge('client/nostr-random', [sent('a1B2c3', 0), sent('', 1), sent(undefined, 2)]);
    expect(one).toEqual({ got: [], judged: 0, missing: 'no second token request was sent' });
    expect(judge('client/nostr-random', [sent('a1B2c3', 0), sent('a1B2c4', 1)]).judged).toBe(2);
  });

  it('names the first with it', () => {
    const { violations, judged } = outcomeOf('client/nostr-random', [
      sent('a1B2c3', 0),
      sent('a1B2c4', 1),
      sent('a1B2c3', 2),
    ]);
    expect(judged).toEqual(['x1', 'x2', 'x3']);
    expect(violations).toMatchObject([
      { exchange: 'x3', related: ['x1'], got: 'nostr "a1B2c3" a second time, as in x1' },
    ]);
  });
});

describe('scopes', () => {
  const of = (rule: string, fields: Record<string, unknown>) =>
    judge(rule, [userToken('a', { fields })]);

  it.each([
    ['public  profile', []],
    ['', []],
    [' ', []],
    [null, []],
    ['fly public swim', ['the scope "fly", "swim"']],
    [['public'], [String.raw`the scope "[\"public\"]"`]],
  ])('of %j: unknown are %j', (scope, faults) => {
    expect(of('client/scope-known', { scope }).got).toEqual(faults);
  });

  it('for a user are three, in any order', () => {
    const scope = 'rides.request public rides.read profile';
    expect(of('client/scope-on-behalf', { scope }).got).toEqual([]);
    expect(of('client/scope-on-behalf', { scope: 'rides.read' }).got).toEqual([
      'a request without public, rides.request',
    ]);
    expect(
      judge('client/scope-on-behalf', [tokenRequest('a'), refresh('a', 'b', { at: 1 })]),
    ).toEqual({ got: [], judged: 0, missing: "no request for a user's token was sent" });
  });
});
