import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { estimateResponseSchema, tokenResponseSchema } from '../../../../src/interface/index.ts';
import type { RunningServer } from '../../../../src/server/index.ts';
import { startServer } from '../../../../src/server/index.ts';
import { Caller, DAY_S, frozen } from '../../caller.ts';

let server: RunningServer;
let caller: Caller;

beforeEach(async () => {
  server = await startServer({ controlPort: 0, clock: frozen });
  caller = await Caller.fresh(server);
});
afterEach(() => server.close(0));

describe('the life of a token', () => {
  it('is issued, used, expires, is refreshed once, and stays refreshable for months', async () => {
    const first = tokenResponseSchema.parse(
      (await caller.platform({ scope: 'public profile' })).body,
    );
    expect(first.scope).toBe('public profile');
    expect((await caller.estimate(first.access_token)).status).toBe(200);
    server.clock.advance(first.expires_in_second - 1);
    expect((await caller.estimate(first.access_token)).status).toBe(200);
    server.clock.advance(1);
    const expired = await caller.estimate(first.access_token);
    expect(expired.body.error.code).toBe('access-token-expired');
    server.clock.advance(200 * DAY_S);
    const second = tokenResponseSchema.parse((await caller.refresh(first.refresh_token)).body);
    expect(second.scope).toBe('public profile');
    expect((await caller.estimate(second.access_token)).status).toBe(200);
    const replay = await caller.refresh(first.refresh_token);
    expect(replay.body.error.rule).toBe('lifecycle/refresh-single-use');
    expect((await caller.refresh(second.refresh_token)).status).toBe(200);
    expect((await caller.estimate(second.access_token)).status).toBe(200);
  });

  it('gets the scope that a refresh requests', async () => {
    const { refresh_token } = (await caller.platform()).body;
    const { body } = await caller.refresh(refresh_token, { scope: 'profile rides.read' });
    expect(body.scope).toBe('profile rides.read');
  });

  it('of a user ends with the next token of that user only, refreshed or not', async () => {
    const first = (await caller.user({}, 'u1')).body;
    const other = (await caller.user({}, 'u2')).body;
    expect((await caller.userEstimate(first.access_token)).status).toBe(200);
    const second = (await caller.refresh(first.refresh_token)).body;
    const old = await caller.userEstimate(first.access_token);
    expect(old.body.error.rule).toBe('lifecycle/user-token-newest-only');
    const answer = await caller.userEstimate(second.access_token);
    expect(estimateResponseSchema.parse(answer.body)).toHaveLength(1);
    expect((await caller.userEstimate(other.access_token)).status).toBe(200);
  });

  it('of a platform is not accepted as a user token', async () => {
    const { access_token } = (await caller.platform()).body;
    expect((await caller.userEstimate(access_token)).body.error.code).toBe('access-token-invalid');
  });

  it('belongs to one partner: its refresh_token and its auth codes too', async () => {
    const other = await Caller.fresh(server);
    const { refresh_token } = (await caller.platform()).body;
    expect((await other.refresh(refresh_token)).status).toBe(400);
    const grant = { grant_type: 'authorization_code', auth_code: await caller.code() };
    expect((await other.platform(grant)).status).toBe(400);
    expect((await caller.refresh(refresh_token)).status).toBe(200);
    expect((await caller.platform(grant)).status).toBe(200);
  });
});

describe('a refused request', () => {
  const wrongs = {
    signature: [{}, { key: 'wrong' }],
    timestamp: [{ _: '2020-01-01T00:00:00Z' }, {}],
    nostr: [{ nostr: 'x' }, {}],
    scope: [{ scope: 'fly' }, {}],
  } as const;

  it.each(Object.entries(wrongs))('for its %s uses up nothing', async (_, [fields, twist]) => {
    const { refresh_token } = (await caller.platform()).body;
    const code = { grant_type: 'authorization_code', auth_code: await caller.code() };
    for (let sent = 0; sent < 12; sent++) {
      expect((await caller.refresh(refresh_token, fields, twist)).status).not.toBe(200);
      expect((await caller.platform({ ...code, ...fields }, twist)).status).not.toBe(200);
    }
    expect((await caller.refresh(refresh_token)).status).toBe(200);
    expect((await caller.platform(code)).status).toBe(200);
  });

  it('during a ban does not use up the refresh_token', async () => {
    let { refresh_token } = (await caller.platform()).body;
    for (let sent = 0; sent < 10; sent++) {
      ({ refresh_token } = (await caller.refresh(refresh_token)).body);
    }
    expect((await caller.refresh(refresh_token)).body.error.code).toBe('quota-exceeded');
    expect((await caller.refresh(refresh_token)).body.error.code).toBe('banned');
    server.clock.advance(DAY_S - 1);
    expect((await caller.refresh(refresh_token)).body.error.code).toBe('banned');
    server.clock.advance(1);
    expect((await caller.refresh(refresh_token)).status).toBe(200);
  });
});

describe('the order of errors', () => {
  it('reports the first error', async () => {
    const everythingWrong = { grant_type: 'x', nostr: 'x', _: 'x', scope: 'x' };
    const code = async (fields: object, twist: object): Promise<string> =>
      (await caller.platform({ ...everythingWrong, ...fields }, twist)).body.error.code;
    const wrongKey = { key: 'wrong' };
    expect(await code({}, { authorization: 'x' })).toBe('authorization-shape');
    expect(await code({}, wrongKey)).toBe('grant-type-unknown');
    const granted = { grant_type: 'client_credentials' };
    expect(await code(granted, wrongKey)).toBe('field-invalid');
    const formed = { ...granted, nostr: 'abc123' };
    expect(await code(formed, wrongKey)).toBe('signature-invalid');
    expect(await code(formed, {})).toBe('field-invalid');
    const timely = { ...formed, _: '2026-03-02T12:00:00Z' };
    expect(await code(timely, {})).toBe('scope-unknown');
  });
});

describe('in the test environment', () => {
  it('_ is required, and may have any value', async () => {
    const test = await startServer({ environment: 'test', clock: frozen });
    const demo = new Caller(test);
    try {
      expect((await demo.platform({ _: 'whenever' })).status).toBe(200);
      expect((await demo.platform({ _: 1 })).status).toBe(200);
      expect((await demo.platform({ _: undefined })).body.error.field).toBe('_');
    } finally {
      await test.close(0);
    }
  });
});

describe('concurrency', () => {
  it('20 rounds of 50 refreshes at once: exactly one of each 50 succeeds', {
    tags: ['long'],
  }, async () => {
    for (let round = 0; round < 20; round++) {
      const { refresh_token } = (await caller.platform()).body;
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => caller.refresh(refresh_token)),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 400)).toHaveLength(49);
      if (round % 5 === 4) server.clock.advance(DAY_S);
    }
  });

  it('one auth code sent 20 times at once is good once', async () => {
    const grant = { grant_type: 'authorization_code', auth_code: await caller.code() };
    const replies = await Promise.all(Array.from({ length: 20 }, () => caller.platform(grant)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('of 40 platform requests at once exactly ten succeed', async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => caller.platform()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  });
});
