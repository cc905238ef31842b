import { expect, it } from 'vitest';
import { NOON } from '../../caller.ts';
import { withServer } from '../../on-server.ts';

it('refuses a nostr again for ten minutes, and names the field', async () => {
  await withServer({ 'nostr-replay': 'refused' }, async (caller, server) => {
    expect((await caller.platform({ nostr: 'abc123' })).status).toBe(200);
    server.clock.advance(599);
    const { body } = await caller.platform({ nostr: 'abc123' });
    expect(body.error).toMatchObject({ code: 'nostr-replayed', field: 'nostr' });
    server.clock.advance(1);
    expect((await caller.platform({ nostr: 'abc123' })).status).toBe(200);
  });
});

it('names the field _ of a time from the future, and of one without an offset', async () => {
  const behaviour = {
    'timestamp-future': 'refused',
    'timestamp-without-offset': 'refused',
  } as const;
  await withServer(behaviour, async (caller) => {
    const ahead = await caller.platform({ _: new Date(NOON + 60_000).toISOString() });
    expect(ahead.body.error).toMatchObject({ code: 'timestamp-expired', field: '_' });
    const zoneless = await caller.platform({ _: new Date(NOON).toISOString().slice(0, 19) });
    expect(zoneless.body.error).toMatchObject({ code: 'field-invalid', field: '_' });
  });
});

it('refuses an unknown auth code where allowances are counted per user', async () => {
  await withServer({ 'user-quota-reach': 'user' }, async (caller) => {
    const grant = { grant_type: 'authorization_code', auth_code: 'unknown' };
    const { status, body } = await caller.platform(grant);
    expect({ status, field: body.error.field }).toEqual({ status: 400, field: 'auth_code' });
  });
});

it('says that the allowance is exceeded, then that a ban lasts, where refused requests count', async () => {
  await withServer({ 'failed-requests-count': 'yes' }, async (caller) => {
    for (let sent = 0; sent < 10; sent++) await caller.platform();
    const code = async (): Promise<string> => (await caller.platform()).body.error.code;
    expect([await code(), await code()]).toEqual(['quota-exceeded', 'banned']);
  });
});

it('counts requests during a ban on no allowance, where refused requests count', async () => {
  const behaviour = { 'failed-requests-count': 'yes', 'user-quota-reach': 'user' } as const;
  await withServer(behaviour, async (caller) => {
    for (let sent = 0; sent < 6; sent++) await caller.user();
    // As many again as the allowance: one more would exceed another one that they were counted on.
    for (let sent = 0; sent < 6; sent++)
      expect((await caller.user()).body.error.code).toBe('banned');
  });
});

it.each([
  [
    '[[[',
    { code: 'body-invalid', rule: 'token/json-body', message: 'The body is not JSON in UTF-8.' },
  ],
  [
    '7',
    { code: 'body-invalid', rule: 'token/json-body', message: 'The body must be a JSON object.' },
  ],
  ['['.repeat(33), { code: 'body-invalid', message: expect.stringContaining('32 levels') }],
])('says what is wrong with the body %s', async (rawBody, error) => {
  await withServer({}, async (caller) => {
    expect((await caller.platform({}, { rawBody })).body.error).toEqual(error);
  });
});
