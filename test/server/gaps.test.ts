import { describe, expect, it } from 'vitest';
import type { GapId } from '../../src/interface/index.ts';
import { DEFAULT_BEHAVIOUR, GAPS, sign, signatureSettingsOf } from '../../src/interface/index.ts';
import type { RunningServer } from '../../src/server/index.ts';
import { startServer } from '../../src/server/index.ts';
import type { Fields, Reply } from './caller.ts';
import { Caller, control, DAY_S, HOUR_S, NOON, QUERY } from './caller.ts';
import { asked, exceed, stamped, statusOf, tokenOf, userTokenOf, withServer } from './on-server.ts';

const signedWith = (behaviour: Partial<typeof DEFAULT_BEHAVIOUR>, fields: Fields) => {
  const settings = signatureSettingsOf({ ...DEFAULT_BEHAVIOUR, ...behaviour });
  return async (caller: Caller): Promise<Reply> => {
    const all = caller.fields(fields);
    return caller.send(all, { signature: sign(all, caller.key, settings) });
  };
};

const CASES: Readonly<Record<GapId, () => Promise<void>>> = {
  'signed-fields-token': async () => {
    const unsigned = async (caller: Caller): Promise<Reply> => {
      const fields = caller.fields({ note: 'not signed' });
      const { note: _note, ...rest } = fields;
      return caller.send(fields, { signature: sign(rest, caller.key) });
    };
    expect(await statusOf({}, unsigned)).toBe(401);
    const names = ['grant_type', '_', 'nostr'];
    expect(await statusOf({ 'signed-fields-token': names }, unsigned)).toBe(200);
    expect(await statusOf({ 'signed-fields-token': [] }, unsigned)).toBe(401);
  },
  'signed-fields-estimate': async () => {
    const unsigned = async (caller: Caller): Promise<Reply> => {
      const signature = sign({ start_lat: QUERY['start_lat'] }, caller.key);
      return caller.userEstimate(await userTokenOf(caller), { signature });
    };
    expect(await statusOf({}, unsigned)).toBe(401);
    expect(await statusOf({ 'signed-fields-estimate': ['start_lat'] }, unsigned)).toBe(200);
  },
  'signed-booleans-and-objects': async () => {
    const literal = signedWith({ 'signed-booleans-and-objects': 'literal' }, { a: true, b: false });
    expect(await statusOf({}, literal)).toBe(401);
    expect(await statusOf({ 'signed-booleans-and-objects': 'literal' }, literal)).toBe(200);
  },
  'text-zero-signed': async () => {
    const skipped = signedWith({ 'text-zero-signed': 'skipped' }, { a: '0' });
    expect(await statusOf({}, skipped)).toBe(401);
    expect(await statusOf({ 'text-zero-signed': 'skipped' }, skipped)).toBe(200);
  },
  'slash-in-list': async () => {
    const plain = signedWith({ 'slash-in-list': 'plain' }, { a: ['x/y'] });
    expect(await statusOf({}, plain)).toBe(401);
    expect(await statusOf({ 'slash-in-list': 'plain' }, plain)).toBe(200);
  },
  'signature-hex-case': async () => {
    const upper = (caller: Caller): Promise<Reply> => {
      const fields = caller.fields();
      return caller.send(fields, { signature: sign(fields, caller.key).toUpperCase() });
    };
    expect(await statusOf({}, upper)).toBe(200);
    expect(await statusOf({ 'signature-hex-case': 'lower' }, upper)).toBe(401);
  },
  'estimate-signed-decoded-or-encoded': async () => {
    const encoded = async (caller: Caller): Promise<Reply> => {
      const query = { ...QUERY, from_name: 'A%20B' };
      const rawQuery = Object.entries(query)
        .map((pair) => pair.join('='))
        .join('&')
        .replace('Summer Palace', 'Palace');
      const signature = sign({ ...query, to_name: 'Palace' }, caller.key);
      return caller.userEstimate(await userTokenOf(caller), { rawQuery, signature });
    };
    expect(await statusOf({}, encoded)).toBe(401);
    const behaviour = { 'estimate-signed-decoded-or-encoded': 'encoded' } as const;
    expect(await statusOf(behaviour, encoded)).toBe(200);
  },
  'timestamp-without-offset': async () => {
    const bare = stamped('2026-03-02T12:00:00');
    expect(await statusOf({}, bare)).toBe(200);
    expect(await statusOf({ 'timestamp-without-offset': 'refused' }, bare)).toBe(400);
  },
  'timestamp-future': async () => {
    const ahead = (seconds: number) => stamped(new Date(NOON + seconds * 1000).toISOString());
    expect(await statusOf({}, ahead(600))).toBe(200);
    expect(await statusOf({}, ahead(601))).toBe(400);
    expect(await statusOf({ 'timestamp-future': 'accepted' }, ahead(DAY_S))).toBe(200);
    expect(await statusOf({ 'timestamp-future': 'refused' }, ahead(30))).toBe(200);
    expect(await statusOf({ 'timestamp-future': 'refused' }, ahead(31))).toBe(400);
  },
  'nostr-replay': async () => {
    const twice = async (caller: Caller): Promise<Reply> => {
      await caller.platform({ nostr: 'abc123' });
      return caller.platform({ nostr: 'abc123' });
    };
    const refused = { 'nostr-replay': 'refused' } as const;
    expect(await statusOf({}, twice)).toBe(200);
    expect(await statusOf(refused, twice)).toBe(400);
    const later = async (caller: Caller, server: RunningServer): Promise<Reply> => {
      await caller.platform({ nostr: 'abc123' });
      server.clock.advance(600);
      return caller.platform({ nostr: 'abc123' });
    };
    expect(await statusOf(refused, later)).toBe(200);
  },
  'unknown-scope': async () => {
    const asks = (caller: Caller) => caller.platform({ scope: 'public fly' });
    expect(await statusOf({}, asks)).toBe(400);
    await withServer({ 'unknown-scope': 'granted' }, async (caller) => {
      expect((await asks(caller)).body.scope).toBe('public fly');
    });
    await withServer({ 'unknown-scope': 'dropped' }, async (caller) => {
      expect((await asks(caller)).body.scope).toBe('public');
    });
  },
  'failed-requests-count': async () => {
    const afterFailures = async (caller: Caller): Promise<Reply> => {
      for (let sent = 0; sent < 10; sent++) await caller.platform({}, { key: 'wrong' });
      return caller.platform();
    };
    expect(await statusOf({}, afterFailures)).toBe(200);
    expect(await statusOf({ 'failed-requests-count': 'yes' }, afterFailures)).toBe(429);
  },
  'day-boundary': async () => {
    const pastMidnight = async (caller: Caller, server: RunningServer): Promise<Reply> => {
      for (let sent = 0; sent < 10; sent++) await caller.platform();
      server.clock.advance(12 * HOUR_S);
      return caller.platform();
    };
    const aDayLater = async (caller: Caller, server: RunningServer): Promise<Reply> => {
      for (let sent = 0; sent < 10; sent++) await caller.platform();
      server.clock.advance(DAY_S);
      return caller.platform();
    };
    expect(await statusOf({}, pastMidnight)).toBe(200);
    expect(await statusOf({ 'day-boundary': 'rolling' }, pastMidnight)).toBe(429);
    expect(await statusOf({ 'day-boundary': 'rolling' }, aDayLater)).toBe(200);
  },
  'refused-request-extends-ban': async () => {
    const knocking = async (caller: Caller, server: RunningServer): Promise<Reply> => {
      await exceed(caller);
      server.clock.advance(23 * HOUR_S);
      await caller.platform();
      server.clock.advance(2 * HOUR_S);
      return caller.platform();
    };
    expect(await statusOf({}, knocking)).toBe(200);
    expect(await statusOf({ 'refused-request-extends-ban': 'yes' }, knocking)).toBe(403);
  },
  'ban-reach': async () => {
    const user = async (caller: Caller): Promise<Reply> => {
      await exceed(caller);
      return caller.user();
    };
    const estimate = async (caller: Caller): Promise<Reply> => {
      const token = await tokenOf(caller);
      await exceed(caller);
      return caller.estimate(token);
    };
    expect(await statusOf({}, user)).toBe(200);
    expect(await statusOf({ 'ban-reach': 'tokens' }, user)).toBe(403);
    expect(await statusOf({ 'ban-reach': 'tokens' }, estimate)).toBe(200);
    expect(await statusOf({ 'ban-reach': 'everything' }, user)).toBe(403);
    expect(await statusOf({ 'ban-reach': 'everything' }, estimate)).toBe(403);
  },
  'user-quota-reach': async () => {
    const another = async (caller: Caller): Promise<Reply> => {
      for (let sent = 0; sent < 6; sent++) await caller.user({}, 'u1');
      return caller.user({}, 'u2');
    };
    expect(await statusOf({}, another)).toBe(403);
    expect(await statusOf({ 'user-quota-reach': 'user' }, another)).toBe(200);
    expect(
      await statusOf({ 'user-quota-reach': 'user' }, async (caller) => {
        for (let sent = 0; sent < 6; sent++) await caller.user({}, 'u1');
        return caller.user({}, 'u1');
      }),
    ).toBe(403);
  },
  'refresh-replay-consequence': async () => {
    const replayed = async (caller: Caller): Promise<string[]> => {
      const first = (await caller.platform()).body;
      const second = (await caller.refresh(first.refresh_token)).body;
      await caller.refresh(first.refresh_token);
      return [second.access_token, second.refresh_token];
    };
    const after = async (caller: Caller): Promise<number[]> => {
      const [accessToken, refreshToken] = await replayed(caller);
      const estimate = await caller.estimate(accessToken);
      return [estimate.status, (await caller.refresh(refreshToken)).status];
    };
    await withServer({}, async (caller) => expect(await after(caller)).toEqual([200, 200]));
    await withServer({ 'refresh-replay-consequence': 'family-ended' }, async (caller) =>
      expect(await after(caller)).toEqual([401, 400]),
    );
  },
  'user-token-platform-header': async () => {
    const bare = async (caller: Caller) => caller.estimate(await userTokenOf(caller));
    expect(await statusOf({}, bare)).toBe(200);
    expect(await statusOf({ 'user-token-platform-header': 'refused' }, bare)).toBe(401);
  },
  'error-status': async () => {
    const unsigned = (caller: Caller) => caller.platform({}, { key: 'wrong' });
    expect(await statusOf({ 'error-status': { 'signature-invalid': 418 } }, unsigned)).toBe(418);
  },
  'error-body': async () => {
    const ask = (caller: Caller) => caller.platform({ nostr: 'short' });
    await withServer({}, async (caller) => {
      expect((await ask(caller)).body).toEqual({
        error: {
          code: 'field-invalid',
          message: 'The field nostr must be exactly 6 characters.',
          field: 'nostr',
          rule: 'token/nostr-length',
        },
      });
    });
    await withServer({ 'error-body': 'text' }, async (caller) => {
      const { text, headers } = await ask(caller);
      expect(text).toBe('The field nostr must be exactly 6 characters.\n');
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    });
    await withServer({ 'error-body': 'empty' }, async (caller) => {
      const { text, headers } = await ask(caller);
      expect([text, headers.get('content-type')]).toEqual(['', null]);
    });
  },
  'unknown-product-type': async () => {
    const ask = asked({ product_type: 'express-boat' });
    expect(await statusOf({}, ask)).toBe(400);
    await withServer({ 'unknown-product-type': 'no-estimate' }, async (caller) =>
      expect((await ask(caller)).text).toBe('[]'),
    );
    await withServer({ 'unknown-product-type': 'estimated' }, async (caller) =>
      expect((await ask(caller)).body[0]?.product_type).toBe('express-car'),
    );
  },
  'unknown-ride-type': async () => {
    const ask = asked({ ride_type: 'hovercraft' });
    await withServer({}, async (caller) =>
      expect((await ask(caller)).body[0]?.ride_type).toBe('hovercraft'),
    );
    expect(await statusOf({ 'unknown-ride-type': 'refused' }, ask)).toBe(400);
    await withServer({ 'unknown-ride-type': 'no-estimate' }, async (caller) =>
      expect((await ask(caller)).text).toBe('[]'),
    );
  },
  'map-types': async () => {
    expect(await statusOf({}, asked({ map_type: 'wgs84' }))).toBe(200);
    expect(await statusOf({ 'map-types': ['gcj02'] }, asked({ map_type: 'wgs84' }))).toBe(400);
    expect(await statusOf({ 'map-types': ['gcj02'] }, asked({ map_type: 'gcj02' }))).toBe(200);
    expect(await statusOf({ 'map-types': ['gcj02'] }, asked({ map_type: 'soso' }))).toBe(200);
  },
  'no-estimate-answer': async () => {
    const none = { 'unknown-product-type': 'no-estimate' } as const;
    const ask = asked({ product_type: 'boat' });
    expect(await statusOf(none, ask)).toBe(200);
    expect(await statusOf({ ...none, 'no-estimate-answer': 'refused' }, ask)).toBe(404);
  },
  'car-type-codes': async () => {
    await withServer({ 'car-type-codes': [7] }, async (caller) =>
      expect((await asked({})(caller)).body[0]?.car_type).toBe(7),
    );
  },
  'pay-type-codes': async () => {
    const express = asked({ product_type: 'express-car', ride_type: 'express' });
    await withServer({ 'pay-type-codes': ['wallet', 'cash', 'card'] }, async (caller) => {
      expect((await asked({})(caller)).body[0]?.pay_type).toBe('wallet');
      expect((await express(caller)).body[0]?.pay_type).toBe('wallet,cash');
    });
  },
  'estimate-rate-limit': async () => {
    await withServer({ 'estimate-rate-limit': { perSecond: 2 } }, async (caller, server) => {
      const token = await tokenOf(caller);
      const statuses = async (): Promise<number[]> => [
        (await caller.estimate(token)).status,
        (await caller.estimate(token)).status,
        (await caller.estimate(token)).status,
      ];
      expect(await statuses()).toEqual([200, 200, 429]);
      server.clock.advance(1);
      expect(await statuses()).toEqual([200, 200, 429]);
    });
  },
  'estimate-content-type-required': async () => {
    const without = async (caller: Caller) =>
      caller.estimate(await tokenOf(caller), { contentType: null });
    expect(await statusOf({}, without)).toBe(200);
    expect(await statusOf({ 'estimate-content-type-required': 'yes' }, without)).toBe(400);
  },
  'token-type-spelling': async () => {
    await withServer({ 'token-type-spelling': 'bear' }, async (caller) =>
      expect((await caller.platform()).body.token_type).toBe('bear'),
    );
  },
  'version-policy': async () => {
    const path = '/v2/oauth/token';
    const second = (caller: Caller) => caller.platform({}, { path });
    expect(await statusOf({}, second)).toBe(404);
    expect(await statusOf({ 'version-policy': 'any-version' }, second)).toBe(200);
    const none = (caller: Caller) => caller.platform({}, { path: '/oauth/token' });
    expect(await statusOf({ 'version-policy': 'any-version' }, none)).toBe(404);
  },
  'refresh-scope': async () => {
    const refreshed = async (caller: Caller, held: string, scope?: string): Promise<unknown> => {
      const { body } = await caller.platform({ scope: held });
      const answer = await caller.refresh(body.refresh_token, { scope });
      return answer.status === 200 ? answer.body.scope : answer.status;
    };
    const wide = 'public rides.read';
    await withServer({}, async (caller) => {
      expect(await refreshed(caller, wide)).toBe(wide);
      expect(await refreshed(caller, 'public', wide)).toBe(wide);
    });
    await withServer({ 'refresh-scope': { unnamed: 'public', wider: 'kept' } }, async (caller) => {
      expect(await refreshed(caller, wide)).toBe('public');
      expect(await refreshed(caller, 'public', wide)).toBe('public');
      expect(await refreshed(caller, wide, 'rides.read')).toBe('rides.read');
    });
    await withServer({ 'refresh-scope': { wider: 'refused' } }, async (caller) => {
      const { refresh_token } = (await caller.platform()).body;
      expect((await caller.refresh(refresh_token, { scope: wide })).status).toBe(400);
      expect((await caller.refresh(refresh_token)).body.scope).toBe('public');
    });
  },
  'auth-code-reuse': async () => {
    const again = async (caller: Caller): Promise<Reply> => {
      const auth_code = await caller.code();
      const grant = { grant_type: 'authorization_code', auth_code };
      expect((await caller.platform(grant)).status).toBe(200);
      return caller.platform(grant);
    };
    expect(await statusOf({}, again)).toBe(400);
    expect(await statusOf({ 'auth-code-reuse': 'accepted' }, again)).toBe(200);
  },
  'departure-time-text': async () => {
    const at = (departure_time: string) => asked({ departure_time });
    for (const text of [
      '2026-03-02T12:00:00Z',
      '2026-03-02T20:00:00.5+08:00',
      '2026-03-02 12:00:00',
    ]) {
      await withServer({}, async (caller) => {
        const [seconds] = [(await at('1772452800')(caller)).body[0]?.estimate_price];
        expect((await at(text)(caller)).body[0]?.estimate_price).toBe(seconds);
      });
      expect(await statusOf({ 'departure-time-text': 'refused' }, at(text))).toBe(400);
    }
    for (const text of ['tomorrow', '2026-03-02', '1969-12-31T23:59:59Z', '2300-01-01T00:00:00Z'])
      expect(await statusOf({}, at(text))).toBe(400);
  },
  'platform-token-after-refresh': async () => {
    const old = async (caller: Caller): Promise<Reply> => {
      const { access_token, refresh_token } = (await caller.platform()).body;
      const { status, body } = await caller.refresh(refresh_token);
      expect([status, (await caller.estimate(body.access_token)).status]).toEqual([200, 200]);
      return caller.estimate(access_token);
    };
    expect(await statusOf({}, old)).toBe(200);
    expect(await statusOf({ 'platform-token-after-refresh': 'ended' }, old)).toBe(401);
  },
  'newest-user-token-reach': async () => {
    const first = async (caller: Caller): Promise<Reply> => {
      const { access_token } = (await caller.user({}, 'u1')).body;
      await caller.user({}, 'u2');
      return caller.userEstimate(access_token);
    };
    expect(await statusOf({}, first)).toBe(200);
    expect(await statusOf({ 'newest-user-token-reach': 'partner' }, first)).toBe(401);
  },
  'whitespace-trimmed': async () => {
    const padded = (whitespace: 'unicode' | 'php', note: string) =>
      signedWith({ 'whitespace-trimmed': whitespace }, { note });
    const wide = padded('unicode', '\u3000a\u00a0');
    expect(await statusOf({}, wide)).toBe(401);
    expect(await statusOf({ 'whitespace-trimmed': 'unicode' }, wide)).toBe(200);
    for (const php of [padded('php', 'a\0'), padded('php', 'a\f')]) {
      expect(await statusOf({}, php)).toBe(401);
      expect(await statusOf({ 'whitespace-trimmed': 'php' }, php)).toBe(200);
    }
    const name = async (caller: Caller): Promise<Reply> => {
      const query = { ...QUERY, to_name: 'Palace\u00a0' };
      const signature = sign({ ...query, to_name: 'Palace' }, caller.key);
      return caller.userEstimate(await userTokenOf(caller), { query, signature });
    };
    expect(await statusOf({}, name)).toBe(401);
    expect(await statusOf({ 'whitespace-trimmed': 'unicode' }, name)).toBe(200);
  },
  'null-and-empty-list-signed': async () => {
    const lists = signedWith({ 'null-and-empty-list-signed': 'lists' }, { a: [], b: {} });
    const both = signedWith({ 'null-and-empty-list-signed': 'both' }, { a: [], b: null });
    for (const [value, request] of [
      ['lists', lists],
      ['both', both],
    ] as const) {
      expect(await statusOf({}, request)).toBe(401);
      expect(await statusOf({ 'null-and-empty-list-signed': value }, request)).toBe(200);
    }
    expect(await statusOf({ 'null-and-empty-list-signed': 'lists' }, both)).toBe(401);
    expect(await statusOf({}, (caller) => caller.platform({ a: null, b: [] }))).toBe(200);
  },
  'token-content-type-required': async () => {
    const sent = (contentType: string) => (caller: Caller) => caller.platform({}, { contentType });
    expect(await statusOf({}, sent('text/plain'))).toBe(200);
    const required = { 'token-content-type-required': 'yes' } as const;
    expect(await statusOf(required, sent('text/plain'))).toBe(400);
    expect(await statusOf(required, sent('application/json-seq'))).toBe(400);
    expect(await statusOf(required, sent('Application/JSON; charset=utf-8'))).toBe(200);
  },
  'token-rate-limit': async () => {
    await withServer({ 'token-rate-limit': { perSecond: 2 } }, async (caller, server) => {
      const statuses = async (): Promise<number[]> => [
        (await caller.platform()).status,
        (await caller.platform({}, { key: 'wrong' })).status,
        (await caller.platform()).status,
      ];
      expect(await statuses()).toEqual([200, 401, 429]);
      expect((await (await Caller.fresh(server)).platform()).status).toBe(200);
      server.clock.advance(1);
      expect(await statuses()).toEqual([200, 401, 429]);
    });
  },
  'states-and-transitions': () => hasNoSetting('states-and-transitions'),
  'ride-and-user-endpoints': () => hasNoSetting('ride-and-user-endpoints'),
  events: () => hasNoSetting('events'),
};

/** A gap that no request shows can only be said to be so. */
async function hasNoSetting(id: GapId): Promise<void> {
  await withServer({ [id]: 'not-shown' }, async (caller) => {
    expect((await caller.platform()).status).toBe(200);
  });
  await expect(startServer({ behaviour: { [id]: 'anything' } })).rejects.toThrow(id);
}

describe('gaps', () => {
  it.each(GAPS.map(({ id }) => id))('%s has its default and its settings', async (id) => {
    await expect(CASES[id]()).resolves.toBeUndefined();
  });

  it('do not change errors of the control API', async () => {
    await withServer({ 'error-body': 'empty' }, async (_, server) => {
      expect((await control(server, 'GET', '/nothing')).body.error.code).toBe('path-unknown');
    });
  });
});
