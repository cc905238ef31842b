// @module-tag long

import { inflateRawSync } from 'node:zlib';
import { createUser } from '@nats-io/nkeys';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { accountsOf } from '../../../../deploy/broker.mjs';
import { Broker, type BrokerCredentials, systemClock } from '../../../../src/load/index.ts';
import {
  HOW_TO_GET_NATS_SERVER,
  isNatsRequired,
  NATS_SERVER,
} from '../../../support/nats-server.ts';
import {
  closeAll,
  connect,
  control,
  LONG,
  names,
  refusals,
  run,
  serve,
  startServer,
  startTarget,
} from './members.ts';

if (NATS_SERVER === null) console.warn(`\n!!! ${HOW_TO_GET_NATS_SERVER}\n`);

test('nats-server is installed if required', () => {
  const missing = isNatsRequired && NATS_SERVER === null ? HOW_TO_GET_NATS_SERVER : null;
  expect(missing).toBeNull();
});

const HOUR_NS = 3.6e12;

/** Text that a reader of the broker makes of a message. */
function readable(data: Uint8Array): string {
  try {
    return inflateRawSync(data.subarray(1)).toString();
  } catch {
    return Buffer.from(data).toString('latin1');
  }
}

afterEach(closeAll);

describe.runIf(NATS_SERVER !== null)('a load over NATS', () => {
  it('sends what one process sends, with clocks an hour apart', async () => {
    const { url } = await startServer();
    for (const [index, name] of names(3).entries()) {
      const aheadNs = (index - 1) * HOUR_NS;
      const { now, monotonicNs } = systemClock();
      void serve({ url, name, clock: { now, monotonicNs: () => monotonicNs() + aheadNs } });
    }
    const pool = await control({ url, count: 3 });
    const sent: string[][] = [];
    for (const agents of [undefined, pool]) {
      const target = await startTarget();
      const result = await run(target, agents, {
        arrivals: 'poisson',
        workers: 3,
        duration: '400ms',
      });
      expect(result.achieved.ok).toBe(result.achieved.planned);
      expect(result.latencyUs.response.count).toBe(result.achieved.planned);
      sent.push(target.paths.toSorted());
      if (agents !== undefined) {
        expect(result.agents?.map(({ name }) => name).toSorted()).toEqual(names(3));
        const total = result.agents!.reduce((sum, agent) => sum + agent.sent, 0);
        expect(total).toBe(result.achieved.sent);
      }
    }
    expect(sent[0]!.length).toBeGreaterThan(50);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('lets its agents leave', async () => {
    const { url } = await startServer();
    const serving = serve({ url, name: 'agent-1' });
    const pool = await control({ url, count: 1 });
    pool.close();
    expect(await serving).toBe('left');
  });

  it('takes as many agents as it needs; the others wait for the next one', async () => {
    const { url } = await startServer();
    const over: string[] = [];
    for (const name of names(2)) void serve({ url, name }).then(() => over.push(name));
    const first = await control({ url, count: 1 });
    first.close();
    await vi.waitUntil(() => over.length === 1, 60_000);
    const second = await control({ url, count: 1 });
    second.close();
    await vi.waitUntil(() => over.length === 2, 60_000);
    expect(over.toSorted()).toEqual(names(2));
  });

  it('keeps tokens and headers from whoever reads along', async () => {
    const { url } = await startServer();
    const spy = await connect(url, 'spy');
    const seen: string[] = [];
    for (const subject of ['fareproof.>', '$JS.>']) {
      spy.subscribe(subject, ({ data }) => seen.push(readable(data)));
    }
    const controlling = control({ url, count: 1 });
    void serve({ url, name: 'agent-1' });
    const pool = await controlling;
    const target = await startTarget();
    const profile = { ...target.profile, headers: { 'X-Key': 'header-7' } };
    await run(target, pool, { profile });
    const text = seen.join('\n');
    for (const kind of ['ping', 'start', 'update']) expect(text).toContain(`"kind":"${kind}"`);
    expect(target.authorizations[0]).toMatch(/token-1$/);
    for (const secret of ['token-1', 'header-7', 'Bearer', 'prepare', '/estimates']) {
      expect(text).not.toContain(secret);
    }
  });

  it('runs over 16 agents', LONG, async () => {
    const { url } = await startServer();
    for (const name of names(16)) void serve({ url, name });
    const pool = await control({ url, count: 16 });
    const target = await startTarget();
    const result = await run(target, pool, { rate: 640 });
    expect(result.achieved).toMatchObject({ planned: 320, ok: 320 });
    expect(result.agents?.map(({ sent }) => sent)).toEqual(Array.from({ length: 16 }, () => 20));
  });
});

describe.runIf(NATS_SERVER !== null)('an agent that cannot be used', () => {
  it('has another version: each side names both', async () => {
    const { url } = await startServer();
    refusals.length = 0;
    void serve({ url, name: 'agent-1', version: '1.2.4' });
    await expect(control({ url, count: 2 })).rejects.toMatchObject({
      code: 'AGENT_VERSION',
      message: expect.stringMatching(
        /Agent agent-1 runs version 1\.2\.4, and the controller 1\.2\.3/,
      ),
    });
    await vi.waitUntil(() => refusals.length > 0, 60_000);
    expect(refusals).toEqual([expect.stringMatching(/^AGENT_VERSION .* 1\.2\.4, .* 1\.2\.3:/)]);
  });

  it('has the name of another: it waits', async () => {
    const { url } = await startServer();
    refusals.length = 0;
    const controlling = control({ url, count: 2 });
    for (let count = 0; count < 2; count++) void serve({ url, name: 'agent-1' });
    await vi.waitUntil(() => refusals.length > 0, 60_000);
    expect(refusals).toEqual(['AGENT_NAME an agent named agent-1 has joined already']);
    void serve({ url, name: 'agent-2' });
    expect((await controlling).generators).toBe(2);
  });

  it('may not put load on the target: the run says which agent', async () => {
    const { url } = await startServer();
    void serve({ url, name: 'agent-1', allowedTargets: ['fares.example', '127.0.0.1:1'] });
    const pool = await control({ url, count: 1 });
    const target = await startTarget();
    await expect(run(target, pool)).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
      message: expect.stringMatching(
        /^Agent agent-1: it may not put load on 127\.0\.0\.1:\d+, only/,
      ),
    });
    expect(target.paths).toEqual([]);
  });

  it('may put load on a target that was named', async () => {
    const { url } = await startServer();
    void serve({ url, name: 'agent-1', allowedTargets: ['127.0.0.1'] });
    const pool = await control({ url, count: 1 });
    const result = await run(await startTarget(), pool);
    expect(result.achieved.ok).toBe(100);
  });
});

