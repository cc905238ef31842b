import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { DirectWriters } from '../../../src/server/http/direct-write.ts';
import type { SocketWriter } from '../../../src/server/http/socket-writer.ts';
import { closeAll, connected } from './both-ends.ts';

/** Bytes that the writer of a ready connection has written. */
export const FIRST = Buffer.from('first ');

/** A connection whose writer may pass by the stream. */
export interface ReadyToWrite {
  readonly writers: DirectWriters;
  readonly writer: SocketWriter;
  readonly client: Socket;
  readonly accepted: Socket;
}

/** Opens a connection, and has its writer leave {@link FIRST} to the stream, which shows how it writes. */
export async function readyToWrite(isTls: boolean): Promise<ReadyToWrite> {
  const { client, accepted } = await connected(isTls);
  const writers = new DirectWriters();
  const writer = writers.of(accepted);
  expect(passesBy(accepted, () => writer.write(FIRST))).toBe(false);
  await once(client, 'readable');
  return { writers, writer, client, accepted };
}

/**
 * Defines the tests of writes past the stream, where this Node allows them; else, one test that they are left
 * to the stream, and the others are skipped.
 */
export async function describeDirectWrites(
  title: string,
  isTls: boolean,
  tests: () => void,
): Promise<void> {
  const leftToStream = async (): Promise<boolean> => {
    const { writer, accepted } = await readyToWrite(isTls);
    return !passesBy(accepted, () => writer.write(FIRST));
  };
  const isPossible = !(await leftToStream());
  closeAll();
  it.skipIf(isPossible)(
    `${title}: left to the stream, as this Node makes no request for it`,
    {
      timeout: 30_000,
    },
    async () => {
      expect(await leftToStream()).toBe(true);
    },
  );
  describe.skipIf(!isPossible)(`${title} (not on a Node whose streams make no request)`, () => {
    tests();
  });
}

/** Checks whether a write passes by the stream of its socket. */
export function passesBy(socket: Socket, write: () => unknown): boolean {
  const ofStream = vi.spyOn(socket, 'write');
  write();
  const passed = ofStream.mock.calls.length === 0;
  ofStream.mockRestore();
  return passed;
}

/** Everything that a client receives until the other side ends. */
export async function textUntilEnd(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk));
  client.resume();
  await once(client, 'end');
  return Buffer.concat(chunks).toString('latin1');
}
