import { afterEach, describe, expect, it, vi } from 'vitest';
import { Broker, readBrokerAddress } from '../../../../src/load/index.ts';
import { HOW_TO_GET_NATS_SERVER, NATS_SERVER } from '../../../support/nats-server.ts';
import {
  closeAll,
  control,
  LONG,
  names,
  open,
  run,
  serve,
  startProxyTo,
  startServer,
  startTarget,
} from './members.ts';

if (NATS_SERVER === null) console.warn(`\n!!! ${HOW_TO_GET_NATS_SERVER}\n`);

afterEach(closeAll);

describe.runIf(NATS_SERVER !== null)('a connection to the broker', () => {
  it.each([
    [500, 1500],
    [2000, 3000],
  ])(
    'may be lost with the broker and its memory for %i ms: no agent is lost',
    LONG,
    async (goneMs, durationMs) => {
      const [first, second] = [await startServer(), await startServer()];
      const proxy = await startProxyTo(first);
      for (const name of names(2)) void serve({ url: proxy.url, name });
      const pool = await control({ url: proxy.url, count: 2 });
      const requestsMeanwhile = (goneMs / 1000) * 200;
      const target = await startTarget((sent) => {
        if (sent === 50) proxy.refuse();
        if (sent === 50) void first.stop();
        if (sent === 50 + requestsMeanwhile) proxy.turnTo(second.port);
      });
      const result = await run(target, pool, { duration: `${durationMs}ms` });
      expect(proxy.connections).toBe(6);
      const sent = durationMs / 10;
      expect(result.agents).toMatchObject([{ sent }, { sent }]);
      for (const agent of result.agents!) {
        expect(agent).not.toHaveProperty('lost');
        expect(agent).not.toHaveProperty('missingUpdates');
      }
      expect(result.achieved.ok).toBe(2 * sent);
    },
  );

  it('tells when it is gone, and when it is back', async () => {
    const proxy = await startProxyTo(await startServer());
    const told: boolean[] = [];
    const broker = await Broker.connect({
      address: readBrokerAddress(proxy.url, 'url'),
      credentials: {},
      agent: 'agent-1',
      onConnection: (isThere) => told.push(isThere),
    });
    open.push(() => broker.close());
    proxy.cut();
    await vi.waitUntil(() => told.length === 2, 10_000);
    expect(told).toEqual([false, true]);
  });

  it('of one agent may be cut and made again', LONG, async () => {
    const server = await startServer();
    const proxy = await startProxyTo(server);
    void serve({ url: proxy.url, name: 'agent-1' });
    const pool = await control({ url: server.url, count: 1 });
    const target = await startTarget((sent) => {
      if (sent === 100) proxy.cut();
    });
    const result = await run(target, pool, { duration: '1500ms' });
    expect(result.agents?.[0]?.lost).toBeUndefined();
    expect(result.agents?.[0]?.missingUpdates).toBeUndefined();
    expect(result.achieved.ok).toBe(300);
    expect(proxy.connections).toBe(2);
  });

  it('that ends is a loss: another agent takes its place in the next run', LONG, async () => {
    const server = await startServer();
    const proxy = await startProxyTo(server);
    void serve({ url: proxy.url, name: 'agent-1' });
    const pool = await control({ url: server.url, count: 1 });
    void serve({ url: server.url, name: 'agent-2' });
    await proxy.close();
    const target = await startTarget();
    // The loss may be noticed before the run is prepared, or while it is.
    const result = await run(target, pool).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'AGENT_LOST' });
      return run(target, pool);
    });
    expect(result.agents).toMatchObject([{ name: 'agent-2', sent: 100 }]);
    expect(result.agents?.[0]).not.toHaveProperty('lost');
  });

  it('that carries nothing any more is a loss', LONG, async () => {
    const server = await startServer();
    const proxy = await startProxyTo(server);
    void serve({ url: proxy.url, name: 'agent-1' });
    void serve({ url: server.url, name: 'agent-2' });
    const pool = await control({ url: server.url, count: 2 });
    const target = await startTarget((sent) => {
      if (sent === 20) proxy.hold();
    });
    const result = await run(target, pool, { duration: '2s' });
    expect(result.verdict).toBe('invalid');
    const lost = result.agents?.find(({ name }) => name === 'agent-1')?.lost;
    expect(lost).toMatchObject({ how: 'silent' });
    expect(result.agents?.find(({ name }) => name === 'agent-2')).toMatchObject({
      sent: 200,
    });
  });

  it('that is held for less than the limit of silence is no loss', LONG, async () => {
    const server = await startServer();
    const proxy = await startProxyTo(server);
    void serve({ url: proxy.url, name: 'agent-1' });
    const pool = await control({ url: server.url, count: 1 });
    const target = await startTarget((sent) => {
      if (sent === 20) proxy.hold();
      if (sent === 100) proxy.release();
    });
    const result = await run(target, pool, { duration: '1s' });
    expect(result.agents?.[0]?.lost).toBeUndefined();
    expect(result.achieved.ok).toBe(200);
  });
});

describe.runIf(NATS_SERVER !== null)('an agent without its controller', () => {
  it('ends its part of the run', LONG, async () => {
    const server = await startServer();
    const proxy = await startProxyTo(server);
    const serving = serve({ url: server.url, name: 'agent-1' });
    const pool = await control({ url: proxy.url, count: 1 });
    const target = await startTarget();
    const running = run(target, pool, { duration: '60s' });
    await vi.waitUntil(() => target.paths.length > 20, 60_000);
    await proxy.close();
    expect(['ended', 'silent']).toContain(await serving);
    await running;
  });
});