describe.runIf(NATS_SERVER !== null)('a broker', () => {
  it.each([{}, { token: 'wrong' }, { creds: new TextDecoder().decode(createUser().getSeed()) }])(
    'refuses wrong credentials, which are not quoted',
    async (credentials) => {
      const { url } = await startServer('authorization { token: right }');
      await expect(connect(url, 'agent', credentials)).rejects.toMatchObject({
        code: 'BROKER_REFUSED',
        message: expect.not.stringMatching(/wrong|SU[A-Z0-9]{10}/),
      });
      await expect(connect(url, 'agent', { token: 'right' })).resolves.toBeInstanceOf(Broker);
    },
  );

  it('is not there', async () => {
    await expect(connect('nats://127.0.0.1:1', 'agent')).rejects.toMatchObject({
      code: 'BROKER_UNREACHABLE',
    });
  });

  it('takes too short messages: nothing is sent', async () => {
    const { url } = await startServer('max_payload: 1024');
    void serve({ url, name: 'agent-1' });
    const pool = await control({ url, count: 1 });
    const target = await startTarget();
    await expect(run(target, pool)).rejects.toMatchObject({ code: 'BROKER_PAYLOAD' });
    expect(target.paths).toEqual([]);
  });

  it('has no streams: the controller says how to start it', async () => {
    const { url } = await startServer(
      'accounts { load { users: [{ user: a, password: b }] } }\nno_auth_user: a',
    );
    const broker = await connect(url);
    await expect(broker.openStream()).rejects.toMatchObject({
      code: 'BROKER_JETSTREAM',
      message: expect.stringMatching(/start nats-server with -js\.$/),
    });
  });

  it('limits each agent to its own subjects', async () => {
    const users = { controller: createUser(), 'agent-1': createUser() };
    const seedOf = (name: keyof typeof users): BrokerCredentials => ({
      creds: new TextDecoder().decode(users[name].getSeed()),
    });
    const { url } = await startServer(
      accountsOf({
        controller: users.controller.getPublicKey(),
        agents: { 'agent-1': users['agent-1'].getPublicKey() },
      }),
    );
    const credentials = seedOf('agent-1');
    void serve({ url, name: 'agent-1', credentials });
    const pool = await control({ url, count: 1, credentials: seedOf('controller') });
    expect((await run(await startTarget(), pool)).achieved.ok).toBe(100);
    await expect(serve({ url, name: 'agent-2', credentials })).rejects.toMatchObject({
      code: 'BROKER_PERMISSION',
      message: expect.stringMatching(/does not permit .* fareproof\.default\..*agent-2/),
    });
  });

  it('refuses a file that holds no credentials', async () => {
    await expect(connect('nats://127.0.0.1:1', 'agent', { creds: 'secret' })).rejects.toMatchObject(
      { code: 'NATS_CREDS_FORMAT', message: expect.not.stringContaining('secret') },
    );
  });
});
