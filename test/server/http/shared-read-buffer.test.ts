import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { bypassReadQueue, restoreReadQueue } from '../../../src/server/http/shared-read-buffer.ts';
import { closeAll, closeLater, connected } from './both-ends.ts';

afterEach(closeAll);

/** Received chunks: a tag and the text of each. */
class Heard {
  readonly chunks: string[] = [];
  readonly memories = new Set<ArrayBufferLike>();

  readonly hear =
    (tag: string) =>
    (chunk: Buffer): void => {
      this.memories.add(chunk.buffer);
      this.chunks.push(`${tag} ${chunk.toString()}`);
    };

  async until(count: number): Promise<string[]> {
    while (this.chunks.length < count) await new Promise((resolve) => setImmediate(resolve));
    return this.chunks;
  }
}

describe('chunks that bypass the read queue', () => {
  it.each([
    { over: 'TCP', isTls: false },
    { over: 'TLS', isTls: true },
  ])(
    'are read at once over $over, and arrive as data once the queue is restored',
    async ({ isTls }) => {
      const { client, accepted } = await connected(isTls);
      const heard = new Heard();
      bypassReadQueue(accepted, heard.hear('read'), true);
      accepted.on('data', heard.hear('data'));
      client.write('one');
      await heard.until(1);
      client.write('two');
      await heard.until(2);
      restoreReadQueue(accepted);
      client.write('three');
      await heard.until(3);
      client.end('four');
      expect(await heard.until(4)).toEqual(['read one', 'read two', 'data three', 'data four']);
      await once(accepted, 'end');
    },
  );

  it('are in one memory for all connections, of TCP and of TLS', async () => {
    const heard = new Heard();
    for (const text of ['first', 'second', 'third']) {
      const { client, accepted } = await connected(text !== 'first');
      bypassReadQueue(accepted, heard.hear('read'), true);
      accepted.on('data', heard.hear('data'));
      client.write(text);
      await heard.until(heard.chunks.length + 1);
    }
    expect(heard.chunks).toEqual(['read first', 'read second', 'read third']);
    expect(heard.memories.size).toBe(1);
  });

  it('have their own memory if none is shared', async () => {
    const heard = new Heard();
    for (const text of ['first', 'second']) {
      const { client, accepted } = await connected();
      bypassReadQueue(accepted, heard.hear('read'), false);
      accepted.on('data', heard.hear('data'));
      client.write(text);
      await heard.until(heard.chunks.length + 1);
    }
    expect(heard.chunks).toEqual(['read first', 'read second']);
    expect(heard.memories.size).toBe(2);
  });

  it('are left to a socket that generates its own buffers', async () => {
    const server = createServer((socket) => closeLater(socket.end('its own')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own: string[] = [];
    const client = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      onread: {
        buffer: () => new Uint8Array(16),
        callback: (length, chunk) => own.push(Buffer.from(chunk).toString('latin1', 0, length)) > 0,
      },
    });
    closeLater(server, client);
    const heard = new Heard();
    bypassReadQueue(client, heard.hear('read'), true);
    await once(client, 'close');
    expect([own, heard.chunks]).toEqual([['its own'], []]);
  });

  it('have their own memory once the queue is restored: later reads do not change them', async () => {
    const { client, accepted } = await connected();
    const kept: Buffer[] = [];
    bypassReadQueue(accepted, () => undefined, true);
    restoreReadQueue(accepted);
    accepted.on('data', (chunk: Buffer) => kept.push(chunk));
    client.write('kept');
    while (kept.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const other = await connected();
    const heard = new Heard();
    bypassReadQueue(other.accepted, heard.hear('read'), true);
    other.accepted.on('data', heard.hear('data'));
    other.client.write('over');
    await heard.until(1);
    expect(kept.map(String)).toEqual(['kept']);
  });

  it('arrive after those that were queued before', async () => {
    const { client, accepted } = await connected();
    client.write('early');
    while (accepted.readableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    const heard = new Heard();
    bypassReadQueue(accepted, heard.hear('read'), true);
    client.write('late');
    while (accepted.readableLength < 'earlylate'.length) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    accepted.on('data', heard.hear('data'));
    await heard.until(2);
    client.write('last');
    expect(await heard.until(3)).toEqual(['data early', 'data late', 'read last']);
  });
});
