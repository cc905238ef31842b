import { expect, it } from 'vitest';
import { SeededRandom } from '../../../../src/conformance/seeded-random.ts';
import { SpendCounter } from '../../../../src/conformance/service/budget/spend-counter.ts';
import { factsOf } from '../../../../src/conformance/service/contract/target.ts';
import type { WireRequest } from '../../../../src/conformance/service/http/message.ts';
import { Recording } from '../../../../src/conformance/service/resume/recording.ts';
import { Evidence } from '../../../../src/conformance/service/wire/evidence.ts';
import { RateLimiter } from '../../../../src/conformance/service/wire/rate-limit.ts';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';
import { TargetClient } from '../../../../src/conformance/service/wire/target-client.ts';
import { ClockSteps } from '../../../../src/conformance/steady-clock.ts';

const target = {
  name: 'a target',
  baseUrl: 'http://127.0.0.1:1',
  environment: 'production' as const,
  partners: [],
  signature: { tokenFields: 'all' as const, estimateFields: 'all' as const },
  estimates: {},
  headers: {},
};

/** Sends estimates of checks, and returns the connection of each. */
async function connectionsOf(
  ...sent: readonly (readonly [check: string, expects: 'accepted' | 'refused'])[]
): Promise<WireRequest['apart'][]> {
  const apart: WireRequest['apart'][] = [];
  const now = (): number => 0;
  const run = { metered: false, partners: 0, asked: () => true, waits: false };
  const client = new TargetClient({
    target,
    facts: factsOf({ ...target, control: undefined }, run),
    evidence: new Evidence(),
    send: async (request) => {
      if (request.url.endsWith('?own=1')) apart.push(request.apart);
      const response = { status: 200, headers: {}, body: '', bodyBytes: 0, truncated: false };
      return { response, error: null };
    },
    pause: async () => {},
    rateLimit: new RateLimiter(null, now, async () => {}),
    random: new SeededRandom(1),
    stability: new Stability(),
    spend: new SpendCounter(now, 0),
    recording: new Recording([], new Map()),
    runLog: null,
    machine: { now, steps: new ClockSteps() },
    monotonic: now,
    sleepUntil: async () => {},
  });
  const url = `${target.baseUrl}/v1/estimates?own=1`;
  for (const [at, [check, expects]] of sent.entries()) {
    const part = { check, number: at + 1 };
    const label = { purpose: 'an estimate', expects, partnerId: 'p-1', part };
    await client.send({ method: 'GET', url, headers: {}, body: null }, label, {});
  }
  return apart;
}

it('the first of four ordinary estimates of a check is sent apart from odd requests', async () => {
  const six = Array.from({ length: 6 }, () => ['a/b', 'accepted'] as const);
  expect(await connectionsOf(...six, ['c/d', 'accepted'])).toEqual([
    'new',
    undefined,
    undefined,
    undefined,
    'unspoiled',
    undefined,
    'unspoiled',
  ]);
});

it('each odd estimate is sent apart, and one in four of them opens a connection', async () => {
  const four = Array.from({ length: 4 }, () => ['a/b', 'refused'] as const);
  expect(await connectionsOf(['a/b', 'accepted'], ...four)).toEqual([
    'new',
    'unspoiled',
    'unspoiled',
    'unspoiled',
    'new',
  ]);
});
