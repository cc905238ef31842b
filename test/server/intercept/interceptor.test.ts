import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { InterceptedExchange, Interceptor, RunningServer } from '../../../src/server/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { Caller, frozen, NOON } from '../caller.ts';

let server: RunningServer;
afterEach(() => server.close(0));

async function start(interceptor: Partial<Interceptor> = {}): Promise<InterceptedExchange[]> {
  const seen: InterceptedExchange[] = [];
  server = await startServer({
    clock: frozen,
    interceptor: { onExchange: (exchange) => void seen.push(exchange), ...interceptor },
  });
  return seen;
}

describe('an interceptor', () => {
  it('sees requests as received, and answers as sent', async () => {
    const seen = await start();
    const caller = new Caller(server);
    const { body } = await caller.platform();
    await caller.estimate(body.access_token, { rawQuery: 'from_name=%E5%A4%A9&a=+' });
    await expect.poll(() => seen.length).toBe(2);
    const [token, estimate] = seen;
    expect(token).toMatchObject({
      request: { method: 'POST', target: '/v1/oauth/token', receivedMs: NOON },
      answer: {
        status: 200,
        headers: { 'Content-Type': expect.stringContaining('json') as string },
      },
      finishedMs: NOON,
    });
    expect(JSON.parse(Buffer.from(token!.request.body).toString())).toHaveProperty('nostr');
    expect(JSON.parse(token!.answer.body)).toEqual(body);
    expect(estimate?.request.target).toBe('/v1/estimates/prices?from_name=%E5%A4%A9&a=+');
    expect(estimate?.request.headers['authorization']).toMatch(/^Bearer demo\|/);
    expect(estimate?.answer.status).toBe(400);
  });

  it('answers in place of the service, which then never sees the request', async () => {
    await start({
      respond: ({ method }) =>
        method === 'POST' ? { status: 503, headers: { 'X-Why': 'so' }, body: 'not now' } : null,
    });
    const caller = new Caller(server);
    for (let n = 0; n < 12; n++) {
      const { status, text, headers } = await caller.platform();
      expect([status, text, headers.get('x-why')]).toEqual([503, 'not now', 'so']);
    }
  });

  it('cuts a connection in the middle of an answer, after the refresh was carried out', async () => {
    let cuts = 0;
    const seen = await start({
      rewrite: ({ body }, answer) => ({
        ...answer,
        cut: Buffer.from(body).includes('refresh_token') && cuts++ === 0,
      }),
    });
    const caller = new Caller(server);
    const { body } = await caller.platform();
    await expect(caller.refresh(body.refresh_token)).rejects.toThrow(
      /terminated|fetch failed|closed/,
    );
    expect((await caller.refresh(body.refresh_token)).status).toBe(400);
    await expect.poll(() => seen.length).toBe(3);
    expect(seen.map(({ finishedMs }) => finishedMs)).toEqual([NOON, null, NOON]);
  });

  it('that fails to answer gets a 500', async () => {
    await start({ respond: () => Promise.reject(new Error('broken')) });
    expect((await new Caller(server).platform()).status).toBe(500);
  });

  it('is given bytes that are not a request', async () => {
    const broken: string[] = [];
    await start({ onMalformed: (bytes) => void broken.push(Buffer.from(bytes).toString()) });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /v1/estimates/prices?a=b c HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resume();
    await expect.poll(() => broken.length).toBe(1);
    socket.destroy();
    expect(broken[0]).toContain('?a=b c HTTP/1.1');
  });
});
