import { describe, expect, it } from 'vitest';
import { tokenObservations } from '../../../../../src/conformance/service/rules/token/response.ts';
import { judged, token } from '../seen.ts';

const ANSWER = {
  access_token: 'a',
  refresh_token: 'r',
  expires_in_second: 3600,
  token_type: 'bearer',
  scope: 'public',
};

const CLIENT = { grant_type: 'client_credentials' };
const REFRESH = { grant_type: 'refresh_token', refresh_token: 'r' };
const EXCHANGE = { grant_type: 'authorization_code', auth_code: 'c' };

const judgeToken = (rule: string, ...tokens: readonly ReturnType<typeof token>[]) =>
  judged(tokenObservations, `token/${rule}`, { requests: tokens });

const judgeWithControl = (rule: string, ...tokens: readonly ReturnType<typeof token>[]) =>
  judged(tokenObservations, `token/${rule}`, {
    requests: tokens,
    facts: { shapes: ['plain'], metered: false },
  });

describe('a field of a token answer', () => {
  it.each<[rule: string, field: string, good: readonly unknown[], bad: readonly unknown[]]>([
    ['response-access-token', 'access_token', ['a'], ['', 1, null, undefined, ['a']]],
    ['response-refresh-token', 'refresh_token', ['r'], ['', 1, null, undefined, {}]],
    ['response-expires', 'expires_in_second', [1, 3600], [0, -1, 1.5, '3600', null, undefined]],
    [
      'response-token-type',
      'token_type',
      ['bearer', 'bear', 'Bearer', 'BEAR'],
      ['', 'bea', 'bearers', 'a bearer', 'basic', 1, undefined, ['bearer']],
    ],
    ['scope-default', 'scope', ['public', ' public '], ['', 'all', 'public x', 1, undefined]],
  ])('%s: %s', (rule, field, good, bad) => {
    for (const value of good) {
      const { verdict } = judgeToken(rule, token({ json: { ...ANSWER, [field]: value } }));
      expect([value, verdict]).toEqual([value, 'pass']);
    }
    for (const value of bad) {
      const judgement = judgeToken(rule, token({ json: { ...ANSWER, [field]: value } }), token());
      expect([value, judgement.verdict]).toEqual([value, 'violated']);
      expect(judgement.reason).toMatch(/\(in 1 of 2 answers\)$/);
    }
  });

  it('is absent in a body that is no object', () => {
    for (const json of [undefined, null, 'text', []])
      expect(judgeToken('response-expires', token({ json }))).toMatchObject({
        verdict: 'violated',
        reason: expect.stringContaining('expires_in_second is absent'),
      });
  });

  it.each(['response-access-token', 'response-expires', 'scope-default'])(
    'is not absent in an answer that was not read to its end: %s',
    (rule) => {
      const unread = token({ json: undefined, truncated: true });
      expect(judgeToken(rule, unread).verdict).toBe('inconclusive');
      expect(judgeToken(rule, unread, token()).verdict).toBe('pass');
    },
  );

  it('of a secret is not shown', () => {
    const { reason } = judgeToken('response-access-token', token({ json: { access_token: 7 } }));
    expect(reason).toMatch(/^access_token is a number, no string/);
    expect(judgeToken('response-access-token', token({ json: {} })).reason).toMatch(/is absent/);
  });
});

describe('token/scope-default', () => {
  it('is judged where no scope was asked for, and not over a refresh', () => {
    const wide = { json: { ...ANSWER, scope: 'all' } };
    expect(judgeToken('scope-default', token(wide, { ...CLIENT, scope: 'all' })).verdict).toBe(
      'inconclusive',
    );
    expect(judgeToken('scope-default', token(wide, REFRESH)).verdict).toBe('inconclusive');
    expect(judgeToken('scope-default', token(wide, EXCHANGE)).verdict).toBe('violated');
  });
});

describe('token/response-status', () => {
  it.each([
    [200, 'pass'],
    [201, 'violated'],
    [202, 'violated'],
  ])('of a token with status %d: %s', (status, verdict) => {
    expect(judgeToken('response-status', token({ status })).verdict).toBe(verdict);
  });
});

describe('token/response-content-type', () => {
  const judgeType = (contentType: string | undefined, changes: Parameters<typeof token>[0] = {}) =>
    judgeToken(
      'response-content-type',
      token({
        headers: contentType === undefined ? {} : { 'content-type': contentType },
        ...changes,
      }),
    );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf8"',
    'text/plain; charset = utf-8; x=y',
    undefined,
  ])('takes %s', (contentType) => {
    expect(judgeType(contentType).verdict).toBe('pass');
  });

  it.each([
    'application/json; charset=gbk',
    'application/json; charset="iso-8859-1"',
    'application/json; charset=utf-16',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-88',
    'application/json;charset=gbk',
    'application/json;  charset =gbk',
  ])('refuses %s', (contentType) => {
    expect(judgeType(contentType)).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('names the charset'),
    });
  });

  it.each([
    ['not UTF-8', { body: '{"scope": "\uFFFD"}' }],
    ['not JSON', { json: undefined }],
    ['byte order mark', { body: '\uFEFF{}' }],
  ])('is violated by a body that has: %s', (what, changes) => {
    expect(judgeType('application/json', changes)).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining(what),
    });
    expect(judgeType('application/json', { ...changes, truncated: true }).verdict).toBe('pass');
  });
});

