import { afterEach, describe, expect, it } from 'vitest';
import type { RunningServer, ServerOptions } from '../../../src/server/index.ts';
import { startServerWith } from '../../../src/server/start-server.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import type { ForkWorker } from '../../../src/server/workers/worker-link.ts';
import { WorkerServer } from '../../../src/server/workers/worker-server.ts';
import { Caller, control } from '../caller.ts';

let running: RunningServer | null = null;
afterEach(async () => {
  await running?.close(0);
  running = null;
});

/** Messages between the owner and its worker, which runs in this process with a real socket. */
interface Traffic {
  readonly toWorker: ToWorker[];
  readonly toOwner: FromWorker[];
}

/** Starts a server with one worker of the process itself, whose answers come over the worker's socket. */
async function startWithWorker(
  options: ServerOptions = {},
): Promise<{ server: RunningServer; traffic: Traffic }> {
  const traffic: Traffic = { toWorker: [], toOwner: [] };
  const later = (act: () => void): void => void setImmediate(act);
  let count = 0;
  const fork: ForkWorker = ({ message, exit }) => {
    // A second one on the same port is for processes only.
    if (count++ > 0) {
      later(() => message({ kind: 'loaded' }));
      return {
        send: (sent) => {
          if (sent.kind === 'changes')
            later(() => message({ kind: 'acknowledged', fastPathAnswers: 0 }));
          if (sent.kind === 'listen') later(() => message({ kind: 'ready' }));
          if (sent.kind === 'close') later(exit);
        },
        kill: exit,
      };
    }
    const worker = new WorkerServer((sent) => {
      traffic.toOwner.push(sent);
      later(() => message(structuredClone(sent)));
    }, exit);
    later(() => message({ kind: 'loaded' }));
    return {
      send: (sent) => {
        traffic.toWorker.push(sent);
        later(() => worker.take(structuredClone(sent)));
      },
      kill: exit,
    };
  };
  const server = await startServerWith({ controlPort: 0, workers: 2, ...options }, fork);
  running = server;
  return { server, traffic };
}

const forwarded = ({ toOwner }: Traffic): string[] =>
  toOwner.flatMap((message) => (message.kind === 'request' ? [message.request.path] : []));

describe('a worker', () => {
  it('answers estimates from its copy, and leaves tokens to the owner', async () => {
    const { server, traffic } = await startWithWorker();
    const caller = await Caller.fresh(server);
    const platform = await caller.platform();
    const user = await caller.user();
    expect(forwarded(traffic)).toEqual(['/v1/oauth/token', '/v1/oauth/token']);
    const estimates = [
      await caller.estimate(platform.body.access_token),
      await caller.userEstimate(user.body.access_token),
      // Through node:http, since the fast path knows only the usual type.
      await caller.estimate(platform.body.access_token, { contentType: 'text/plain' }),
    ];
    expect(estimates.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(forwarded(traffic)).toHaveLength(2);
  });

  it('leaves refusals to the owner, which explains them', async () => {
    const { server, traffic } = await startWithWorker({
      explainSignature: () => 'is explained',
    });
    const caller = await Caller.fresh(server);
    const { body } = await caller.user();
    const wrong = await caller.userEstimate(body.access_token, { signature: '0'.repeat(32) });
    const unknown = await caller.estimate('unknown');
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('is explained');
    expect(unknown.body.error).toMatchObject({ rule: 'auth/unknown-token' });
    expect(forwarded(traffic)).toEqual([
      '/v1/oauth/token',
      '/v1/estimates/prices',
      '/v1/estimates/prices',
    ]);
  });

  it('refuses a token that was replaced, and one that has expired by a moved clock', async () => {
    const { server } = await startWithWorker();
    const caller = await Caller.fresh(server);
    const [first, second] = [await caller.user(), await caller.user()];
    const old = await caller.userEstimate(first.body.access_token);
    expect(old.body.error).toMatchObject({ rule: 'lifecycle/user-token-newest-only' });
    expect((await caller.userEstimate(second.body.access_token)).status).toBe(200);
    await control(server, 'POST', '/clock', { advanceSeconds: 7201 });
    const late = await caller.userEstimate(second.body.access_token);
    expect(late.body.error).toMatchObject({ rule: 'lifecycle/access-token-expires' });
  });

  it('makes estimate ids that the owner reads', async () => {
    const { server } = await startWithWorker();
    const caller = await Caller.fresh(server, true);
    const { body } = await caller.platform();
    const estimate = await caller.estimate(body.access_token);
    const id = estimate.body[0]?.estimate_id ?? '';
    const lock = await control(server, 'GET', `/estimates/${id}`);
    expect(lock.body).toMatchObject({ partnerId: caller.id, locked: true });
  });

  it('tells the owner what is logged and counted', async () => {
    const entries: string[] = [];
    const { server } = await startWithWorker({
      metrics: true,
      accessLog: ({ path, status, rule }) => entries.push(`${path} ${status} ${rule ?? ''}`.trim()),
    });
    await new Caller(server).estimate('unknown');
    await new Caller(server).platform();
    await expect
      .poll(() => entries)
      .toEqual(['/v1/estimates/prices 401 auth/unknown-token', '/v1/oauth/token 200']);
    const metrics = await server.metrics?.();
    expect(metrics?.requests).toEqual([
      { endpoint: 'estimates', status: 401, count: 1 },
      { endpoint: 'token', status: 200, count: 1 },
    ]);
    expect(metrics?.refusals).toEqual([{ rule: 'auth/unknown-token', count: 1 }]);
    expect(metrics?.validTokens).toEqual({ platform: 1, user: 0 });
  });

  it('says if it cannot use the certificate', async () => {
    await expect(startWithWorker({ tls: { cert: 'no', key: 'no' } })).rejects.toMatchObject({
      code: 'TLS_INVALID',
    });
  });
});

describe('a server that needs one process', () => {
  it.each<[string, ServerOptions]>([
    ['faults', { faults: ['estimate/user'] }],
    ['clock', { clock: { now: () => 0 } }],
    ['interceptor', { interceptor: { onExchange: () => undefined } }],
    ['refusesForeign', { refusesForeign: true }],
    ['estimate-rate-limit', { behaviour: { 'estimate-rate-limit': { perSecond: 5 } } }],
    ['ban-reach: everything', { behaviour: { 'ban-reach': 'everything' } }],
    [
      'refresh-replay-consequence: family-ended',
      { behaviour: { 'refresh-replay-consequence': 'family-ended' } },
    ],
  ])('has one because of %s', async (reason, options) => {
    const { server, traffic } = await startWithWorker(options);
    expect(server).toMatchObject({ workers: 1, singleBecause: reason });
    expect(traffic.toWorker).toEqual([]);
  });

  it.each([0, 1.5, 257])('refuses %s workers', async (workers) => {
    await expect(startWithWorker({ workers })).rejects.toMatchObject({ code: 'WORKERS_INVALID' });
  });
});
