// @module-tag long

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningServer, startServer } from '../../../src/server/index.ts';
import { compiledPackage } from '../../support/compiled.ts';
import { isDefect } from '../../support/raw-socket.ts';
import { NOON } from '../caller.ts';
import { hostileRequests } from '../http/hostile-requests.ts';
import { conversations, fastRequests } from '../speed/requests.ts';
import type { Credentials } from '../speed/twins.ts';
import { converse, issueSame, PARTNERS, PATIENT, seededRandom } from '../speed/twins.ts';

/** 20,000 by hand: FAREPROOF_DIFFERENTIAL_CASES=20000 npx vitest run test/server/workers/same-answers.test.ts */
const CASES = Number(process.env['FAREPROOF_DIFFERENTIAL_CASES'] ?? 200);
/** 20,000 by hand, likewise. */
const HOSTILE = Number(process.env['FAREPROOF_FUZZ_REQUESTS'] ?? 200);
const SEED = Number(process.env['FAREPROOF_FUZZ_SEED'] ?? 1);
const LIMIT_MS = 120_000 + Math.max(CASES, HOSTILE) * 100;

/**
 * Stops the clock of each process that is started. Workers have the machine's time: a server with a clock
 * of its own has one process.
 */
const STOPPED = `--import=data:text/javascript,Date.now=()=>${NOON}`;
/** The two bytes of an estimate_id that name the process, in what {@link converse} makes of it. */
const PROCESS = /(?<="estimate_id":"[\da-f]{8})[\da-f]{4}/g;

const compiled = compiledPackage();

describe('two workers and one process', () => {
  let together: RunningServer;
  let alone: RunningServer;
  let credentials: Credentials;
  beforeAll(async () => {
    vi.setSystemTime(NOON);
    vi.stubEnv('NODE_OPTIONS', STOPPED);
    const server = await compiled.load<{ startServer: typeof startServer }>('server/index.js');
    const start = (workers: number): Promise<RunningServer> =>
      server.startServer({
        timeouts: PATIENT,
        random: seededRandom(7),
        partners: PARTNERS,
        workers,
        // A busy machine may keep a process from the processor for seconds.
        workerSilenceMs: 60_000,
      });
    [together, alone] = [await start(2), await start(1)];
    vi.unstubAllEnvs();
    credentials = await issueSame(together, alone);
  });
  afterAll(async () => {
    vi.useRealTimers();
    await Promise.all([together?.close(0), alone?.close(0)]);
  });

  /** Sends the same to both. @returns how often each status was answered, and by which processes */
  async function compare(
    requests: fc.Arbitrary<Buffer[]>,
    numRuns: number,
  ): Promise<{ statuses: Map<number, number>; processes: Set<string> }> {
    const statuses = new Map<number, number>();
    const processes = new Set<string>();
    const answersOf = async ({ port }: RunningServer, segments: Buffer[], seen: Set<string>) => {
      const { answers, isClosed } = await converse(port, segments, { ends: true });
      const comparable = answers.map((answer) => {
        for (const [process] of answer.body.matchAll(PROCESS)) seen.add(process);
        return { ...answer, body: answer.body.replace(PROCESS, '') };
      });
      return { answers: comparable, isClosed };
    };
    await fc.assert(
      fc.asyncProperty(requests, async (segments) => {
        const [shared, single] = await Promise.all([
          answersOf(together, segments, processes),
          answersOf(alone, segments, new Set()),
        ]);
        expect(shared).toEqual(single);
        for (const { status } of shared.answers) {
          expect(isDefect(status)).toBe(false);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }),
      { numRuns, seed: SEED },
    );
    if (numRuns > 10_000) console.log({ statuses: Object.fromEntries(statuses), processes });
    return { statuses, processes };
  }

  it(`answer ${CASES} generated connections the same`, { timeout: LIMIT_MS }, async () => {
    const { statuses, processes } = await compare(conversations(credentials), CASES);
    // Of some hundred connections, not each seed has one with the rarer answers.
    const rare = CASES < 5_000 ? [] : [403, 404];
    for (const status of [200, 400, 401, ...rare]) {
      expect(statuses.get(status)).toBeGreaterThan(CASES / 1_000);
    }
    // Both answered, and none has been replaced.
    expect(processes.size).toBe(2);
  });

  it('answer a signed estimate with each kind of token the same', {
    timeout: LIMIT_MS,
  }, async () => {
    const { user, platform, expired, superseded, ended, withoutPublic } = credentials;
    const tokens = [user, platform, expired, superseded, ended, withoutPublic, 'unknown'];
    const signed = fc
      .constantFrom(...tokens)
      .chain((token) => fastRequests({ ...credentials, platform: token, user: token }));
    const { statuses } = await compare(
      signed.map((request) => [request]),
      Math.ceil(CASES / 5),
    );
    for (const status of [200, 401]) expect(statuses.get(status)).toBeGreaterThan(0);
  });

  it(`answer ${HOSTILE} malformed requests the same`, { timeout: LIMIT_MS }, async () => {
    const { partnerId, signingKey, platform: accessToken } = credentials;
    const now = new Date(together.clock.now()).toISOString();
    const hostile = hostileRequests({ partnerId, signingKey, accessToken, now });
    const { statuses } = await compare(
      hostile.map((request) => [request]),
      HOSTILE,
    );
    for (const status of [200, 400, 401]) expect(statuses.get(status)).toBeGreaterThan(0);
  });
});