describe.each([
  ['grant-client-credentials', CLIENT, REFRESH],
  ['grant-refresh-token', REFRESH, CLIENT],
  ['grant-authorization-code', EXCHANGE, CLIENT],
] as const)('token/%s', (rule, fields, otherFields) => {
  const atOnce = token({ outcome: 'refused', status: 400 }, fields);
  const refused = { ...atOnce, isRested: true };
  const broken = token({ outcome: 'broken', status: 0, failure: 'reset' }, fields);
  const other = token({}, otherFields);
  const otherRefused = token({ outcome: 'refused', status: 400 }, otherFields);

  it('passes if one succeeded', () => {
    const accepted = token({}, fields);
    expect(judgeToken(rule, refused, broken, accepted)).toMatchObject({
      verdict: 'pass',
      exchanges: [accepted.answer.exchange],
    });
  });

  it('is violated if it was refused every time, while another grant succeeded', () => {
    expect(judgeWithControl(rule, broken, refused, otherRefused, other)).toMatchObject({
      verdict: 'violated',
      keyExchange: refused.answer.exchange,
      exchanges: [refused.answer.exchange],
      reason: expect.stringContaining('status 400'),
    });
    expect(judgeToken(rule, refused, refused).verdict).toBe('violated');
  });

  it('is open if it was refused once, where partners are metered', () => {
    expect(judgeToken(rule, refused)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('may be by chance'),
      exchanges: [refused.answer.exchange],
    });
    expect(judgeWithControl(rule, refused).verdict).toBe('violated');
  });

  it('is open if each refused request came among others, where partners are metered', () => {
    expect(judgeToken(rule, atOnce, atOnce)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('may limit its rate'),
    });
    expect(judgeToken(rule, atOnce, refused).verdict).toBe('violated');
    expect(judgeWithControl(rule, atOnce).verdict).toBe('violated');
  });

  it('is open if first requests of new partners are refused alike, and others succeed', () => {
    const first = { ...otherRefused, firstOfFresh: true };
    expect(judgeWithControl(rule, refused, first, other)).toMatchObject({
      verdict: 'inconclusive',
      exchanges: [refused.answer.exchange, first.answer.exchange],
    });
    const unlike = {
      ...token({ outcome: 'refused', status: 403 }, otherFields),
      firstOfFresh: true,
    };
    expect(judgeWithControl(rule, refused, unlike, other).verdict).toBe('violated');
    const withoutToken = token({ outcome: 'refused', status: 201 }, fields);
    const accepted = { ...token({ status: 201 }, otherFields), firstOfFresh: true };
    expect(judgeWithControl(rule, withoutToken, accepted).verdict).toBe('violated');
  });

  it('is open if metered platform requests within the allowance are refused alike', () => {
    const isOfPlatform = otherFields === CLIENT;
    const verdict = isOfPlatform ? 'inconclusive' : 'violated';
    expect(judgeToken(rule, refused, refused, otherRefused, other).verdict).toBe(verdict);
    const withScope = token(
      { outcome: 'refused', status: 400 },
      { ...otherFields, scope: 'rides.read' },
    );
    expect(judgeToken(rule, refused, refused, withScope, other).verdict).toBe('violated');
  });

  it('is open if the partner that was refused is accepted for nothing, where partners are metered', () => {
    const ofOther = { ...other, partnerId: 'p-2' };
    expect(judgeToken(rule, refused, ofOther)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('was refused only as p-1'),
      exchanges: [refused.answer.exchange],
    });
    const refusedToo = { ...refused, partnerId: 'p-2' };
    expect(judgeToken(rule, refused, ofOther, refusedToo).verdict).toBe('violated');
    // One that is refused something else as well may have a wrong key.
    const unlike = token({ outcome: 'refused', status: 401 }, otherFields);
    const served = { ...other, partnerId: 'p-1' };
    expect(
      judgeToken(rule, refused, served, refusedToo, { ...unlike, partnerId: 'p-2' }).verdict,
    ).toBe('inconclusive');
    expect(judgeToken(rule, refused, served, refusedToo).verdict).toBe('violated');
    expect(judgeWithControl(rule, refused, ofOther).verdict).toBe('violated');
  });

  it('is open if the signature may be what is refused, or a limit refuses', () => {
    const judgement = judgeToken(rule, refused, refused, otherRefused);
    expect(judgement.verdict).toBe('inconclusive');
    expect(judgement.exchanges?.[0]).toBe(refused.answer.exchange);
    // A refresh_token comes from a success.
    const unlike = token({ outcome: 'refused', status: 403 }, otherFields);
    const verdict = rule === 'grant-refresh-token' ? 'violated' : 'inconclusive';
    expect(judgeToken(rule, refused, refused, unlike).verdict).toBe(verdict);
  });

  it('is open without an answer, and untestable without a request', () => {
    expect(judgeToken(rule, broken, other)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringMatching(/reset$/),
      exchanges: [broken.answer.exchange],
    });
    expect(judgeToken(rule, other).verdict).toBe('untestable');
  });
});

