import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import fc from '../../support/property.ts';
import { until } from '../../support/until.ts';
import { Client, estimate, HEALTH, restore, start } from './connection.ts';

// Over TLS, a second write before the end of the first one would end the process.

afterEach(restore);

const RUNS = 40;

/** Behaviour of a client: its requests, how it cuts them, and how it leaves. */
interface Session {
  readonly requests: readonly ('estimate' | 'health')[];
  readonly sends: 'all at once' | 'each alone' | 'in short pieces';
  readonly leaves: 'once answered' | 'by an end' | 'at once' | 'after the first answer';
  readonly readsLate: boolean;
}

const session: fc.Arbitrary<Session> = fc.record({
  requests: fc.array(fc.constantFrom('estimate', 'estimate', 'estimate', 'estimate', 'health'), {
    minLength: 1,
    maxLength: 12,
  }),
  sends: fc.constantFrom('all at once', 'each alone', 'each alone', 'in short pieces'),
  leaves: fc.constantFrom('once answered', 'by an end', 'at once', 'after the first answer'),
  readsLate: fc.boolean(),
});

it('answers what it got, over TLS, however its clients send, read and leave', {
  tags: ['long'],
}, async () => {
  const server = await start({ tls: LOOPBACK_TLS });
  // Shows how streams write, so that those of the sessions are passed by.
  await new Client(server, true).send(estimate(), 1);
  await fc.assert(
    fc.asyncProperty(fc.array(session, { minLength: 4, maxLength: 16 }), async (sessions) => {
      await Promise.all(sessions.map((one) => play(server, one)));
    }),
    { numRuns: RUNS },
  );
});

async function play(
  server: RunningServer,
  { requests, sends, leaves, readsLate }: Session,
): Promise<void> {
  const client = new Client(server, true);
  const { socket } = client;
  if (readsLate) socket.pause();
  const texts = requests.map((kind, index) => (kind === 'estimate' ? estimate(index + 1) : HEALTH));
  const expected = requests.map((kind, index) => (kind === 'estimate' ? index + 1 : '200'));
  for (const piece of cut(texts, sends)) {
    socket.write(piece);
    await turn();
  }
  socket.resume();
  if (leaves === 'by an end') {
    socket.end();
    await client.closed;
  } else if (leaves === 'once answered') {
    await until(() => client.answers.length >= expected.length);
  } else if (leaves === 'after the first answer') {
    await until(() => client.text !== '');
  }
  socket.destroy();
  if (leaves === 'by an end' || leaves === 'once answered')
    expect(client.answers).toEqual(expected);
}

function cut(texts: readonly string[], sends: Session['sends']): readonly string[] {
  if (sends === 'each alone') return texts;
  const all = texts.join('');
  return sends === 'all at once' ? [all] : (all.match(/[\s\S]{1,100}/g) ?? []);
}
