import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { closeAll, connected } from './both-ends.ts';
import {
  describeDirectWrites,
  FIRST,
  passesBy,
  readyToWrite,
  textUntilEnd,
} from './direct-writing.ts';

const LIMIT = { timeout: 30_000 };
/** More than the kernel takes for a client that does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

afterEach(closeAll);

const ready = (): ReturnType<typeof readyToWrite> => readyToWrite(false);

await describeDirectWrites('a write past the stream', false, () => {
  it('keeps its order with writes of the stream', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    expect(passesBy(accepted, () => writer.write(Buffer.from('a')))).toBe(true);
    accepted.write('b');
    expect(passesBy(accepted, () => writer.write(Buffer.from('c')))).toBe(true);
    accepted.end('d');
    expect(await textUntilEnd(client)).toBe('first abcd');
  });

  it('needs the stream once for all sockets', LIMIT, async () => {
    const { writers } = await ready();
    const other = await connected();
    const writer = writers.of(other.accepted);
    expect(passesBy(other.accepted, () => writer.write(FIRST))).toBe(true);
  });

  it('is left to the stream while that has bytes to write', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    accepted.cork();
    accepted.write('a');
    expect(passesBy(accepted, () => writer.write(Buffer.from('b')))).toBe(false);
    accepted.uncork();
    accepted.end();
    expect(await textUntilEnd(client)).toBe('first ab');
  });

  it('is left to the stream on a closed socket', LIMIT, async () => {
    const { writer, accepted } = await ready();
    accepted.destroy();
    expect(passesBy(accepted, () => writer.write(FIRST))).toBe(false);
  });

  it(
    'arrives whole at a client that reads late, though the socket ends at once',
    LIMIT,
    async () => {
      const { writer, client, accepted } = await ready();
      client.pause();
      expect(writer.write(LARGE)).toBe('full');
      expect(writer.write(Buffer.from('a'))).toBe('full');
      accepted.write('b');
      expect(writer.write(Buffer.from('c'))).toBe('held');
      accepted.end('d');
      const text = await textUntilEnd(client);
      expect(text).toHaveLength(FIRST.length + LARGE.length + 4);
      expect(text.slice(-4)).toBe('abcd');
    },
  );

  it(
    'announces that pending bytes are written, and uses other requests meanwhile',
    LIMIT,
    async () => {
      const { writers, writer, client, accepted } = await ready();
      const other = await connected();
      client.pause();
      expect(writer.write(LARGE)).toBe('full');
      expect(writers.of(other.accepted).write(Buffer.from('a'))).toBe('free');
      const drained = once(accepted, 'drain');
      client.resume();
      await drained;
      expect(writer.write(Buffer.from('b'))).toBe('free');
    },
  );

  it('closes the socket if it fails', LIMIT, async () => {
    const { writer, accepted } = await ready();
    accepted.end();
    await once(accepted, 'finish');
    accepted.on('error', () => undefined);
    expect(writer.write(FIRST)).toBe('free');
    expect(accepted.destroyed).toBe(true);
  });
});
