import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createState } from '../../../src/server/create-service.ts';
import { DEFAULT_TIMEOUTS } from '../../../src/server/http/node-server.ts';
import { MovableClock } from '../../../src/server/service/clock.ts';
import { readSettings } from '../../../src/server/service/settings.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import { Replication } from '../../../src/server/workers/replication.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../../src/server/workers/worker-pool.ts';
import { ACKNOWLEDGED, type FakeProcess, FakeProcesses } from './fake-process.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Has a process react to its messages as a worker does, but for what is given. */
function behave(
  process: FakeProcess,
  { onListen = { kind: 'ready' }, closes = true }: { onListen?: FromWorker; closes?: boolean } = {},
): void {
  const react = (message: ToWorker): void => {
    if (message.kind === 'changes') process.send(ACKNOWLEDGED);
    if (message.kind === 'listen') process.send(onListen);
    if (message.kind === 'close' && closes) process.exit();
  };
  const push = process.received.push.bind(process.received);
  process.received.push = (...messages) => {
    const length = push(...messages);
    for (const message of messages) queueMicrotask(() => react(message));
    return length;
  };
  process.send({ kind: 'loaded' });
}

function pooled(onFork: (process: FakeProcess) => void, some: Partial<WorkerPoolOptions> = {}) {
  const clock = new MovableClock();
  const settings = readSettings({}, clock);
  const state = createState(settings);
  const processes = new FakeProcesses(onFork);
  const pool = new WorkerPool({
    count: 2,
    fork: processes.fork,
    settings: {
      ...settings,
      host: '127.0.0.1',
      port: 1,
      tls: undefined,
      timeouts: DEFAULT_TIMEOUTS,
      fastPath: true,
      sharedReadBuffer: true,
      version: '0',
      isLogged: false,
      isCounted: false,
    },
    estimateIds: state.estimateIds,
    replication: new Replication(state, clock),
    handler: () => ({ status: 200, contentType: null, body: '' }),
    silenceMs: 1000,
    onEntry: () => undefined,
    onBroken: () => undefined,
    ...some,
  });
  return { pool, processes: processes.all };
}

/** Number in the estimate ids of a process. */
const instanceOf = ({ received }: FakeProcess): string | undefined =>
  received
    .flatMap((message) => (message.kind === 'start' ? [Buffer.from(message.key.instance)] : []))[0]
    ?.toString('hex');

describe('the workers of a server', () => {
  it('are as many as asked, each with a number of its own in its estimate ids', async () => {
    const { pool, processes } = pooled(behave);
    await pool.start();
    expect(processes).toHaveLength(2);
    expect(new Set(processes.map(instanceOf)).size).toBe(2);
    await pool.close(0);
  });

  it('replaces one that ends, with another number', async () => {
    const { pool, processes } = pooled(behave);
    await pool.start();
    processes[0]?.send({ kind: 'acknowledged', fastPathAnswers: 5 });
    processes[0]?.exit();
    await vi.waitFor(() => expect(processes).toHaveLength(3));
    expect(new Set(processes.map(instanceOf)).size).toBe(3);
    expect(pool.fastPathAnswers).toBe(5);
    await pool.close(0);
  });

  it('ends and replaces one that is silent for a second', async () => {
    const silent = new Set<FakeProcess>();
    const { pool, processes } = pooled((process) => {
      behave(process);
      const send = process.send.bind(process);
      process.send = (message) => {
        if (!silent.has(process)) send(message);
      };
    });
    await pool.start();
    await vi.advanceTimersByTimeAsync(3000);
    expect(processes).toHaveLength(2);
    silent.add(processes[1]!);
    await vi.advanceTimersByTimeAsync(999);
    expect(processes).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(501);
    expect(processes).toHaveLength(3);
    silent.clear();
    await pool.close(0);
  });

  it('tries again, ever less often, if a worker cannot be replaced', async () => {
    let canStart = true;
    const { pool, processes } = pooled((process) => {
      if (canStart) behave(process);
      else process.exit();
    });
    await pool.start();
    canStart = false;
    processes[0]?.exit();
    await vi.advanceTimersByTimeAsync(0);
    expect(processes).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(100);
    expect(processes).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(199);
    expect(processes).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(processes).toHaveLength(5);
    canStart = true;
    await vi.advanceTimersByTimeAsync(400);
    expect(processes).toHaveLength(6);
    await pool.close(0);
  });

  it('ends all if one cannot listen', async () => {
    const failed: FromWorker = { kind: 'failed', code: 'PORT_IN_USE', message: 'It is in use.' };
    const { pool, processes } = pooled((process) =>
      behave(process, process === processes[1] ? { onListen: failed } : {}),
    );
    await expect(pool.start()).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    expect(processes[0]?.received.at(-1)).toEqual({ kind: 'close', graceMs: 0 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(processes).toHaveLength(2);
  });

  it('ends a worker that does not close in time', async () => {
    const { pool } = pooled((process) => behave(process, { closes: false }));
    await pool.start();
    let isClosed = false;
    void pool.close(500).then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(2499);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isClosed).toBe(true);
  });

  it('answer what they leave to their owner', async () => {
    const { pool, processes } = pooled(behave, {
      handler: ({ path }) => ({ status: 418, contentType: null, body: path }),
    });
    await pool.start();
    const request = {
      method: 'GET',
      path: '/teapot',
      rawQuery: '',
      authorization: undefined,
      contentType: undefined,
      body: new Uint8Array(0),
      baseUrl: '',
    };
    processes[1]?.send({ kind: 'request', id: 9, request });
    await vi.advanceTimersByTimeAsync(0);
    expect(processes[1]?.received.at(-1)).toEqual({
      kind: 'answer',
      id: 9,
      answer: { status: 418, contentType: null, body: '/teapot' },
    });
    await pool.close(0);
  });
});
