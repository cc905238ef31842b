import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveAsAgent } from '../../../src/load/agents/agent.ts';
import { AgentPool, type PoolSettings } from '../../../src/load/agents/pool.ts';
import { joinedOver } from '../../../src/load/agents/remote-agent.ts';
import {
  type LoadClock,
  type LoadOptions,
  type LoadResult,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../src/load/index.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from '../fake-target.ts';
import { type ChannelPair, channelPair } from './channel-pair.ts';

let fake: FakeTarget | undefined;
let pool: AgentPool | undefined;
afterEach(async () => {
  pool?.close();
  await fake?.close();
  pool = undefined;
  fake = undefined;
});

const VERSION = '1.2.3';
const HOUR_NS = 3.6e12;

/** Agents in this process, each with its end of a channel. */
async function openPool(
  count: number,
  { clock = systemClock(), ...settings }: Partial<PoolSettings> = {},
): Promise<ChannelPair[]> {
  const pairs: ChannelPair[] = [];
  pool = await AgentPool.open({
    count,
    workers: 1,
    onLost: 'finish',
    clock,
    joinTimeoutMs: 60_000,
    connect: (number, giveUp) => {
      const pair = channelPair();
      pairs.push(pair);
      const facts = { name: `agent-${number}`, version: VERSION, cores: 2, workers: null };
      const { agent: channel } = pair;
      void serveAsAgent({
        channel,
        clock: aheadBy(number * HOUR_NS, clock),
        facts,
        placement: 'inline',
      });
      return joinedOver(pair.controller, giveUp);
    },
    ...settings,
  });
  return pairs;
}

/** Each machine's monotonic clock starts when the machine does. */
const aheadBy = (ns: number, clock: LoadClock): LoadClock => ({
  now: clock.now,
  monotonicNs: () => clock.monotonicNs() + ns,
});

const run = (
  target: FakeTarget,
  options: Partial<LoadOptions & RunContext> = {},
): Promise<LoadResult> =>
  runLoad({
    ledger: 'none',
    profile: target.profile,
    clock: systemClock(),
    seed: 1,
    rate: 200,
    warmup: '0',
    duration: '500ms',
    timeout: '60s',
    placement: 'inline',
    agents: pool,
    ...options,
  });

describe('a load over agents', () => {
  it('sends what one process sends, whatever the clocks of the agents say', async () => {
    const sent: string[][] = [];
    for (const count of [0, 3]) {
      fake = await startFakeTarget();
      if (count > 0) await openPool(count);
      const result = await run(fake, { arrivals: 'poisson', workers: count || 1 });
      expect(result.achieved.ok).toBe(result.achieved.planned);
      expect(result.latencyUs.response.count).toBe(result.achieved.planned);
      sent.push(fake.paths.toSorted());
      if (count > 0) {
        expect(result.agents?.map(({ sent: own }) => own).reduce((a, b) => a + b)).toBe(
          result.achieved.sent,
        );
      }
      await fake.close();
    }
    expect(sent[0]!.length).toBeGreaterThan(50);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('starts half a second ahead where messages take no time', async () => {
    await openPool(1);
    expect(pool!.startLeadNs).toBe(500e6);
  });

  it('has no warning of Node for a user with many agents', { tags: ['long'] }, async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      fake = await startFakeTarget();
      await openPool(16);
      expect((await run(fake)).agents).toHaveLength(16);
    } finally {
      process.off('warning', onWarning);
    }
    expect(warnings).toEqual([]);
  });

  it('names its agents, with their health', { tags: ['long'] }, async () => {
    fake = await startFakeTarget();
    await openPool(2, { workers: 2 });
    const { agents, generator } = await run(fake);
    expect(generator.workers).toBe(4);
    expect(agents).toMatchObject([
      { name: 'agent-1', workers: 2, cores: 2, sent: 50 },
      { name: 'agent-2', workers: 2, cores: 2, sent: 50 },
    ]);
    expect(agents?.every(({ clockErrorUs = 0 }) => clockErrorUs > 0)).toBe(true);
    expect(agents?.every(({ lost }) => lost === undefined)).toBe(true);
  });

  it('replaces a token at all agents with nothing in flight, and stays for further runs', {
    tags: ['long'],
  }, async () => {
    const clock = unhurriedClock(systemClock());
    fake = await startFakeTarget({
      expiresInSeconds: 1,
      estimate: (request, response) => {
        const newest = `token-${fake?.tokenRequests.length}`;
        if (request.headers.authorization?.endsWith(`|${newest}`)) response.end(ESTIMATE_BODY);
        else response.writeHead(401).end();
      },
    });
    await openPool(2, { clock });
    for (const runNumber of [1, 2]) {
      const options = { clock, as: 'user', seed: runNumber, timeout: '1s' } as const;
      const result = await run(fake, { ...options, duration: '1200ms' });
      expect(result.statuses).toEqual({ 200: result.achieved.planned });
    }
    expect(fake.tokenRequests.length).toBeGreaterThanOrEqual(4);
  });

  it('ends early when it is interrupted', async () => {
    const interrupt = new AbortController();
    fake = await startFakeTarget({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (fake?.paths.length === 50) interrupt.abort();
      },
    });
    await openPool(2);
    const result = await run(fake, { duration: '60s', signal: interrupt.signal });
    expect(result.interrupted).toBe(true);
    expect(result.achieved.planned).toBeLessThan(10_000);
  });
});

