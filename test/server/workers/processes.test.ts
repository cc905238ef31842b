// @module-tag long

import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunningServer, ServerOptions, startServer } from '../../../src/server/index.ts';
import { compiledPackage } from '../../support/compiled.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { Caller, control } from '../caller.ts';

const compiled = compiledPackage();

let running: RunningServer | null = null;
afterEach(async () => {
  await running?.close(0);
  running = null;
});

/** Starts a server with two workers, processes of the compiled package. */
async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await compiled.load<{ startServer: typeof startServer }>('server/index.js');
  // A busy machine may keep a process from the processor for seconds.
  const patient = { workers: 2, workerSilenceMs: 60_000, controlPort: 0 };
  running = await server.startServer({ ...patient, ...options });
  return running;
}

const pids = (): number[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);

const times = <T>(count: number, act: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, act));

/** Statuses, each once, of estimates over connections to both workers. */
async function statusesOf(caller: Caller, token: string, isUser: boolean): Promise<number[]> {
  const estimates = await times(8, () =>
    isUser ? caller.userEstimate(token) : caller.estimate(token),
  );
  return [...new Set(estimates.map(({ status }) => status))];
}

/** Asks for the state of the server over a new TLS connection, in a session if one is given. */
async function askOver(
  port: number,
  session?: Buffer,
): Promise<{ isReused: boolean; protocol: string | false | null; session: Buffer | undefined }> {
  const ALPNProtocols = ['http/1.1'];
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: LOOPBACK_TLS.cert,
    session,
    ALPNProtocols,
  });
  let given: Buffer | undefined;
  socket.on('session', (one: Buffer) => {
    given = one;
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  const answer = { isReused: socket.isSessionReused(), protocol: socket.alpnProtocol };
  socket.destroy();
  return { ...answer, session: given };
}

describe('a server with two workers', () => {
  it('accepts no estimate with an old user token once the newer one was sent', async () => {
    const caller = await Caller.fresh(await start());
    let { body: token } = await caller.user();
    for (let refresh = 0; refresh < 10; refresh++) {
      expect(await statusesOf(caller, token.access_token, true)).toEqual([200]);
      const { body: next } = await caller.refresh(token.refresh_token);
      expect(await statusesOf(caller, token.access_token, true)).toEqual([401]);
      token = next;
    }
  });

  it('lets one of fifty requests at once use a refresh_token, twenty times', async () => {
    const server = await start();
    for (let race = 0; race < 20; race++) {
      const caller = await Caller.fresh(server);
      const { body } = await caller.platform();
      const replies = await times(50, () => caller.refresh(body.refresh_token));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'replaces a worker after %s, and loses no state',
    async (signal) => {
      const server = await start({ workerSilenceMs: signal === 'SIGSTOP' ? 2500 : 60_000 });
      const caller = await Caller.fresh(server);
      const { body } = await caller.platform();
      await control(server, 'POST', '/clock', { advanceSeconds: 60 });
      const former = pids();
      const [victim = 0] = former;
      const replaced = once(cluster, 'listening');
      process.kill(victim, signal);
      await replaced;
      expect(pids()).toHaveLength(2);
      expect(pids()).not.toContain(victim);
      expect(await statusesOf(caller, body.access_token, false)).toEqual([200]);
      expect((await caller.refresh(body.refresh_token)).status).toBe(200);
    },
  );

  it('resumes TLS sessions, whichever of them began one', async () => {
    const { port } = await start({ tls: LOOPBACK_TLS });
    const first = await askOver(port);
    expect(first).toMatchObject({ isReused: false, protocol: 'http/1.1' });
    const later = await times(8, () => askOver(port, first.session));
    expect(later.map(({ isReused }) => isReused)).toEqual(later.map(() => true));
  });

  it('shares one port, and ends its processes when it closes', async () => {
    const server = await start();
    expect(pids()).toHaveLength(2);
    const { port } = server;
    await expect(start({ port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await server.close();
    expect(pids()).toHaveLength(0);
    const again = createServer().listen(port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });
});
