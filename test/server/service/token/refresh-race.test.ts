import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sign } from '../../../../src/interface/index.ts';
import { startServer } from '../../../../src/server/index.ts';
import { standStill } from '../../../support/stand-still.ts';
import { Caller, frozen } from '../../caller.ts';

/** A refresh of which the last byte is not sent yet. */
async function begin(caller: Caller, refreshToken: string): Promise<Socket> {
  const fields = caller.fields({ grant_type: 'refresh_token', refresh_token: refreshToken });
  const body = JSON.stringify(fields);
  const head = [
    'POST /v1/oauth/token HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${caller.id}|${sign(fields, caller.key)}`,
    `Content-Length: ${body.length}`,
  ];
  const socket = connect(caller.server.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  return socket;
}

/** Sends the last byte; the first line of the answer. */
async function end(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.write('}');
  await new Promise((resolve) => socket.once('close', resolve));
  return text.slice(0, text.indexOf('\r\n'));
}

async function someTurns(): Promise<void> {
  for (let count = 0; count < 20; count++) await turn();
}

it('the fault of concurrent refreshes shows even if the machine pauses between two', async () => {
  const faults = ['lifecycle/refresh-single-use-concurrent'] as const;
  const server = await startServer({ controlPort: 0, clock: frozen, faults });
  try {
    const caller = await Caller.fresh(server);
    const { refresh_token } = (await caller.platform()).body;
    const [first, second] = [
      await begin(caller, refresh_token),
      await begin(caller, refresh_token),
    ];
    await someTurns();
    const firstAnswer = end(first);
    await someTurns();
    const secondAnswer = end(second);
    standStill(200);
    expect(await firstAnswer).toBe('HTTP/1.1 200 OK');
    expect(await secondAnswer).toBe('HTTP/1.1 200 OK');
  } finally {
    await server.close(0);
  }
});