describe('an agent that is lost', () => {
  const cutWhen = (paths: number, cut: () => void) => async (): Promise<FakeTarget> => {
    const target: FakeTarget = await startFakeTarget({
      estimate: (_request, response) => {
        response.end(ESTIMATE_BODY);
        if (target.paths.length === paths) cut();
      },
    });
    return target;
  };

  it('makes the run invalid, by name, and the others finish', { tags: ['long'] }, async () => {
    const pairs = await openPool(2);
    fake = await cutWhen(300, () => pairs[1]!.cut())();
    const result = await run(fake, { duration: '2500ms' });
    expect(result.verdict).toBe('invalid');
    expect(result.reason).toContain('Agent agent-2 was lost at');
    const [whole, lost] = result.agents!;
    expect(whole).toMatchObject({ sent: 250 });
    expect(whole!.lost).toBeUndefined();
    expect(lost!.lost).toMatchObject({ how: 'ended' });
    // What it had reported is not lost with it.
    expect(lost!.sent).toBeGreaterThan(0);
    expect(lost!.sent + lost!.lost!.requestsUnaccounted!).toBe(250);
    expect(result.achieved.ok).toBe(250 + lost!.sent);
  });

  it('ends the run where that is asked for', { tags: ['long'] }, async () => {
    const pairs = await openPool(2, { onLost: 'stop' });
    fake = await cutWhen(50, () => pairs[1]!.cut())();
    const result = await run(fake, { duration: '60s' });
    expect(result.verdict).toBe('invalid');
    expect(result.achieved.planned).toBeLessThan(10_000);
    expect(result.interrupted).toBeUndefined();
  });

  it('is noticed by its silence', { tags: ['long'] }, async () => {
    const pairs = await openPool(2);
    fake = await cutWhen(50, () => pairs[0]!.drop(() => true))();
    const result = await run(fake, { duration: '4s' });
    expect(result.agents?.[0]?.lost).toMatchObject({ how: 'silent' });
    expect(result.agents?.[1]?.lost).toBeUndefined();
  });

  it('is replaced before the next run', { tags: ['long'] }, async () => {
    const pairs = await openPool(2);
    pairs[0]!.cut();
    fake = await startFakeTarget();
    const result = await run(fake);
    expect(result.agents?.map(({ name }) => name)).toEqual(['agent-3', 'agent-2']);
    expect(result.achieved.ok).toBe(100);
  });
});

