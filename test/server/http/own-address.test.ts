import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../../src/server/index.ts';
import { sendRaw } from '../../support/raw-socket.ts';
import { frozen } from '../caller.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ controlPort: 0, clock: frozen, refusesForeign: true });
});
afterAll(() => server.close(0));

/** Sends a request as a browser would, to the control API, with or without its token. */
async function ask(
  { method = 'POST', target = '/partners', body = '', token = true },
  headers: readonly string[],
) {
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map((line) => line.replace('PORT', String(server.controlPort))),
    ...(token ? [`Authorization: Bearer ${server.controlToken}`] : []),
    `Content-Length: ${body.length}`,
  ];
  const bytes = `${head.join('\r\n')}\r\n\r\n${body}`;
  const { text, statuses } = await sendRaw(server.controlPort!, bytes, { answers: 1 });
  return { status: statuses[0], text };
}

const MOVE = { target: '/clock', body: '{"advanceSeconds":86400}' };
const OWN = 'Host: 127.0.0.1:PORT';

describe('the control API and the web', () => {
  it.each([true, false])(
    'a page cannot move the clock by a no-cors POST (token: %s)',
    async (token) => {
      const before = server.clock.now();
      const page = [OWN, 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site'];
      const { status, text } = await ask({ ...MOVE, token }, [...page, 'Content-Type: text/plain']);
      expect([status, server.clock.now()]).toEqual([403, before]);
      expect(text).toMatch(/origin-foreign.*without Origin/);
    },
  );

  it('a rebound name cannot read a signing key', async () => {
    const { status, text } = await ask({ token: false }, ['Host: evil.example:PORT']);
    expect(status).toBe(421);
    expect(text).not.toContain('signingKey');
    expect(text).toMatch(
      /host-foreign.*address it as 127\.0\.0\.1:\d+, localhost:\d+, \[::1\]:\d+\./,
    );
  });

  it('no token, no answer, whoever asks', async () => {
    expect((await ask({ token: false }, [OWN])).status).toBe(401);
  });

  it.each([
    ['Content-Type: text/plain'],
    ['Content-Type: application/x-www-form-urlencoded'],
    ['Content-Type: application/jsonp'],
    ['X-No-Content-Type: 1'],
  ])('refuses a body with %s', async (line) => {
    const before = server.clock.now();
    const { status, text } = await ask(MOVE, [OWN, line]);
    expect([status, server.clock.now()]).toEqual([415, before]);
    expect(text).toContain('Send the body with Content-Type: application/json.');
  });

  it.each([
    [['Host: 127.0.0.1']],
    [['Host: 127.0.0.1:1']],
    [['Host: 127.0.0.1:PORT@evil.example'], 400],
    [['Host: localhost.evil.example:PORT']],
    [['Host: 10.0.0.1:PORT']],
    [['Host:']],
    [[OWN, 'Host: evil.example'], 400],
  ])('refuses %j', async (headers, status = 421) => {
    expect((await ask({}, headers)).status).toBe(status);
  });

  it('refuses the absolute target of another server', async () => {
    expect((await ask({ target: 'http://evil.example/partners' }, [OWN])).status).toBe(421);
  });

  it.each([
    [[OWN, 'Origin: null']],
    [[OWN, 'Origin: http://localhost:PORT']],
    [[OWN, 'Origin: https://127.0.0.1:PORT']],
    [[OWN, 'Sec-Fetch-Site: cross-site']],
    [[OWN, 'Sec-Fetch-Site: same-site']],
  ])('refuses %j', async (headers) => {
    expect((await ask({}, headers)).status).toBe(403);
  });

  it.each([
    [[OWN]],
    [['Host: LOCALHOST:PORT']],
    [['Host: [::1]:PORT']],
    [[OWN, 'Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: same-origin']],
  ])('answers %j', async (headers) => {
    expect((await ask({}, headers)).status).toBe(201);
  });
});

describe('a server that refuses foreign requests', () => {
  const health = async (own: RunningServer, host: string) =>
    (await sendRaw(own.port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`, { answers: 1 }))
      .statuses[0];

  it('refuses them at its service too, and without the option answers any name', async () => {
    expect(await health(server, 'evil.example')).toBe(421);
    expect(await health(server, `127.0.0.1:${server.port}`)).toBe(200);
    const open = await startServer({ controlPort: 0 });
    expect(await health(open, 'evil.example')).toBe(200);
    await open.close(0);
  });

  it('on every address of the machine, has any address as its own, but no other name', async () => {
    const wide = await startServer({ host: '0.0.0.0', refusesForeign: true });
    expect(await health(wide, `192.0.2.1:${wide.port}`)).toBe(200);
    expect(await health(wide, `[2001:db8::1]:${wide.port}`)).toBe(200);
    expect(await health(wide, '192.0.2.1:1')).toBe(421);
    expect(await health(wide, `evil.example:${wide.port}`)).toBe(421);
    await wide.close(0);
  });
});
