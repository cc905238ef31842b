import { serveAsAgent } from '../../../../src/load/agents/agent.ts';
import {
  AgentPool,
  Broker,
  type BrokerCredentials,
  JoinDesk,
  joinController,
  type LoadClock,
  type LoadOptions,
  type LoadResult,
  type RunContext,
  readBrokerAddress,
  runLoad,
  systemClock,
} from '../../../../src/load/index.ts';
import { type NatsServer, startNatsServer } from '../../../support/nats-server.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from '../../fake-target.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export const LONG: { tags: string[] } = { tags: ['long'] };
const VERSION = '1.2.3';

/** Servers, brokers and agents that a test opened, to be closed after it. */
export const open: (() => unknown)[] = [];

/** Closes what a test opened, the last first; for `afterEach` of each test file. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

export async function startServer(configuration?: string): Promise<NatsServer> {
  const server = await startNatsServer(configuration);
  open.push(() => server.stop());
  return server;
}

export async function startTarget(onEstimate?: (sent: number) => void): Promise<FakeTarget> {
  const target: FakeTarget = await startFakeTarget({
    estimate: (_request, response) => {
      response.end(ESTIMATE_BODY);
      onEstimate?.(target.paths.length);
    },
  });
  open.push(() => target.close());
  return target;
}

export async function startProxyTo({ port }: NatsServer): Promise<TcpProxy> {
  const proxy = await startTcpProxy(port);
  open.push(() => proxy.close());
  return proxy;
}

export async function connect(
  url: string,
  agent?: string,
  credentials: BrokerCredentials = {},
): Promise<Broker> {
  const address = readBrokerAddress(url, 'url');
  const broker = await Broker.connect({ address, credentials, agent, patienceMs: 0 });
  open.push(() => broker.close());
  return broker;
}

interface Agent {
  readonly url: string;
  readonly name: string;
  readonly version?: string;
  readonly credentials?: BrokerCredentials;
  readonly clock?: LoadClock;
  readonly allowedTargets?: readonly string[];
}

/** Refusals that agents were told of. */
export const refusals: string[] = [];

/** Joins one controller, in this process; resolves when it has joined and the membership is over. */
export async function serve({ url, name, version = VERSION, credentials, ...rest }: Agent) {
  const broker = await connect(url, name, credentials);
  const waiting = new AbortController();
  open.push(() => waiting.abort());
  const facts = { name, version, cores: 2, workers: null };
  const channel = await joinController({
    broker,
    facts,
    signal: waiting.signal,
    onRefused: (code, message) => refusals.push(`${code} ${message}`),
  });
  if (channel === null) return null;
  return serveAsAgent({ clock: systemClock(), ...rest, channel, facts, placement: 'inline' });
}

interface Controller {
  readonly url: string;
  readonly count: number;
  readonly credentials?: BrokerCredentials;
}

export async function control({ url, count, credentials }: Controller) {
  const broker = await connect(url, undefined, credentials);
  await broker.openStream();
  const desk = new JoinDesk(broker, VERSION);
  const pool = await Promise.race([
    AgentPool.open({
      count,
      workers: 1,
      onLost: 'finish',
      clock: systemClock(),
      joinTimeoutMs: 60_000,
      connect: (_number, giveUp) => desk.join(giveUp),
    }),
    broker.failed,
  ]);
  open.push(() => pool.close());
  return pool;
}

export const run = (
  target: FakeTarget,
  agents: AgentPool | undefined,
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
    agents,
    ...options,
  });

export const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `agent-${index + 1}`);
