import { expect, it } from 'vitest';
import { certifyClient } from '../../../src/conformance/client/certify-client.ts';
import {
  type ClientResult,
  recheckClient,
} from '../../../src/conformance/client/judging/judge-client.ts';
import { Listener } from '../../../src/conformance/client/listener.ts';
import type { RunClient } from '../../../src/conformance/client/scenario/run-scenario.ts';
import { sampleRunner } from '../../../src/conformance/client/selfcheck/judge-sample.ts';
import type { CapturedExchange } from '../../../src/conformance/client/traffic/captured.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';
import { steadyClock } from '../../../src/conformance/steady-clock.ts';
import { startServer } from '../../../src/server/index.ts';
import { estimate, KNOWN_PARTNER, tokenRequest } from './client-traffic.ts';
import { SCENARIOS, sleepingWorld } from './reference.ts';

const NAME = 'token-expiry';
const HOUR_MS = 3_600_000;

/** Certifies a right client, whose machine's clock is set back by an hour in each of its first runs. */
async function certify(steppedRuns: number) {
  const world = sleepingWorld();
  let setMs = 0;
  let runs = 0;
  const machine = steadyClock({
    now: () => world.now() + setMs,
    monotonicNs: () => 1e6 * world.now(),
  });
  const wall = { ...world, now: () => world.now() + setMs };
  const client = sampleRunner({}, wall, 1);
  const runClient: RunClient = async (...given) => {
    if (runs++ < steppedRuns) setMs -= HOUR_MS;
    await world.sleep(1);
    return client(...given);
  };
  const scenarios = SCENARIOS.filter(({ name }) => name === NAME);
  const common = { name: 'a client', seed: 5, concurrency: 1, orders: 'yes', scenarios } as const;
  const startReference: typeof world.startReference = (options) =>
    startServer({ ...options, clock: wall });
  const { result } = await certifyClient({
    ...common,
    ...wall,
    startReference,
    machine,
    runClient,
  });
  return { result, runs };
}

const failedIn = ({ rules }: Pick<ClientResult, 'rules'>) =>
  rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);

it('runs a scenario again in which the clock was set', async () => {
  const { result, runs } = await certify(1);
  expect(runs).toBe(2);
  expect(failedIn(result)).toEqual([]);
  expect(result.scenarios).toMatchObject([{ name: NAME, verdict: 'pass' }]);
});

it('judges nothing by a scenario in which the clock was set each time, when it is judged again too', async () => {
  const { result, runs } = await certify(5);
  expect(runs).toBe(3);
  expect(failedIn(result)).toEqual([]);
  expect(result.scenarios).toMatchObject([
    {
      name: NAME,
      verdict: 'inconclusive',
      missing: [expect.stringContaining('it was set by about -3600 s') as string],
    },
  ]);
  const again = recheckClient(result);
  expect(again?.rules).toEqual(result.rules);
  expect(again?.scenarios.map(({ verdict }) => verdict)).toEqual(['inconclusive']);
  expect(Date.parse(result.finishedAt)).toBeGreaterThanOrEqual(Date.parse(result.startedAt));
});

/** Judges requests while listening; returns the rules that are reported, and those that fail at the end. */
function listenTo(exchanges: readonly CapturedExchange[]) {
  const listener = new Listener(
    {
      partners: [KNOWN_PARTNER],
      baseUrlOf: () => 'http://127.0.0.1:1',
      signedFields: ALL_FIELDS,
      orders: 'yes',
    },
    true,
  );
  const reported = exchanges.flatMap((exchange) => listener.take(exchange).broken);
  const result = listener.result({
    target: { name: 'a client', baseUrl: 'http://127.0.0.1:1', environment: 'production' },
    startedAt: '2026-03-02T12:00:00.000Z',
    finishedAt: '2026-03-02T12:01:00.000Z',
  });
  expect(failedIn(recheckClient(result) ?? result)).toEqual(failedIn(result));
  return { reported: reported.map(({ rule }) => rule), failed: failedIn(result) };
}

/** A step of the clock by an hour, noted on an exchange. */
const afterStep = (exchange: CapturedExchange): CapturedExchange => ({
  ...exchange,
  clockStepMs: HOUR_MS,
});

it('judges no age across a step of the clock while it listens', () => {
  const token = tokenRequest('a', {}, 1800);
  const late = [HOUR_MS, HOUR_MS + 1000].map((at) => estimate('a', { at }));
  expect(listenTo([token, ...late])).toEqual({
    reported: ['client/expiry-respected', 'client/expiry-respected'],
    failed: ['client/expiry-respected'],
  });
  const [first, ...others] = late.map((one, at) => (at === 0 ? afterStep(one) : one));
  expect(listenTo([token, ...(first ? [first] : []), ...others])).toEqual({
    reported: [],
    failed: [],
  });
});

it('judges the time in no request that came with a step', () => {
  const stale = tokenRequest('a', { fields: { _: '2026-03-02T11:00:00.000Z' } });
  expect(listenTo([stale]).failed).toEqual(['client/timestamp-fresh']);
  expect(listenTo([tokenRequest('a'), afterStep(stale)]).failed).toEqual([]);
});

/** Marks a request with the time by which the clock had been set. */
const clockSet = (exchange: CapturedExchange, clockSetByMs: number): CapturedExchange => ({
  ...exchange,
  clockSetByMs,
});

it('judges the time in a request by the clock as it was set and as it was before', () => {
  const behind = tokenRequest('a', { at: 1000, fields: { _: '2026-03-02T11:00:00.000Z' } });
  const right = tokenRequest('b');
  expect(listenTo([right, behind]).failed).toEqual(['client/timestamp-fresh']);
  // The clock was right, and was set wrong.
  expect(listenTo([right, clockSet(behind, HOUR_MS)]).failed).toEqual([]);
  // It was wrong, and was set right.
  const before = tokenRequest('a', { fields: { _: '2026-03-02T11:00:00.000Z' } });
  const after = clockSet(tokenRequest('b', { at: 1000 }), -HOUR_MS);
  expect(listenTo([before, after]).failed).toEqual([]);
  // By neither of both it is right.
  expect(listenTo([right, clockSet(behind, 2 * HOUR_MS)]).failed).toEqual([
    'client/timestamp-fresh',
  ]);
});

it('accuses no client whose own clock was not set between two scenarios', async () => {
  const world = sleepingWorld();
  let setMs = 0;
  const wall = { ...world, now: () => world.now() + setMs };
  const machine = steadyClock({ now: wall.now, monotonicNs: () => 1e6 * world.now() });
  const { result } = await certifyClient({
    name: 'a client',
    seed: 5,
    concurrency: 1,
    orders: 'yes',
    machine,
    now: wall.now,
    scenarios: SCENARIOS.filter(({ name }) => name === NAME || name === 'steady-platform'),
    startReference: (options) => startServer({ ...options, clock: wall }),
    runClient: sampleRunner({}, world, 1),
    onScenario: () => {
      setMs = HOUR_MS;
    },
  });
  expect(result.exchanges.map(({ observed }) => observed.clockSetByMs)).toContain(HOUR_MS);
  expect(failedIn(result)).toEqual([]);
  expect(result.scenarios.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'pass']);
  expect(recheckClient(result)).toMatchObject({ verdict: 'incomplete', rules: result.rules });
});

it('judges what follows a step as before', () => {
  const { failed } = listenTo([
    afterStep(tokenRequest('a')),
    tokenRequest('b', { at: 1000 }, 2),
    estimate('b', { at: 9000 }),
  ]);
  expect(failed).toEqual(['client/expiry-respected']);
});
