import { describe, expect, it } from 'vitest';
import {
  type Check,
  type CheckContext,
  priceOf,
} from '../../../../../src/conformance/service/contract/check.ts';
import type {
  EstimateAttempt,
  Fields,
  TokenAnswer,
  TokenAttempt,
} from '../../../../../src/conformance/service/contract/messages.ts';
import type { Facts } from '../../../../../src/conformance/service/contract/target.ts';
import { scopeEcho } from '../../../../../src/conformance/service/rules/token/response.ts';
import type { Judgement } from '../../../../../src/conformance/verdict.ts';
import { estimate, token } from '../seen.ts';

const TRIPLE = 'public rides.read rides.request';
const REORDERED = 'rides.request public rides.read';
const WIDER = 'public profile';
const ALL = 'public rides.read rides.request profile';
const NARROW = 'rides.read';

const FREE: Facts = {
  environment: 'production',
  tokenFields: 'all',
  estimateFields: 'all',
  shapes: ['plain'],
  hasControl: true,
  metered: false,
  refusedAreFree: false,
  authCodes: [],
  partners: 1,
  asked: () => true,
  waits: false,
};
const METERED: Facts = { ...FREE, hasControl: false, metered: true };
const ROOMY: Facts = { ...METERED, partners: 4 };

const opening = token().answer;
const CLOSED = { opening, closing: opening };

/** Answer of a target to a token request. */
type Target = (fields: Fields) => Partial<TokenAnswer>;

const echo = (scope: unknown): Partial<TokenAnswer> => ({ json: { scope } });
const echoes: Target = ({ scope }) => echo(scope);
const refusal = { outcome: 'refused', status: 400 } as const;

/** Runs a check on a target; returns what it found, and what it sent. */
async function run(
  check: Check,
  target: Target,
  facts: Facts = FREE,
  mayEstimate: (scope: string, estimate: number) => boolean = () => true,
) {
  const sent: TokenAttempt[] = [];
  const scopes = new Map<string | undefined, string>();
  let estimates = 0;
  const ctx = {
    facts,
    platform: (fields: Fields) => ({ grant_type: 'client_credentials', ...fields }),
    exchange: (code: string, fields: Fields) => ({
      grant_type: 'authorization_code',
      auth_code: code,
      ...fields,
    }),
    refresh: (refreshToken: string, fields: Fields) => ({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...fields,
    }),
    authCode: async () => 'code',
    token: async (attempt: TokenAttempt) => {
      sent.push(attempt);
      const accessToken = `t${sent.length}`;
      scopes.set(accessToken, attempt.fields['scope'] as string);
      const answer = { accessToken, refreshToken: `r${sent.length}`, ...target(attempt.fields) };
      return token(answer, attempt.fields).answer;
    },
    query: () => ({}),
    estimate: async ({ accessToken }: EstimateAttempt) =>
      mayEstimate(scopes.get(accessToken) ?? '', ++estimates)
        ? estimate([]).answer
        : { ...estimate([]).answer, ...refusal },
  } as unknown as CheckContext;
  const found = (await check.run(ctx)) as Judgement | ((baseline: typeof CLOSED) => Judgement);
  const judgement = typeof found === 'function' ? found(CLOSED) : found;
  return { ...judgement, sent: sent.map(({ fields }) => fields) };
}

const parts = scopeEcho.parts?.(FREE) ?? [];
const [platform, user, refresh, refreshOfUser] = parts as [Check, Check, Check, Check];

