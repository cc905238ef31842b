import { once } from 'node:events';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TurnAnswers } from '../../../src/server/speed/turn-answers.ts';
import { closeAll, connected } from '../http/both-ends.ts';

afterEach(closeAll);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An answer of that many bytes which differs from its neighbours. */
const answer = (number: number, length = 500): string => `${number} `.padEnd(length, '.');

/** A socket that writes into a list. */
function noting(name: string, written: string[]): Socket {
  return Object.assign(new Socket(), {
    write: (bytes: Buffer) => written.push(`${name} ${String(bytes)}`) > 0,
  });
}

describe('the answers of a turn', () => {
  it('are written at its end, in their order', async () => {
    const written: string[] = [];
    const [one, two] = [noting('one', written), noting('two', written)];
    const answers = new TurnAnswers(() => undefined);
    const shared = Buffer.from('a');
    answers.add(one, shared);
    shared.write('b');
    answers.add(two, shared);
    answers.add(one, Buffer.from('c'));
    expect(written).toEqual([]);
    await turn();
    expect(written).toEqual(['one a', 'two b', 'one c']);
    await turn();
    expect(written).toHaveLength(3);
  });

  it('are written at once when they are flushed, or many', async () => {
    const written: string[] = [];
    const socket = noting('one', written);
    const answers = new TurnAnswers(() => undefined);
    answers.add(socket, Buffer.from('a'));
    answers.flush();
    expect(written).toHaveLength(1);
    for (let count = 0; count < 32; count++) answers.add(socket, Buffer.from('b'));
    expect(written).toHaveLength(33);
    await turn();
    expect(written).toHaveLength(33);
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
