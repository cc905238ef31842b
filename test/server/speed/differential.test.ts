import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isDefect } from '../../support/raw-socket.ts';
import { Client, restore } from './connection.ts';
import {
  anyRequest,
  conversations,
  fastRequests,
  isForFastPath,
  keptMixes,
  split,
} from './requests.ts';
import type { Delivery, Twins } from './twins.ts';
import { converse, startTwins } from './twins.ts';
import { watchFastPath } from './watch.ts';

/** 100,000 by hand: FAREPROOF_DIFFERENTIAL_CASES=100000 npx vitest run test/server/speed/differential.test.ts */
const CASES = Number(process.env['FAREPROOF_DIFFERENTIAL_CASES'] ?? 1_000);
/** A share of the cases: fast-check never ends after a number of cases that is not whole. */
const oneIn = (parts: number): number => Math.ceil(CASES / parts);
const SEED = Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1);
const LIMIT_MS = 120_000 + CASES * 100;

afterEach(restore);

async function expectSame(
  twins: Twins,
  segments: readonly Buffer[],
  delivery: Delivery = { ends: true },
): Promise<number[]> {
  const [fast, plain] = await Promise.all([
    converse(twins.fast.port, segments, delivery),
    converse(twins.plain.port, segments, delivery),
  ]);
  expect(fast).toEqual(plain);
  const statuses = fast.answers.map(({ status }) => status);
  expect(statuses.filter(isDefect)).toEqual([]);
  return statuses;
}

function count(counts: Map<number, number>, statuses: readonly number[]): void {
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
}

describe.each([
  ['a user token is good in the platform’s header', 'accepted'],
  ['a user token needs its signature', 'refused'],
] as const)('with and without the fast path, where %s', (_, setting) => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins({ 'user-token-platform-header': setting });
  });
  afterAll(async () => {
    await twins.close();
  });

  it(`${oneIn(2)} generated connections get the same answers`, { timeout: LIMIT_MS }, async () => {
    const seen = watchFastPath();
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(conversations(twins.credentials), async (segments) => {
        count(statuses, await expectSame(twins, segments));
      }),
      { numRuns: oneIn(2), seed: SEED },
    );
    if (CASES > 10_000) console.log({ ...seen, statuses: Object.fromEntries(statuses) });
    for (const status of [200, 400, 401, 403, 404, 405, 505]) {
      expect(statuses.get(status)).toBeGreaterThanOrEqual(CASES / 2_000);
    }
    expect(seen.answers).toBeGreaterThan(CASES / 20);
  });

  it('those that end anywhere get the same answers', { timeout: LIMIT_MS }, async () => {
    const anywhere = fc.tuple(conversations(twins.credentials), fc.nat(2_000));
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(anywhere, async ([segments, at]) => {
        const bytes = Buffer.concat(segments);
        const sent = bytes.subarray(0, 1 + (at % bytes.length));
        count(statuses, await expectSame(twins, split(sent, [at * 7, at * 31])));
      }),
      { numRuns: oneIn(6), seed: SEED },
    );
    if (CASES > 10_000) console.log({ statuses: Object.fromEntries(statuses) });
    expect(statuses.get(400)).toBeGreaterThan(CASES / 100);
  });
});

describe('a kept connection with requests for the fast path and for the parser', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins();
  });
  afterAll(async () => {
    await twins.close();
  });

  it('gets the same answers, however it is split', {
    tags: ['long'],
    timeout: LIMIT_MS,
  }, async () => {
    const seen = watchFastPath();
    const cuts = fc.array(fc.nat(5_000), { maxLength: 6 });
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(keptMixes(twins.credentials), cuts, fc.boolean(), async (mix, at, apart) => {
        const statuses = await expectSame(twins, apart ? mix : split(Buffer.concat(mix), at));
        expect(statuses).toHaveLength(mix.length);
        sent += mix.length;
      }),
      { numRuns: oneIn(6), seed: SEED },
    );
    // Half of them are for the fast path, which does not get those behind another in one piece.
    expect(seen.answers).toBeGreaterThan(sent / 5);
  });

  it('returns to the fast path after each request', { timeout: LIMIT_MS }, async () => {
    const mixes = keptMixes(twins.credentials);
    await fc.assert(
      fc.asyncProperty(mixes, async (mix) => {
        const seen = watchFastPath();
        const client = new Client(twins.fast);
        for (const [index, request] of mix.entries()) {
          const before = seen.answers;
          await client.send(request, index + 1);
          expect(seen.answers - before).toBe(Number(isForFastPath(request)));
        }
        client.socket.destroy();
      }),
      { numRuns: oneIn(30), seed: SEED },
    );
  });

  it('gets the same answers wherever it is split', {
    tags: ['long'],
    timeout: LIMIT_MS,
  }, async () => {
    const mixes = fc.sample(keptMixes(twins.credentials), { numRuns: 40, seed: SEED });
    const mix = Buffer.concat(mixes.find(({ length }) => length === 4) ?? []);
    const everywhere = Array.from(mix, (_, at) => at);
    expect(mix.length).toBeGreaterThan(400);
    for (const cut of everywhere) {
      expect(await expectSame(twins, split(mix, [cut]))).toHaveLength(4);
    }
    expect(await expectSame(twins, split(mix, everywhere))).toHaveLength(4);
  });
});

describe('a typical request', () => {
  let twins: Twins;
  beforeAll(async () => {
    twins = await startTwins();
  });
  afterAll(async () => {
    await twins.close();
  });

  it('is always answered by the fast path', { timeout: LIMIT_MS }, async () => {
    const pipelines = fc.array(fastRequests(twins.credentials), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pipelines, async (requests) => {
        const seen = watchFastPath();
        const statuses = await expectSame(twins, [Buffer.concat(requests)]);
        expect(statuses).toEqual(requests.map(() => 200));
        expect(seen).toEqual({ chunks: seen.chunks, answers: requests.length, handedOver: 0 });
      }),
      { numRuns: oneIn(6), seed: SEED },
    );
  });

  it('is answered the same wherever it is split', {
    tags: ['long'],
    timeout: LIMIT_MS,
  }, async () => {
    const [estimate] = fc.sample(fastRequests(twins.credentials), { numRuns: 1, seed: 3 });
    const twice = Buffer.concat([estimate ?? Buffer.alloc(0), estimate ?? Buffer.alloc(0)]);
    const everywhere = Array.from(twice, (_, at) => at);
    for (const cut of everywhere) {
      expect(await expectSame(twins, split(twice, [cut]))).toEqual([200, 200]);
    }
    expect(await expectSame(twins, split(twice, everywhere))).toEqual([200, 200]);
  });

  it('leaves the connection open or closed as the HTTP parser would', {
    tags: ['long'],
  }, async () => {
    const requests = fc.sample(
      fc.oneof(
        fastRequests(twins.credentials),
        anyRequest(twins.credentials),
        conversations(twins.credentials).map((segments) => Buffer.concat(segments)),
      ),
      { numRuns: 120, seed: SEED },
    );
    await Promise.all(requests.map((request) => expectSame(twins, [request], { ends: false })));
  });
});