describe('token/scope-echo', () => {
  it('asks for lists in any order, and for single scopes', async () => {
    const { verdict, reason, sent } = await run(platform, echoes);
    expect(verdict).toBe('pass');
    expect(reason).toBe(
      `the scope in the response is the one requested: "${TRIPLE}", "${REORDERED}", "${WIDER}", "${ALL}", "${NARROW}", "public"`,
    );
    expect(sent.map(({ scope }) => scope)).toEqual([
      TRIPLE,
      REORDERED,
      WIDER,
      ALL,
      NARROW,
      'public',
    ]);
    expect(sent.every(({ grant_type }) => grant_type === 'client_credentials')).toBe(true);
  });

  it('takes the scopes of a list in any order, with any blanks, and once or twice', async () => {
    const sorted: Target = ({ scope }) => echo(` ${String(scope).split(' ').sort().join('  ')} `);
    const doubled: Target = ({ scope }) => echo(`${scope as string} ${scope as string}`);
    expect((await run(platform, sorted)).verdict).toBe('pass');
    expect((await run(platform, doubled)).verdict).toBe('pass');
  });

  it.each([
    ['the first scope only', (scope: string) => scope.split(' ')[0]],
    ['no scope', () => undefined],
    ['the list as an array', (scope: string) => scope.split(' ')],
    ['one scope more', (scope: string) => `${scope} admin`],
    ['the list without blanks', (scope: string) => scope.replaceAll(' ', '')],
  ])('is violated by an answer with %s', async (_what, made) => {
    const wrong = await run(platform, ({ scope }) => echo(made(String(scope))));
    expect(wrong).toMatchObject({
      verdict: 'violated',
      expected: `scope "${TRIPLE}" as requested`,
      reason: expect.stringMatching(/^scope is /),
      keyExchange: expect.any(String),
    });
    expect(wrong.sent).toHaveLength(1);
  });

  it('is violated by one list that loses a scope', async () => {
    const { verdict, expected } = await run(platform, ({ scope }) =>
      echo(scope === REORDERED ? 'rides.request public' : scope),
    );
    expect({ verdict, expected }).toEqual({
      verdict: 'violated',
      expected: `scope "${REORDERED}" as requested`,
    });
  });

  it('judges no list that is not granted, and names it', async () => {
    const { verdict, reason, sent } = await run(platform, ({ scope }) =>
      scope === WIDER || scope === NARROW ? refusal : echo(scope),
    );
    expect(verdict).toBe('pass');
    expect(reason).toMatch(/"public"; not granted: "public profile" \(.*400.*\), "rides.read" \(/);
    expect(sent).toHaveLength(6);
  });

  it('is open if no list of several scopes is granted', async () => {
    const onlySingle: Target = ({ scope }) => (scope === 'public' ? echo(scope) : refusal);
    await expect(run(platform, onlySingle)).rejects.toThrow(
      `no list of several scopes was granted; not granted: "${TRIPLE}"`,
    );
  });

  it('is violated if the scope of every partner is refused', async () => {
    const target: Target = ({ scope }) => (scope === 'public' ? refusal : echo(scope));
    expect(await run(platform, target)).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('the scope "public" was refused with status 400'),
    });
  });

  it('is open if an answer is lost', async () => {
    const lost: Target = () => ({ outcome: 'broken', status: 0, failure: 'reset' });
    await expect(run(platform, lost)).rejects.toThrow(
      `no response to the scope "${TRIPLE}": reset`,
    );
  });

  it('asks a metered target once, and for the scope of a refresh where there is room', async () => {
    const metered = await run(platform, echoes, METERED);
    expect(metered.sent.map(({ scope }) => scope)).toEqual([TRIPLE]);
    expect(priceOf(scopeEcho, METERED)).toEqual({ platform: 1, refresh: 0 });
    expect(priceOf(scopeEcho, ROOMY)).toEqual({ platform: 1, refresh: 1 });
    expect(priceOf(scopeEcho, FREE)).toEqual({ platform: 8 });
    const roomy = await run(platform, echoes, ROOMY);
    expect(roomy.verdict).toBe('pass');
    expect(roomy.sent).toEqual([
      { grant_type: 'client_credentials', scope: TRIPLE },
      { grant_type: 'refresh_token', refresh_token: 'r1', scope: TRIPLE },
    ]);
  });

  it('is violated by a refresh that is granted and loses a scope that it names', async () => {
    const loses: Target = ({ grant_type, scope }) =>
      echo(grant_type === 'refresh_token' ? 'public' : scope);
    expect(await run(platform, loses, ROOMY)).toMatchObject({
      verdict: 'violated',
      reason: expect.stringContaining('of a refresh that names it'),
    });
    expect((await run(platform, loses, METERED)).verdict).toBe('pass');
    expect((await run(platform, loses, FREE)).verdict).toBe('pass');
  });

  it('is violated by a list with public that gets no estimate', async () => {
    const first = (scope: string): boolean => scope.startsWith('public');
    expect(await run(platform, echoes, FREE, first)).toMatchObject({
      verdict: 'violated',
      expected: `an estimate with a token of scope "${REORDERED}"`,
    });
    expect((await run(platform, echoes, METERED, first)).verdict).toBe('pass');
    expect((await run(platform, echoes, FREE, () => false)).verdict).toBe('pass');
    // A service that refuses an estimate at times, or from some number on.
    const others = [3, 5, 8];
    const atTimes = (_scope: string, number: number): boolean => !others.includes(number);
    expect((await run(platform, echoes, FREE, atTimes)).verdict).toBe('pass');
    expect((await run(platform, echoes, FREE, (_scope, number) => number < 4)).verdict).toBe(
      'pass',
    );
  });

  it('leaves open whether a refresh may name a scope, or comes at all', async () => {
    const refuses: Target = ({ grant_type, scope }) =>
      grant_type === 'refresh_token' ? refusal : echo(scope);
    expect((await run(platform, refuses, ROOMY)).verdict).toBe('pass');
    const none = await run(
      platform,
      ({ scope }) => ({ ...echo(scope), refreshToken: null }),
      ROOMY,
    );
    expect(none).toMatchObject({ verdict: 'pass', sent: { length: 1 } });
  });

  it('is judged of the tokens of users, and of refreshes that name their scope', async () => {
    const ofUser = await run(user, echoes);
    expect(ofUser).toMatchObject({ verdict: 'pass' });
    const exchange = { grant_type: 'authorization_code', auth_code: 'code' };
    expect(ofUser.sent).toEqual([TRIPLE, REORDERED, ALL].map((scope) => ({ ...exchange, scope })));
    expect((await run(user, echoes, METERED)).sent).toEqual([{ ...exchange, scope: TRIPLE }]);

    const scopes = [TRIPLE, WIDER, NARROW];
    const granted = (fields: Fields): Fields[] =>
      scopes.flatMap((scope, at) => [
        { ...fields, scope },
        { grant_type: 'refresh_token', refresh_token: `r${2 * at + 1}`, scope },
      ]);
    const ofRefresh = await run(refresh, echoes);
    expect(ofRefresh).toMatchObject({
      verdict: 'pass',
      sent: granted({ grant_type: 'client_credentials' }),
    });
    const ofUsersRefresh = await run(refreshOfUser, echoes);
    expect(ofUsersRefresh).toMatchObject({ verdict: 'pass', sent: granted(exchange) });
    for (const part of [user, refresh, refreshOfUser])
      expect((await run(part, () => echo('public'))).verdict).toBe('violated');
  });

  it('is judged of narrow scopes of a refresh, and of those only that are granted', async () => {
    const widened: Target = ({ grant_type, scope }) =>
      echo(grant_type === 'refresh_token' ? TRIPLE : scope);
    expect((await run(refresh, widened)).verdict).toBe('violated');
    const narrow: Target = ({ scope }) => (scope === WIDER ? refusal : echo(scope));
    expect(await run(refresh, narrow)).toMatchObject({
      verdict: 'pass',
      reason: expect.stringContaining(`not granted: "${WIDER}"`),
    });
  });

  it('is one rule in four circumstances, one of which a metered target gets as well', () => {
    expect(parts.map(({ id }) => id)).toEqual([
      'token/scope-echo',
      'token/scope-echo@user',
      'token/scope-echo@refresh',
      'token/scope-echo@refresh-of-user',
    ]);
    for (const { rules } of parts) expect(rules).toEqual(['token/scope-echo']);
    expect(parts.slice(1).map(({ places: [{ setting }] }) => setting.circumstance)).toEqual([
      'an exchange of an auth code',
      'a refresh',
      "a refresh of a user's token",
    ]);
    const [, ...further] = scopeEcho.parts?.(METERED) ?? [];
    expect(further.map(({ id }) => id)).toEqual(['token/scope-echo@user']);
    expect(further.map((part) => priceOf(part, METERED))).toEqual([
      { user: 1, codes: 1, refresh: 1 },
    ]);
  });
});
