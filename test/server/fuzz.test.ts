import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/server/index.ts';
import { isDefect, sendRaw } from '../support/raw-socket.ts';
import { Caller, DAY_S, frozen } from './caller.ts';
import { hostileRequests } from './http/hostile-requests.ts';

/** 100,000 by hand: FAREPROOF_FUZZ_REQUESTS=100000 npx vitest run test/server/fuzz.test.ts */
const REQUESTS = Number(process.env['FAREPROOF_FUZZ_REQUESTS'] ?? 3_000);
const BATCH = 1_000;
const AT_ONCE = 50;
const SEED = Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1);

/**
 * Connections with and without the fast path in turn, most of them half-closed: on the others, a request
 * without an end waits for a time limit.
 */
function* connectionsTo(...ports: number[]): Generator<{ port: number; ends: boolean }, never> {
  for (let sent = 0; ; sent++) {
    const port = ports[sent % ports.length] ?? 0;
    yield { port, ends: Math.floor(sent / ports.length) % 10 !== 0 };
  }
}

describe('the server under malformed requests', () => {
  it(`answers after ${REQUESTS} of them, none with a defect`, {
    tags: ['long'],
    timeout: 1_200_000,
  }, async () => {
    const options = {
      clock: frozen,
      timeouts: { headMs: 1_000, requestMs: 1_000, idleMs: 1_000 },
    };
    const server = await startServer({ ...options, controlPort: 0 });
    const caller = await Caller.fresh(server);
    const { access_token: accessToken } = (await caller.platform()).body;
    const known = { id: caller.id, signingKey: caller.key, use: 'general' as const, authCodes: [] };
    const partners = [{ ...known, accessToken }];
    const plain = await startServer({ ...options, partners, fastPath: false });
    const connections = connectionsTo(server.port, plain.port);
    const now = new Date(server.clock.now()).toISOString();
    const credentials = { partnerId: caller.id, signingKey: caller.key, accessToken, now };
    const requests = hostileRequests(credentials);
    const answers = new Map<number, number>();
    const rssBytes: number[] = [];
    for (let sent = 0; sent < REQUESTS; sent += BATCH) {
      const batch = fc.sample(requests, { numRuns: BATCH, seed: SEED + sent });
      const next = batch.values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const request of next) {
            const { port, ends } = connections.next().value;
            const { statuses } = await sendRaw(port, request, ends ? { ends } : { answers: 1 });
            for (const status of statuses) answers.set(status, (answers.get(status) ?? 0) + 1);
          }
        }),
      );
      rssBytes.push(process.memoryUsage.rss());
    }
    if (REQUESTS > BATCH * 10) console.log({ answers: Object.fromEntries(answers), rssBytes });
    expect([...answers.keys()].filter(isDefect)).toEqual([]);
    expect(answers.get(200)).toBeGreaterThan(0);
    expect(answers.get(400)).toBeGreaterThan(0);
    server.clock.advance(2 * DAY_S);
    const { body } = await caller.platform();
    expect((await caller.estimate(body.access_token)).status).toBe(200);
    await Promise.all([server.close(0), plain.close(0)]);
  });
});
