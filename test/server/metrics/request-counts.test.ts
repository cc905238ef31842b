import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/server/index.ts';
import type { ServerMetrics } from '../../../src/server/metrics/request-counts.ts';
import { ShardedMap } from '../../../src/server/service/state/maps.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { Caller, control, frozen } from '../caller.ts';
import { exceed, tokenOf, userTokenOf } from '../on-server.ts';

let server: RunningServer | undefined;
afterEach(async () => server?.close(0));

async function start(options: ServerOptions = {}): Promise<Caller> {
  server = await startServer({ controlPort: 0, clock: frozen, metrics: true, ...options });
  return Caller.fresh(server);
}

const read = (): Promise<ServerMetrics> => server!.metrics!();

async function requests(): Promise<Record<string, number>> {
  const { requests: counted } = await read();
  return Object.fromEntries(
    counted.map(({ endpoint, status, count }) => [`${endpoint} ${status}`, count]),
  );
}

const estimate = (partner: string, token: string): string =>
  `GET /v1/estimates/prices?start_lat=0&start_lng=0&from_name=a&end_lat=1&end_lng=0&to_name=b&product_type=private-car&ride_type=compact HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${partner}|${token}\r\n\r\n`;

describe('a server that counts', () => {
  it('counts requests by endpoint and status, those of the fast path too', async () => {
    const caller = await start();
    const token = await tokenOf(caller);
    await caller.platform({}, { signature: '0'.repeat(32) });
    await caller.estimate(token, { authorization: null });
    await fetch(`${server!.baseUrl}/healthz`);
    await fetch(`${server!.baseUrl}/nothing/here?a=${token}`);
    const three = estimate(caller.id, token).repeat(3);
    expect((await sendRaw(server!.port, three, { answers: 3 })).statuses).toEqual([200, 200, 200]);
    expect(await read()).toMatchObject({ fastPathAnswers: 3 });
    expect(await requests()).toEqual({
      'token 200': 1,
      'token 401': 1,
      'estimates 401': 1,
      'estimates 200': 3,
      'health 200': 1,
      'other 404': 1,
    });
  });

  it('adds what node:http answered to what the fast path did', async () => {
    const caller = await start();
    const token = await tokenOf(caller);
    const one = estimate(caller.id, token);
    const other = one.replace('\r\n\r\n', '\r\nX-Other: \u0001\r\n\r\n').replace('\u0001', 'é');
    await sendRaw(server!.port, one, { answers: 1 });
    await sendRaw(server!.port, other, { answers: 1 });
    expect(await read()).toMatchObject({ fastPathAnswers: 1 });
    expect(await requests()).toMatchObject({ 'estimates 200': 2 });
  });

  it('counts bytes that are no request', async () => {
    await start();
    await sendRaw(server!.port, 'this is not HTTP\r\n\r\n');
    expect(await requests()).toEqual({ 'malformed 400': 1 });
  });

  it('counts a request that was cut as malformed, and not as answered', async () => {
    await start();
    const cut = 'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc';
    await sendRaw(server!.port, cut, { ends: true });
    expect(await requests()).toEqual({ 'malformed 400': 1 });
  });

  it('names the rules by which requests were refused', async () => {
    const caller = await start();
    await exceed(caller);
    await caller.platform();
    expect((await read()).refusals).toEqual([
      { rule: 'quota/platform-refuses-11th', count: 1 },
      { rule: 'quota/ban-lasts-24h', count: 1 },
    ]);
  });

  it('counts tokens and bans while they last', async () => {
    const caller = await start();
    await tokenOf(caller);
    await userTokenOf(caller);
    await userTokenOf(caller);
    await exceed(await Caller.fresh(server!));
    // The newer token of the same user ends the older one.
    expect(await read()).toMatchObject({
      validTokens: { platform: 11, user: 1 },
      storedTokens: { access: 13, refresh: 13, usedRefresh: 0 },
      bans: 1,
    });
    await control(server!, 'POST', '/clock', { advanceSeconds: 7200 });
    expect(await read()).toMatchObject({ validTokens: { platform: 0, user: 0 }, bans: 1 });
    await control(server!, 'POST', '/clock', { advanceSeconds: 79_200 });
    expect((await read()).bans).toBe(0);
  });

  it('counts nothing unless it is asked to', async () => {
    await start({ metrics: false });
    expect(server!.metrics).toBeNull();
  });

  it('counts many entries in several turns of the event loop', async () => {
    const map = new ShardedMap<number>();
    for (let at = 0; at < 20_000; at++) map.set(`key-${at}`, at);
    let turns = 0;
    let isCounting = true;
    const turn = (): void => {
      turns++;
      if (isCounting) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await map.count((value) => value % 2 === 0)).toBe(10_000);
    isCounting = false;
    expect(turns).toBeGreaterThan(1);
  });
});
