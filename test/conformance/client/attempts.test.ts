import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../src/conformance/client/certify-client.ts';
import { recheckClient } from '../../../src/conformance/client/judging/judge-client.ts';
import type { RunClient } from '../../../src/conformance/client/scenario/run-scenario.ts';
import { sampleRunner } from '../../../src/conformance/client/selfcheck/judge-sample.ts';
import type { Quirks } from '../../../src/conformance/client/selfcheck/sample-requests.ts';
import { SCENARIOS, sleepingWorld } from './reference.ts';

/** Attempts in which the client is terminated at the time limit. */
type HangsIn = (attempt: number) => boolean;

/** Certifies a client on a machine that holds up the server, for 5 s, in some of its attempts. */
async function certify(
  quirksIn: (attempt: number) => Quirks,
  heldUpIn: (attempt: number) => boolean,
  scenario = 'token-expiry',
  hangsIn: HangsIn = () => false,
) {
  const scenarios = SCENARIOS.filter(({ name }) => name === scenario);
  const world = sleepingWorld();
  const environments: Parameters<RunClient>[0][] = [];
  const { result } = await certifyClient({
    ...world,
    name: 'a client',
    seed: 5,
    concurrency: 3,
    orders: 'yes',
    scenarios,
    stalls: {
      delayAt: () => 0,
      longestIn: () => (heldUpIn(environments.length) ? 5000 : 0),
    },
    runClient: async (environment, ...rest) => {
      const attempt = environments.push(environment);
      const runClient = sampleRunner(quirksIn(attempt), world, attempt);
      const end = await runClient(environment, ...rest);
      return hangsIn(attempt) ? { ...end, exitCode: null, ended: 'time-limit' } : end;
    },
  });
  return { result, environments };
}

/** Uses a token once after its end, as a client may that is short of time. */
const late = (attempt: number): Quirks => ({ marginMs: -1100 * attempt });
/** Never asks again for a token. */
const KEPT: Quirks = { marginMs: -60_000, reusesRefused: true };

it('runs a scenario that was held up again, longer, with a fresh partner and server', async () => {
  const { result, environments } = await certify(
    (attempt) => (attempt === 1 ? late(1) : {}),
    (attempt) => attempt === 1,
  );
  const [first, second] = environments;
  expect(environments).toHaveLength(2);
  expect(second?.FAREPROOF_BASE_URL).not.toBe(first?.FAREPROOF_BASE_URL);
  expect(second?.FAREPROOF_SIGNING_KEY).not.toBe(first?.FAREPROOF_SIGNING_KEY);
  expect(second?.FAREPROOF_INTERVAL_MS).toBe(String(2 * Number(first?.FAREPROOF_INTERVAL_MS)));
  expect(result.scenarios).toMatchObject([
    { verdict: 'pass', record: { frame: { attempt: 2 } }, earlier: [{ exitCode: 0 }] },
  ]);
  expect(result.notes.join()).toContain('held up the server for 5000 ms; it was run again');
  expect(recheckClient(JSON.parse(JSON.stringify(result)))).toMatchObject({
    verdict: result.verdict,
    rules: result.rules,
    scenarios: result.scenarios.map(({ output: _output, log: _log, ...one }) => one),
  });
});

it('is inconclusive, and not conformant, if each of three attempts was held up', async () => {
  const { result, environments } = await certify(late, () => true);
  expect(environments).toHaveLength(3);
  expect(result).toMatchObject({
    verdict: 'incomplete',
    scenarios: [
      { verdict: 'inconclusive', missing: [expect.stringContaining('held up the scenario')] },
    ],
  });
});

it('counts what an earlier attempt showed, but what may be chance', async () => {
  const wrong: Quirks = { ...late(1), nostr: () => 'a1B2c3' };
  const { result } = await certify(
    (attempt) => (attempt === 1 ? { ...wrong, tokenMethod: 'PUT' } : {}),
    (attempt) => attempt === 1,
  );
  const broken = result.rules.filter(({ verdict }) => /fail|warn/.test(verdict));
  expect(broken.map(({ id }) => id)).toContain('client/token-method');
});

it('runs no scenario again that was held up and is decided', async () => {
  const { environments } = await certify(
    () => KEPT,
    () => true,
  );
  expect(environments).toHaveLength(1);
});

describe('a client that hangs after a lost answer', () => {
  const STOPPED: Quirks = { endsOnLostAnswer: true };
  const hang = (
    quirksIn: (attempt: number) => Quirks,
    hangsIn: HangsIn,
    heldUpIn: (attempt: number) => boolean = () => false,
  ) => certify(quirksIn, heldUpIn, 'lost-answer', hangsIn);
  const verdictIn = ({ result }: Awaited<ReturnType<typeof hang>>) =>
    result.rules.find(({ id }) => id === 'client/lost-answer-handled')?.verdict;

  it('is not accused if it does not hang again', async () => {
    const run = await hang(
      (attempt) => (attempt === 1 ? STOPPED : {}),
      (attempt) => attempt === 1,
    );
    expect(run.environments).toHaveLength(2);
    expect(verdictIn(run)).toBe('pass');
    expect(run.result.scenarios).toMatchObject([
      { verdict: 'pass', record: { frame: { attempt: 2 } } },
    ]);
    expect(run.result.notes.join()).toMatch(/terminated after \d+ s; it was run again/);
  });

  it('is not accused either if the whole machine was suspended', async () => {
    const isFirst = (attempt: number): boolean => attempt === 1;
    const run = await hang((attempt) => (isFirst(attempt) ? STOPPED : {}), isFirst, isFirst);
    expect(run.environments).toHaveLength(2);
    expect(verdictIn(run)).toBe('pass');
  });

  it('fails if it does, after two attempts', async () => {
    const run = await hang(
      () => STOPPED,
      () => true,
    );
    expect(run.environments).toHaveLength(2);
    expect(verdictIn(run)).toBe('fail');
  });

  it('fails at once if it breaks a rule besides', async () => {
    const run = await hang(
      () => ({ ...STOPPED, tokenMethod: 'PUT' }),
      () => true,
    );
    expect(run.environments).toHaveLength(1);
  });
});
