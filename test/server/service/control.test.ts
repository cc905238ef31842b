import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetProfileSchema } from '../../../src/interface/index.ts';
import type { RunningServer } from '../../../src/server/index.ts';
import { describeProfile, startServer } from '../../../src/server/index.ts';
import { Caller, control, DAY_S, frozen, HOUR_S } from '../caller.ts';

let server: RunningServer;
let guarded: RunningServer;

beforeAll(async () => {
  server = await startServer({ controlPort: 0, clock: frozen });
  guarded = await startServer({ controlPort: 0, controlToken: 'let me in', clock: frozen });
});
afterAll(() => Promise.all([server.close(0), guarded.close(0)]));

describe('the control API', () => {
  it('moves and reads the clock', async () => {
    const advance = (advanceSeconds: number) =>
      control(server, 'POST', '/clock', { advanceSeconds });
    expect((await advance(HOUR_S)).body.now).toBe('2026-03-02T13:00:00.000Z');
    expect((await advance(0.25)).body.now).toBe('2026-03-02T13:00:00.250Z');
    expect((await advance(0)).body.now).toBe('2026-03-02T13:00:00.250Z');
  });

  it('sets the clock back to true time', async () => {
    const own = await startServer({ controlPort: 0, clock: frozen });
    await control(own, 'POST', '/clock', { advanceSeconds: 400 * DAY_S });
    const { status, body } = await control(own, 'POST', '/clock', { reset: true });
    expect([status, body]).toEqual([200, { now: new Date(frozen.now()).toISOString() }]);
    const caller = await Caller.fresh(own);
    expect((await caller.platform()).status).toBe(200);
    await own.close(0);
  });

  it('moves the clock by 400 days 7,000 times, then refuses, and still works', async () => {
    const own = await startServer({ controlPort: 0, clock: frozen });
    const advance = (days: number) =>
      control(own, 'POST', '/clock', { advanceSeconds: days * DAY_S });
    for (let times = 0; times < 7_000; times++) own.clock.advance(400 * DAY_S);
    while ((await advance(3_650)).status === 200);
    const refused = await advance(3_650);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      {
        code: 'clock-too-far',
        message:
          'The clock goes no further than 9999-01-01T00:00:00.000Z; set it back with {"reset": true}.',
        field: 'advanceSeconds',
      },
    ]);
    expect((await advance(0)).status).toBe(200);
    const caller = await Caller.fresh(own);
    const { body } = await caller.platform();
    const estimate = await caller.estimate(body.access_token);
    const lock = await control(own, 'GET', `/estimates/${estimate.body[0]!.estimate_id}`);
    expect([estimate.status, lock.body.locked]).toEqual([200, true]);
    expect(() => own.clock.advance(3_650 * DAY_S)).toThrow(RangeError);
    expect(() => own.clock.advance(-1)).toThrow(RangeError);
    expect((await control(own, 'POST', '/clock', { reset: true })).status).toBe(200);
    expect((await advance(400)).status).toBe(200);
    await own.close(0);
  });

  it('creates partners with full allowances, and auth codes of a user', async () => {
    const caller = await Caller.fresh(server);
    const grant = { grant_type: 'authorization_code', auth_code: await caller.code() };
    expect((await caller.platform()).status).toBe(200);
    expect((await caller.platform(grant)).status).toBe(200);
    expect((await caller.platform(grant)).status).toBe(400);
    expect((await control(server, 'POST', '/partners')).status).toBe(201);
  });

  it.each([
    ['POST', '/clock', { advanceSeconds: -1 }, 400, 'advanceSeconds'],
    ['POST', '/clock', { advanceSeconds: '1' }, 400, 'advanceSeconds'],
    ['POST', '/clock', { advanceSeconds: 1e12 }, 400, 'advanceSeconds'],
    ['POST', '/clock', { advanceSeconds: 1, by: 2 }, 400, undefined],
    ['POST', '/clock', [], 400, undefined],
    ['POST', '/clock', { reset: false }, 400, 'reset'],
    ['POST', '/clock', { reset: true, advanceSeconds: 1 }, 400, undefined],
    ['POST', '/clock', undefined, 400, 'advanceSeconds'],
    ['POST', '/partners', { longLock: 'yes' }, 400, 'longLock'],
    ['POST', '/auth-codes', { partnerId: 'nobody', userId: 'u' }, 404, 'partnerId'],
    ['POST', '/auth-codes', { partnerId: 'demo' }, 400, 'userId'],
    ['GET', '/clock', undefined, 405, undefined],
    ['POST', '/estimates/x', {}, 405, undefined],
    ['GET', '/estimates/x', undefined, 404, undefined],
    ['GET', '/v1/oauth/token', undefined, 404, undefined],
  ])('%s %s with %j is %i', async (method, path, body, status, field) => {
    const reply = await control(server, method, path, body);
    expect(reply.status).toBe(status);
    expect(reply.body.error.message).toMatch(/./);
    if (field !== undefined) expect(reply.body.error.field).toBe(field);
  });

  it.each(['', 'let me in', 'Bearer', 'Bearer let me', 'Basic let me in'])(
    'with a token, refuses %j',
    async (authorization) => {
      const headers: Record<string, string> = { authorization };
      const reply = await control(guarded, 'POST', '/partners', {}, headers);
      expect(reply.status).toBe(401);
    },
  );

  it('accepts its token', async () => {
    const headers = { authorization: 'Bearer let me in' };
    expect((await control(guarded, 'POST', '/partners', {}, headers)).status).toBe(201);
  });

  it('has a random token by default, and one too if the given one is empty', async () => {
    const empty = await startServer({ controlPort: 0, controlToken: '' });
    const tokens = [server.controlToken, empty.controlToken];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
    await empty.close(0);
  });

  it('is off by default', async () => {
    const alone = await startServer();
    expect([alone.controlUrl, alone.controlPort, alone.controlToken]).toEqual([null, null, null]);
    await alone.close(0);
  });
});

describe('the startup profile', () => {
  it('is a valid profile, and names the control API', () => {
    expect(targetProfileSchema.parse(describeProfile(server))).toMatchObject({
      baseUrl: server.baseUrl,
      control: { url: server.controlUrl, token: server.controlToken },
    });
    expect(describeProfile(guarded).control?.token).toBe('let me in');
  });

  it("brings a profile's own access_token", async () => {
    const partner = { id: 'p', signingKey: 'k', use: 'general', authCodes: [] } as const;
    const one = await startServer({ partners: [{ ...partner, accessToken: 'mine' }] });
    expect((await new Caller(one, 'p', 'k').estimate('mine')).status).toBe(200);
    await one.close(0);
  });
});
