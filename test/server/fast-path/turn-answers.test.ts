import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TurnAnswers } from '../../../src/server/fast-path/turn-answers.ts';
import { DirectWriter } from '../../../src/server/http/direct-write.ts';
import { closeAll, connected } from '../http/both-ends.ts';

afterEach(() => {
  vi.restoreAllMocks();
  closeAll();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An answer of that many bytes which differs from its neighbours. */
const answer = (number: number, length = 500): string => `${number} `.padEnd(length, '.');

describe('the answers of a turn', () => {
  it('are written at its end, in their order', async () => {
    const [one, two] = [await connected(), await connected()];
    const written: string[] = [];
    const write = vi.spyOn(DirectWriter.prototype, 'write');
    write.mockImplementation((socket, bytes) => {
      written.push(`${socket === one.accepted ? 'one' : 'two'} ${String(bytes)}`);
      return 'written';
    });
    const answers = new TurnAnswers(() => undefined);
    const shared = Buffer.from('a');
    answers.add(one.accepted, shared);
    shared.write('b');
    answers.add(two.accepted, shared);
    answers.add(one.accepted, Buffer.from('c'));
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(['one a', 'two b', 'one c']);
    await turn();
    expect(written).toHaveLength(3);
  });

  it('are written at once when they are flushed, or many', async () => {
    const { accepted } = await connected();
    const write = vi.spyOn(DirectWriter.prototype, 'write');
    const answers = new TurnAnswers(() => undefined);
    answers.add(accepted, Buffer.from('a'));
    answers.flush();
    expect(write).toHaveBeenCalledTimes(1);
    for (let count = 0; count < 32; count++) answers.add(accepted, Buffer.from('b'));
    expect(write).toHaveBeenCalledTimes(33);
    await turn();
    expect(write).toHaveBeenCalledTimes(33);
  });

  it.each([
    { over: 'TCP', isTls: false, length: 500 },
    { over: 'TCP', isTls: false, length: 3000 },
    { over: 'TLS', isTls: true, length: 500 },
    { over: 'TLS', isTls: true, length: 3000 },
  ])(
    'of $length bytes stay apart while they wait for a client over $over that does not read',
    async ({ isTls, length }) => {
      const { client, accepted } = await connected(isTls);
      const full: Socket[] = [];
      const answers = new TurnAnswers((socket) => full.push(socket));
      client.pause();
      let sent = 0;
      while (full.length < 50 && sent < 100_000) {
        answers.add(accepted, Buffer.from(answer(sent++, length)));
        if (sent % 7 === 0) await turn();
      }
      expect(full).toContain(accepted);
      await turn();
      accepted.end();
      let received = '';
      client.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      client.resume();
      await once(client, 'end');
      const expected = Array.from({ length: sent }, (_, number) => answer(number, length)).join('');
      expect(received === expected).toBe(true);
    },
  );
});
