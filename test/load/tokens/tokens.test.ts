import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError, sign } from '../../../src/interface/index.ts';
import {
  type LoadOptions,
  type LoadResult,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../src/load/index.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';
import {
  ESTIMATE_BODY,
  type FakeBehaviour,
  type FakeTarget,
  startFakeTarget,
} from '../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

/** Refuses every estimate that does not have the newest token. */
function onlyNewest(): FakeBehaviour {
  return {
    expiresInSeconds: 1,
    estimate: (request, response) => {
      const newest = `token-${fake?.tokenRequests.length}`;
      setTimeout(() => {
        if (request.headers.authorization?.endsWith(`|${newest}`)) response.end(ESTIMATE_BODY);
        else response.writeHead(401).end();
      }, 5);
    },
  };
}

const run = (target: FakeTarget, options: Partial<LoadOptions & RunContext> = {}) =>
  runLoad({
    ledger: 'none',
    profile: target.profile,
    clock: unhurriedClock(systemClock()),
    seed: 1,
    placement: 'inline',
    warmup: '0',
    duration: '300ms',
    timeout: '1s',
    ...options,
  });

/** The time that ten refreshes of a one-second token last. */
const LONGEST = '6s';

/** Runs until that many requests have come with the token of that number, or a later one. */
async function runUntil(
  target: FakeTarget,
  { token, requests }: { token: number; requests: number },
  options: Partial<LoadOptions & RunContext>,
): Promise<LoadResult> {
  const interrupt = new AbortController();
  let left = requests;
  target.server.on('request', ({ headers }: IncomingMessage) => {
    const number = /\|token-(\d+)$/.exec(headers.authorization ?? '')?.[1];
    if (Number(number ?? 0) >= token && --left === 0) interrupt.abort();
  });
  return run(target, { ...options, duration: LONGEST, signal: interrupt.signal });
}

/** Refresh_tokens in the expected order: each the newest, each once. */
const inTurn = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `refresh-${index + 1}`);

const grants = (target: FakeTarget): string[] =>
  target.tokenRequests.map(({ grant_type }) => grant_type ?? '');

const sentRefreshTokens = (target: FakeTarget): (string | undefined)[] =>
  target.tokenRequests.slice(1).map(({ refresh_token }) => refresh_token);

describe('the token of a run', () => {
  it('is requested once, signed, and refreshed in time, with each refresh_token sent once', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1 });
    const result = await runUntil(fake, { token: 3, requests: 5 }, { rate: 100 });
    expect(result.achieved.failed).toBe(0);
    expect(result.achieved.ok).toBeGreaterThan(0);
    const [first, ...later] = grants(fake);
    expect(first).toBe('client_credentials');
    expect(new Set(later)).toEqual(new Set(['refresh_token']));
    expect(sentRefreshTokens(fake)).toEqual(inTurn(later.length));
    expect([...new Set(fake.authorizations)].slice(0, 3)).toEqual([
      'Bearer p-100|token-1',
      'Bearer p-100|token-2',
      'Bearer p-100|token-3',
    ]);
  });

  it.each([{ rate: 200 }, { connections: 4 }])(
    'of a user is replaced with nothing in flight, since only the newest is valid: %j',
    async (model) => {
      fake = await startFakeTarget(onlyNewest());
      const given = { ...model, as: 'user' } as const;
      const result = await runUntil(fake, { token: 2, requests: 20 }, given);
      const [first, ...later] = grants(fake);
      expect(first).toBe('authorization_code');
      expect(new Set(later)).toEqual(new Set(['refresh_token']));
      expect(sentRefreshTokens(fake)).toEqual(inTurn(later.length));
      expect(result.achieved.failed).toBe(0);
      expect(result.statuses).toEqual({ 200: result.achieved.planned });
    },
  );

  it('of a user can be replaced during an interruption, and no due request is given up', {
    tags: ['long'],
  }, async () => {
    const interrupt = new AbortController();
    const machine = unhurriedClock(systemClock());
    let aheadNs = 0;
    const clock = { now: machine.now, monotonicNs: () => machine.monotonicNs() + aheadNs };
    fake = await startFakeTarget({
      ...onlyNewest(),
      beforeRefresh: () => {
        aheadNs += 300e6;
        interrupt.abort();
      },
    });
    const options = { as: 'user', rate: 200, duration: LONGEST, clock } as const;
    const result = await run(fake, { ...options, signal: interrupt.signal });
    expect(sentRefreshTokens(fake)).toEqual(['refresh-1']);
    expect(result.errors).toEqual({});
    expect(result.statuses).toEqual({ 200: result.achieved.planned });
  });

  it('of a user comes with a signature over the query', async () => {
    fake = await startFakeTarget();
    await run(fake, { as: 'user', rate: 20 });
    expect(fake.paths.length).toBeGreaterThan(0);
    for (const [index, path] of fake.paths.entries()) {
      const pairs = Object.fromEntries(new URL(path, 'http://x').searchParams);
      expect(fake.authorizations[index]).toBe(`Bearer p-100|${sign(pairs, 'key')} openid|token-1`);
    }
  });

  it('is that of the profile if it has one, and none is requested', async () => {
    fake = await startFakeTarget();
    const partners = fake.profile.partners.map((partner) => ({ ...partner, accessToken: 'own' }));
    const target = { ...fake, profile: { ...fake.profile, partners } };
    const result = await run(target, { rate: 50 });
    expect(result.achieved.failed).toBe(0);
    expect(fake.tokenRequests).toHaveLength(0);
    expect(new Set(fake.authorizations)).toEqual(new Set(['Bearer p-100|own']));
  });

  it('is not requested for a run that needs more refreshes than a day allows', async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1 });
    const started = run(fake, { rate: 100, duration: '60s' });
    await expect(started).rejects.toBeInstanceOf(ConfigurationError);
    await expect(started).rejects.toMatchObject({ code: 'TOKEN_TOO_SHORT' });
    expect(fake.paths).toHaveLength(0);
  });

  it('that cannot be refreshed is noted, and its refresh_token is not sent again', {
    tags: ['long'],
  }, async () => {
    fake = await startFakeTarget({ expiresInSeconds: 1, refreshStatus: 403 });
    const result = await run(fake, { rate: 100, duration: '1800ms' });
    expect(grants(fake)).toEqual(['client_credentials', 'refresh_token']);
    expect(result.notes?.join(' ')).toContain('could not be refreshed');
    expect(result.notes?.join(' ')).not.toContain('refresh-1');
  });

  it('that is refused says why in the words of the target, without secrets', async () => {
    fake = await startFakeTarget({
      tokenStatus: 403,
      tokenText: ({ auth_code: code }, authorization) =>
        `{"error": "the code ${code}\n\tis used up",\n "sent": "${authorization}", "key": "a-signing-key"}`,
    });
    const partners = fake.profile.partners.map((one) => ({
      ...one,
      signingKey: 'a-signing-key',
      authCodes: ['code-of-a-user'],
    }));
    const target = { ...fake, profile: { ...fake.profile, partners } };
    const refused = await run(target, { as: 'user', rate: 10 }).catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'TOKEN_REFUSED' });
    const { message } = refused as Error;
    expect(message).toContain('answered 403 to a token request (authorization_code)');
    expect(message).toContain(
      '({"error": "the code [auth_code 1] is used up", "sent": "Bearer p-100|[signature 1]", "key": "[signing_key p-100]"})',
    );
    expect(message).not.toMatch(/a-signing-key|code-of-a-user|[0-9a-f]{32}|\n/);
  });
});
