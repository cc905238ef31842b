import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { closeAll, connected } from './both-ends.ts';
import {
  describeDirectWrites,
  FIRST,
  passesBy,
  readyToWrite,
  textUntilEnd,
} from './direct-writing.ts';

const LIMIT = { timeout: 30_000 };
/** More than TLS and the kernel take for a client that does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

afterEach(closeAll);

const ready = (): ReturnType<typeof readyToWrite> => readyToWrite(true);

/** Parts of a socket that its types leave out. */
interface Internals {
  readonly _handle: { shutdown(request: unknown): number; readStop(): void };
  _write(chunk: unknown, encoding: string, done: () => void): void;
}

const internalsOf = (socket: Socket): Internals => socket as unknown as Internals;

// Two writes at a time end the process, and so the tests.
await describeDirectWrites('a write over TLS past the stream', true, () => {
  it('needs the stream once for all sockets', LIMIT, async () => {
    const { writers } = await ready();
    const other = await connected(true);
    const writer = writers.of(other.accepted);
    expect(passesBy(other.accepted, () => writer.write(FIRST))).toBe(true);
  });

  it('is followed by what the stream writes in the same turn', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    expect(passesBy(accepted, () => writer.write(Buffer.from('a')))).toBe(true);
    accepted.write('b');
    expect(passesBy(accepted, () => writer.write(Buffer.from('c')))).toBe(false);
    accepted.write('d');
    accepted.end('e');
    expect(await textUntilEnd(client)).toBe('first abcde');
  });

  it('is followed by the end of the connection', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    const shutdown = vi.spyOn(internalsOf(accepted)._handle, 'shutdown');
    client.pause();
    expect(writer.write(LARGE)).toBe('free');
    accepted.end();
    await turn();
    expect(shutdown).not.toHaveBeenCalled();
    expect(await textUntilEnd(client)).toHaveLength(FIRST.length + LARGE.length);
    expect(shutdown).toHaveBeenCalled();
  });

  it('closes the socket if it fails', LIMIT, async () => {
    const { writer, accepted } = await ready();
    accepted.end();
    await once(accepted, 'finish');
    accepted.on('error', () => undefined);
    writer.write(FIRST);
    expect(accepted.destroyed).toBe(true);
  });

  it('closes the socket if it fails later', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    accepted.on('error', () => undefined);
    // Otherwise the end of the client would be read, and close the socket.
    internalsOf(accepted)._handle.readStop();
    client.pause();
    expect(writer.write(LARGE)).toBe('free');
    expect(accepted.destroyed).toBe(false);
    const closed = once(accepted, 'close');
    client.destroy();
    await closed;
  });

  it('is left to the stream while that has bytes to write', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    accepted.cork();
    accepted.write('a');
    expect(writer.write(Buffer.from('b'))).toBe('held');
    accepted.uncork();
    accepted.end();
    expect(await textUntilEnd(client)).toBe('first ab');
  });

  it('may begin while the end of another is announced', LIMIT, async () => {
    const { writers, client, accepted } = await ready();
    const internals = internalsOf(accepted);
    const write = internals._write.bind(accepted);
    const passed = new Promise<boolean>((resolve) => {
      internals._write = (_chunk, _encoding, done) => {
        internals._write = write;
        done();
        resolve(passesBy(accepted, () => writer.write(Buffer.from('b'))));
      };
    });
    const writer = writers.of(accepted);
    writer.write(Buffer.from('a'));
    accepted.write('left out');
    expect(await passed).toBe(true);
    accepted.end();
    expect(await textUntilEnd(client)).toBe('first ab');
  });

  it('is left to the stream while that writes, even an empty text', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    accepted.write('');
    expect(passesBy(accepted, () => writer.write(Buffer.from('a')))).toBe(false);
    accepted.end();
    expect(await textUntilEnd(client)).toBe('first a');
  });

  it('holds the memory of bytes that wait for another write', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    expect(writer.write(Buffer.from('a'))).toBe('free');
    const waiting = Buffer.from('b');
    expect(writer.write(waiting)).toBe('held');
    accepted.end();
    expect(await textUntilEnd(client)).toBe('first ab');
  });

  it('passes by the stream again in a later turn, many times', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    const received = textUntilEnd(client);
    let expected = 'first ';
    for (let count = 0; count < 1000; count++) {
      expect(passesBy(accepted, () => writer.write(Buffer.from(`${count} `)))).toBe(true);
      expected += `${count} `;
      await turn();
      await turn();
    }
    accepted.end();
    expect(await received).toBe(expected);
  });

  it('arrives whole at a client that reads late', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    client.pause();
    expect(writer.write(LARGE)).toBe('free');
    LARGE.fill('y');
    expect(writer.write(Buffer.from('a'))).toBe('held');
    accepted.end('b');
    const text = await textUntilEnd(client);
    LARGE.fill('x');
    expect(text === `first ${LARGE.toString('latin1')}ab`).toBe(true);
  });

  it('ends with its socket, and so does what waits for it', LIMIT, async () => {
    const { writer, client, accepted } = await ready();
    client.pause();
    writer.write(LARGE);
    const waiting = new Promise((resolve) => accepted.write('a', resolve));
    accepted.on('error', () => undefined);
    accepted.destroy();
    expect(await waiting).toBeInstanceOf(Error);
    expect(passesBy(accepted, () => writer.write(FIRST))).toBe(false);
  });
});