describe('token/grant-refresh-token, of a kind of token', () => {
  const refusedWith = (status: number) => ({ outcome: 'refused', status }) as const;
  const ofUser = token({ refreshToken: 'user' }, EXCHANGE);
  const ofPlatform = token({ refreshToken: 'platform' }, CLIENT);
  const renewed = token({ refreshToken: 'renewed' }, { ...REFRESH, refresh_token: 'platform' });
  const issued = [ofUser, ofPlatform, renewed];
  const refreshOf = (from: string, answer: Parameters<typeof token>[0] = refusedWith(400)) =>
    token(answer, { ...REFRESH, refresh_token: from });
  const times = (count: number, from: string, answer?: Parameters<typeof token>[0]) =>
    Array.from({ length: count }, () => refreshOf(from, answer));
  const judge = (...requests: readonly ReturnType<typeof token>[]) =>
    judgeWithControl('grant-refresh-token', ...issued, ...requests);

  it.each([
    ['user', "a user's token"],
    ['renewed', 'a refreshed token'],
  ])('is violated if each refresh is refused: %s', (from, what) => {
    const refused = times(4, from);
    const exchanges = refused.map(({ answer }) => answer.exchange);
    expect(judge(...refused)).toMatchObject({
      verdict: 'violated',
      reason: `a refresh of ${what} was refused with status 400, every time`,
      keyExchange: exchanges[0],
      exchanges: exchanges.slice(0, 3),
    });
    expect(judge(...times(3, from)).verdict).toBe('violated');
  });

  it('names the kind that is refused, and not one that is refused now and then', () => {
    const some = [...times(3, 'user'), refreshOf('user', {})];
    expect(judge(...some, ...times(3, 'renewed'))).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('a refreshed token'),
    });
  });

  it.each<[string, readonly ReturnType<typeof token>[]]>([
    ['none was asked for', []],
    ['two were refused', times(2, 'user')],
    ['one of four succeeded', [...times(3, 'user'), refreshOf('user', {})]],
    ['one of four met a limit', [...times(3, 'user'), refreshOf('user', refusedWith(429))]],
    [
      'all met a limit',
      [...times(3, 'user', refusedWith(429)), ...times(3, 'renewed', refusedWith(503))],
    ],
    ['no answer came', times(3, 'user', { outcome: 'broken', failure: 'reset' })],
    ['platform tokens were refused, and one was not', times(3, 'platform')],
    ['the tokens are of unknown origin', times(3, 'unknown')],
    [
      'other requests with such a token were refused',
      Array.from({ length: 3 }, () =>
        token(refusedWith(400), { ...CLIENT, refresh_token: 'user' }),
      ),
    ],
  ])('passes if %s', (_what, requests) => {
    expect(judge(...requests)).toMatchObject({
      verdict: 'pass',
      exchanges: [renewed.answer.exchange],
    });
  });

  it('is violated by three refusals, whatever was lost beside them', () => {
    const lost = refreshOf('user', { outcome: 'broken', failure: 'reset' });
    expect(judge(lost, ...times(3, 'user')).verdict).toBe('violated');
  });

  it('is not judged of a metered target, whose refusals may have another cause', () => {
    const requests = [...issued, ...times(4, 'user')];
    expect(judgeToken('grant-refresh-token', ...requests).verdict).toBe('pass');
  });

  it('is not judged by the rules of other grants', () => {
    const requests = [...issued, ...times(4, 'user')];
    for (const rule of ['grant-client-credentials', 'grant-authorization-code'])
      expect(judgeWithControl(rule, ...requests).verdict).toBe('pass');
  });
});

it('a rule on token answers names the base requests that show it', () => {
  const from = Object.fromEntries(tokenObservations.map((one) => [one.rule, one.from]));
  expect(from).toMatchObject({
    'token/grant-client-credentials': ['platform', 'user'],
    'token/grant-refresh-token': ['refresh'],
    'token/grant-authorization-code': ['platform', 'user'],
    'token/response-status': ['platform'],
  });
  const overall = tokenObservations.filter((one) => one.overall).map(({ rule }) => rule);
  expect(overall).toHaveLength(3);
});
