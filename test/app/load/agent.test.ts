import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AgentWatch, type AskedAgent, runAgent } from '../../../src/app/load/agent.ts';
import { Broker, JoinDesk, readBrokerAddress } from '../../../src/load/index.ts';
import {
  closeAll,
  connect,
  control,
  open,
  run,
  startServer,
  startTarget,
} from '../../load/agents/nats/members.ts';
import { HOW_TO_GET_NATS_SERVER, isNatsRequired, NATS_SERVER } from '../../support/nats-server.ts';
import { until } from '../../support/until.ts';

if (NATS_SERVER === null) console.warn(`\n!!! ${HOW_TO_GET_NATS_SERVER}\n`);

const VERSION = '1.2.3';

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await closeAll();
});

/** Runs an agent, and notes what its watch is told. */
function start(url: string, more: Partial<AskedAgent> = {}) {
  const told: string[] = [];
  const end = new AbortController();
  open.push(() => end.abort());
  const tell = (words: string) => (): void => void told.push(words);
  const watch: AgentWatch = {
    onWaiting: tell('waiting'),
    onConnection: (isThere) => told.push(`connection ${isThere}`),
    onRefused: (code) => told.push(`refused ${code}`),
    onJoin: tell('joined'),
    onReady: (target) => told.push(`ready ${target}`),
    onRunEnd: tell('run ended'),
    onLeave: tell('left'),
    onRelease: tell('released'),
    onLost: (how) => told.push(`lost ${how}`),
  };
  const asked: AskedAgent = {
    address: readBrokerAddress(url, 'url'),
    credentials: {},
    facts: { name: 'a', version: VERSION, cores: 2, workers: null },
    allowedTargets: [],
    once: false,
    signal: end.signal,
    ...more,
  };
  return { told, end, over: runAgent(asked, watch) };
}

/** Takes agents as a controller does. */
async function openDesk(url: string) {
  const broker = await connect(url);
  await broker.openStream();
  const desk = new JoinDesk(broker, VERSION);
  return () => desk.join(new AbortController().signal);
}

/** Passes the time after which an agent gives up a controller that says nothing. */
async function fallSilent(told: readonly string[], joins: number): Promise<void> {
  await until(() => told.filter((words) => words === 'joined').length === joins);
  vi.advanceTimersByTime(4000);
}

describe.runIf(NATS_SERVER !== null || isNatsRequired)('runAgent', () => {
  it('joins one controller after another, until its signal aborts', async () => {
    const { url } = await startServer();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const join = await openDesk(url);
    const first = join();
    const { told, end, over } = start(url);
    const { channel } = await first;
    channel.send({ kind: 'leave' });
    // Another one of its name is refused before.
    channel.close();
    await until(() => told.includes('released'));
    const second = await join();
    await fallSilent(told, 2);
    second.channel.close();
    await until(() => told.includes('lost silent'));
    await join();
    await until(() => told.at(-1) === 'joined');
    end.abort();
    await over;
    const [released, lost] = ['released', 'lost silent'].map((how) => [
      'waiting',
      'joined',
      'left',
      how,
    ]);
    expect(told).toEqual([...released!, ...lost!, 'waiting', 'joined', 'left']);
  });

  it('ends by its signal, with its connection, while no controller needs it', async () => {
    const { url } = await startServer();
    const { told, end, over } = start(url);
    await until(() => told.length > 0);
    end.abort();
    const close = vi.spyOn(Broker.prototype, 'close');
    await over;
    expect(told).toEqual(['waiting']);
    expect(close).toHaveBeenCalledOnce();
  });

  it('ends once its only controller lets it go', async () => {
    const { url } = await startServer();
    const joined = (await openDesk(url))();
    const { told, over } = start(url, { once: true });
    (await joined).channel.send({ kind: 'leave' });
    await over;
    expect(told).toEqual(['waiting', 'joined', 'left', 'released']);
  });

  it('fails if its only controller is lost', async () => {
    const { url } = await startServer();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const joined = (await openDesk(url))();
    const { told, over } = start(url, { once: true });
    const failure = over.catch((error: unknown) => error);
    await joined;
    await fallSilent(told, 1);
    expect(await failure).toMatchObject({
      code: 'CONTROLLER_LOST',
      message: expect.stringContaining('it said nothing any more'),
    });
  });

  it('is told by which controller it was refused, and why', async () => {
    const { url } = await startServer();
    const join = await openDesk(url);
    const facts = { name: 'a', version: '9.9.9', cores: 2, workers: null };
    const refused = join();
    const { told } = start(url, { facts });
    await expect(refused).rejects.toMatchObject({ code: 'AGENT_VERSION' });
    await until(() => told.includes('refused AGENT_VERSION'));
    expect(told).not.toContain('joined');
  });

  it('runs its part against a target that is allowed, and no other', async () => {
    const { url } = await startServer();
    const [allowed, other] = [await startTarget(), await startTarget()];
    const address = new URL(allowed.profile.baseUrl).host;
    const { told } = start(url, { allowedTargets: [address] });
    const agents = await control({ url, count: 1 });
    expect((await run(allowed, agents, { duration: '50ms' })).achieved.failed).toBe(0);
    await until(() => told.includes('run ended'));
    expect(told.slice(-2)).toEqual([`ready ${address}`, 'run ended']);
    await expect(run(other, agents)).rejects.toMatchObject({ code: 'TARGET_NOT_ALLOWED' });
    expect(other.paths).toEqual([]);
  });
});
