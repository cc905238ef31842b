import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, it } from 'vitest';
import { wallClock } from '../../../src/server/clock.ts';
import { CONTROL_ERRORS } from '../../../src/server/control-errors.ts';
import { HttpListener, type ListenerOptions } from '../../../src/server/http/listener.ts';
import { DEFAULT_TIMEOUTS } from '../../../src/server/http/node-server.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { until } from '../../support/until.ts';

const OPTIONS: ListenerOptions = {
  clock: wallClock,
  timeouts: DEFAULT_TIMEOUTS,
  errors: CONTROL_ERRORS,
  handler: () => CONTROL_ERRORS.answer(404, { code: 'path-unknown', message: 'Nothing is here.' }),
};

it('is not idle if its reader has read something', () => {
  const reader = { reads: 0, take: () => undefined, close: () => undefined };
  const listener = new HttpListener({ ...OPTIONS, readAhead: () => reader });
  expect(listener.isIdle()).toBe(true);
  reader.reads++;
  expect(listener.isIdle()).toBe(false);
  expect(listener.isIdle()).toBe(true);
});

it.each([
  ['over TCP', undefined],
  ['over TLS', LOOPBACK_TLS],
])('is idle while its clients are silent, %s', { timeout: 30_000 }, async (_, tls) => {
  const listener = new HttpListener({ ...OPTIONS, tls });
  await listener.listen(0, '127.0.0.1');
  expect(listener.isIdle()).toBe(true);
  const { port } = listener;
  const client = tls ? connectTls({ port, ca: tls.cert }) : connect(port, '127.0.0.1');
  try {
    await once(client, tls ? 'secureConnect' : 'connect');
    await until(() => !listener.isIdle());
    for (let request = 0; request < 2; request++) {
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(client, 'data');
      expect(listener.isIdle()).toBe(false);
      expect(listener.isIdle()).toBe(true);
    }
  } finally {
    client.destroy();
    await listener.close(0);
  }
});