describe('messages of an agent', () => {
  it('count as missing if they were the last ones', { tags: ['long'] }, async () => {
    const pairs = await openPool(2);
    fake = await startFakeTarget();
    let dropped = 0;
    pairs[1]!.drop(({ kind }) => kind === 'update' && ++dropped > 0);
    const result = await run(fake, { duration: '700ms' });
    expect(dropped).toBeGreaterThan(0);
    expect(result.agents?.[1]?.missingUpdates).toBe(dropped);
    expect(result.achieved.ok).toBe(140);
  });

  it('that do not arrive make the run invalid', { tags: ['long'] }, async () => {
    const pairs = await openPool(2);
    fake = await startFakeTarget();
    let updates = 0;
    pairs[1]!.drop(({ kind }) => kind === 'update' && ++updates === 2);
    const result = await run(fake, { duration: '1500ms' });
    expect(result.agents?.map(({ missingUpdates }) => missingUpdates)).toEqual([undefined, 1]);
    expect(result.reason).toContain('1 update of agent agent-2 did not arrive');
    expect(result.verdict).toBe('invalid');
  });
});

const joinedNowhere: PoolSettings['connect'] = (_number, giveUp) =>
  joinedOver(channelPair().controller, giveUp);

describe('an agent that cannot be used', () => {
  it('does not join', async () => {
    const joining = openPool(1, { joinTimeoutMs: 20, connect: joinedNowhere });
    await expect(joining).rejects.toMatchObject({ code: 'AGENT_NOT_JOINED' });
  });

  it('ends before it has joined', async () => {
    const connect: PoolSettings['connect'] = (_number, giveUp) => {
      const pair = channelPair();
      pair.cut();
      return joinedOver(pair.controller, giveUp);
    };
    const joining = openPool(1, { connect });
    await expect(joining).rejects.toMatchObject({ code: 'AGENT_NOT_JOINED' });
  });

  it('does not join: those that did are named, and leave', async () => {
    const pairs = [channelPair(), channelPair(), channelPair()];
    const facts = { name: 'agent-1', version: VERSION, cores: 2, workers: null };
    const { agent: channel } = pairs[0]!;
    const serving = serveAsAgent({ channel, clock: systemClock(), facts });
    // It has joined once it is asked something.
    pairs[0]!.drop(({ kind }) => {
      if (kind === 'pong') pairs[1]!.cut();
      return false;
    });
    const joining = openPool(3, {
      connect: (number, giveUp) => joinedOver(pairs[number - 1]!.controller, giveUp),
    });
    await expect(joining).rejects.toMatchObject({
      code: 'AGENT_NOT_JOINED',
      message: expect.stringMatching(/ended\. Of the 3 that were to join, 1 had \(agent-1\)\.$/),
    });
    expect(await serving).not.toBe('silent');
  });

  it('is not waited for any more after an interruption', async () => {
    const interrupt = new AbortController();
    const joining = openPool(2, { connect: joinedNowhere, signal: interrupt.signal });
    interrupt.abort();
    await expect(joining).rejects.toMatchObject({ code: 'AGENT_NOT_JOINED' });
  });

  it('does not reach the target: nothing is sent', async () => {
    await openPool(2);
    fake = await startFakeTarget();
    const profile = {
      ...fake.profile,
      partners: fake.profile.partners.map((one) => ({ ...one, accessToken: 'own' })),
    };
    await fake.close();
    await expect(run({ ...fake, profile })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      message: expect.stringContaining("on the agent's machine too"),
    });
  });
});

describe('an agent without its controller', () => {
  it('sends nothing more when the channel ends', { tags: ['long'] }, async () => {
    const machine = systemClock();
    let aheadNs = 0;
    const clock = { now: machine.now, monotonicNs: () => machine.monotonicNs() + aheadNs };
    const pairs = await openPool(1, { clock });
    fake = await startFakeTarget();
    const running = run(fake, { clock, duration: '60s' });
    await vi.waitUntil(() => (fake?.paths.length ?? 0) > 20, 60_000);
    pairs[0]!.cut();
    await running;
    const turns = async (): Promise<void> => {
      for (let left = 50; left > 0; left--) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await turns();
    const sent = fake.paths.length;
    // By now 400 more would be due.
    aheadNs = 2e9;
    await turns();
    expect(fake.paths).toHaveLength(sent);
  });
});
