import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DirectWriter } from '../../../src/server/http/direct-write.ts';
import { closeAll, connected } from './both-ends.ts';

const LIMIT = { timeout: 30_000 };
const FIRST = Buffer.from('first ');
/** More than the kernel takes for a client that does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

afterEach(closeAll);

/** A writer that has seen a write of a stream, and a connection for it. */
async function ready(): Promise<{ writer: DirectWriter; client: Socket; accepted: Socket }> {
  const { client, accepted } = await connected();
  const writer = new DirectWriter();
  expect(writer.write(accepted, FIRST)).toBe('refused');
  accepted.write(FIRST);
  return { writer, client, accepted };
}

/** Everything that a client receives until the other side ends. */
async function received(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.resume();
  await once(client, 'end');
  return Buffer.concat(chunks).toString('latin1');
}

const first = await ready();
const isPossible = first.writer.write(first.accepted, FIRST) === 'written';
closeAll();

it.skipIf(isPossible)(
  'is left to the stream, since this Node makes no request for it',
  LIMIT,
  async () => {
    const { writer, accepted } = await ready();
    expect(writer.write(accepted, FIRST)).toBe('refused');
  },
);

describe.skipIf(!isPossible)(
  'a write past the stream (not on this Node, whose streams make no request)',
  () => {
    it(
      'keeps its order with writes of the stream, and needs the stream only once',
      LIMIT,
      async () => {
        const { writer, client, accepted } = await ready();
        const write = vi.spyOn(accepted, 'write');
        expect(writer.write(accepted, Buffer.from('a'))).toBe('written');
        expect(write).not.toHaveBeenCalled();
        accepted.write('b');
        expect(writer.write(accepted, Buffer.from('c'))).toBe('written');
        accepted.end('d');
        expect(await received(client)).toBe('first abcd');
      },
    );

    it('is refused while the stream has bytes to write', LIMIT, async () => {
      const { writer, client, accepted } = await ready();
      accepted.cork();
      accepted.write('a');
      expect(writer.write(accepted, Buffer.from('b'))).toBe('refused');
      accepted.uncork();
      accepted.end('b');
      expect(await received(client)).toBe('first ab');
    });

    it('is refused over TLS and on a closed socket', LIMIT, async () => {
      const { writer, accepted } = await ready();
      const secure = await connected(true);
      expect(writer.write(secure.accepted, FIRST)).toBe('refused');
      accepted.destroy();
      expect(writer.write(accepted, FIRST)).toBe('refused');
    });

    it(
      'arrives whole at a client that reads late, though the socket ends at once',
      LIMIT,
      async () => {
        const { writer, client, accepted } = await ready();
        client.pause();
        expect(writer.write(accepted, LARGE)).toBe('pending');
        expect(writer.write(accepted, Buffer.from('a'))).toBe('pending');
        accepted.write('b');
        expect(writer.write(accepted, Buffer.from('c'))).toBe('refused');
        accepted.end('d');
        const text = await received(client);
        expect(text).toHaveLength(FIRST.length + LARGE.length + 3);
        expect(text.slice(-3)).toBe('abd');
      },
    );

    it(
      'announces that pending bytes are written, and uses other requests meanwhile',
      LIMIT,
      async () => {
        const { writer, client, accepted } = await ready();
        const other = await connected();
        client.pause();
        expect(writer.write(accepted, LARGE)).toBe('pending');
        expect(writer.write(other.accepted, Buffer.from('a'))).toBe('written');
        const drained = once(accepted, 'drain');
        client.resume();
        await drained;
        expect(writer.write(accepted, Buffer.from('b'))).toBe('written');
      },
    );

    it('closes the socket if it fails', LIMIT, async () => {
      const { writer, accepted } = await ready();
      accepted.end();
      await once(accepted, 'finish');
      accepted.on('error', () => undefined);
      expect(writer.write(accepted, FIRST)).toBe('written');
      expect(accepted.destroyed).toBe(true);
    });
  },
);
