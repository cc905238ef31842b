import { type Deviation, RIGHT, type RunningClient, type Token } from './habits.ts';
import { type RightClient, right } from './right-client.ts';
import { RIGHT_COURSES } from './right-courses.ts';
import { RIGHT_MESSAGES } from './right-messages.ts';
import { RIGHT_STACKS } from './right-stacks.ts';
import { RIGHT_THREADS } from './right-threads.ts';
import { serialise } from './wire.ts';

/** Sends estimates in pairs on two connections, then waits for both. */
const inPairs = async (client: RunningClient): Promise<void> => {
  const wires = [client.wire(), client.wire()];
  await client.together([
    async () => {
      for (let nth = 1; nth <= client.count; nth += 2) {
        if (nth > 1) await client.surroundings.sleep(client.intervalMs * 2);
        if (client.surroundings.isOver()) return;
        const slot = client.slots[0]!;
        await client.token(wires[0]!, slot, nth);
        const rest = nth + 1 <= client.count ? [nth, nth + 1] : [nth];
        const tasks = rest.map((one, at) => () => client.estimateOnce(wires[at]!, slot, one));
        client.surroundings.leave();
        await client.together(tasks).finally(client.surroundings.enter);
      }
    },
  ]);
};

/** A second thread refreshes the token halfway through its life, whatever the first one does. */
const withRefresher = async (client: RunningClient): Promise<void> => {
  const { surroundings } = client;
  const slot = client.slots[0]!;
  const state = { isDone: false };
  const first = client.wire();
  await client.together([
    async () => {
      try {
        for (let nth = 1; nth <= client.count && !surroundings.isOver(); nth++) {
          if (nth > 1) await surroundings.sleep(client.intervalMs);
          await client.estimateOnce(first, slot, nth);
        }
      } finally {
        state.isDone = true;
      }
    },
    async () => {
      const second = client.wire();
      while (!state.isDone && !surroundings.isOver()) {
        await surroundings.sleep(100);
        const newest = slot.all.at(-1);
        if (newest === undefined || slot.busy || slot.sent.has(newest.refresh)) continue;
        const leftMs = newest.endsMs - surroundings.now();
        if (leftMs > 1000 || leftMs < 100) continue;
        slot.busy = client.refresh(second, slot).catch(() => undefined);
        await slot.busy;
        slot.busy = null;
      }
    },
  ]);
};

/** Begins with one token and adds another after every third estimate, up to three; all stay in use. */
const growingPool = async (client: RunningClient): Promise<void> => {
  const wire = client.wire();
  await client.together([
    async () => {
      for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth++) {
        if (nth > 1) await client.surroundings.sleep(client.intervalMs);
        const isPlatform = client.environment.FAREPROOF_MODE === 'platform';
        if (isPlatform && nth % 3 === 0 && client.slots.length < 3)
          client.slots.push(client.newSlot());
        await client.estimateOnce(wire, client.slots[nth % client.slots.length]!, nth);
      }
    },
  ]);
};

/** The second half is done by another process, which knows nothing of the first one's token. */
const handedOver = async (client: RunningClient): Promise<void> => {
  const wires = [client.wire(), client.wire()];
  await client.together([
    async () => {
      let slot = client.slots[0]!;
      for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth++) {
        if (nth > 1) await client.surroundings.sleep(client.intervalMs);
        const isPlatform = client.environment.FAREPROOF_MODE === 'platform';
        const leftMs = (slot.all.at(-1)?.endsMs ?? 0) - client.surroundings.now();
        const isHalf = nth === Math.ceil(client.count / 2);
        if (isPlatform && isHalf && leftMs > 60_000) slot = client.newSlot();
        await client.estimateOnce(wires[slot === client.slots[0] ? 0 : 1]!, slot, nth);
      }
    },
  ]);
};

/** A platform client's slots; a user has but one token. */
const pool = (count: number, deviation: Deviation = {}): Deviation => ({
  ...deviation,
  run: async (client) => {
    const isPlatform = client.environment.FAREPROOF_MODE === 'platform';
    if (!isPlatform) client.slots.length = 1;
    return deviation.run ? deviation.run(client) : client.runWorkers();
  },
  slots: count,
});

const spare = (all: readonly Token[]): Token | undefined => all.at(-1);

/** Right clients whose styles no rule may be broken by. */
export const RIGHT_CLIENTS: readonly RightClient[] = [
  right('does what is usual', {}),

  // Several tokens, workers and queues.
  right('keeps a pool of two platform tokens', pool(2)),
  right('keeps a pool of three platform tokens', pool(3)),
  right('keeps a pool of three and replaces tokens early', pool(3, { marginMs: 900 })),
  right('has two workers with a token each', pool(2, { workers: 2, ownSlots: true })),
  right('has three workers with a token each', pool(3, { workers: 3, ownSlots: true })),
  right('has two workers that share a token', { workers: 2 }),
  right('has four workers that share a token', { workers: 4 }),
  right('has two workers that share a pool of two', pool(2, { workers: 2 })),
  right(
    'has two workers on connections of their own',
    pool(2, {
      workers: 2,
      ownSlots: true,
      keepsAlive: false,
    }),
  ),
  right('sends estimates two at a time', { run: inPairs }),
  right('sends estimates two at a time from a pool', pool(2, { run: inPairs })),
  // A second before the end that it reads: a shorter life would be refreshed all the time.
  right('refreshes in a second thread', { run: withRefresher, lifeMs: RIGHT.lifeMs }),
  right('adds tokens to its pool', { run: growingPool }),
  right('hands over to another process', { run: handedOver }),
  right('picks the newest of a pool', pool(2, { pickToken: spare })),

  ...RIGHT_MESSAGES,

  // Course.
  right('checks the health of the server first', {
    run: async (client) => {
      const wire = client.wire();
      const host = new URL(client.environment.FAREPROOF_BASE_URL).host;
      const probe = {
        method: 'GET',
        target: '/healthz',
        headers: [['Host', host]] as [string, string][],
      };
      await wire.exchange(serialise({ ...probe, body: Buffer.alloc(0), version: 'HTTP/1.1' }));
      wire.close();
      await client.runWorkers();
    },
  }),
  right('asks for more estimates than it was told', {
    // As many tokens as estimates would be too many of both.
    marginMs: RIGHT.marginMs,
    run: async (client) => {
      await client.runWorkers();
      await client.runWorkers();
    },
  }),
  right('does not repeat a failed estimate', { estimateAttempts: 1 }),
  right('repeats a failed estimate four times', { estimateAttempts: 5 }),
  right('repeats an estimate once with a refused token, then replaces it', { marginMs: 700 }),
  right('replaces a token a second before its end', { marginMs: 1000 }),
  right('replaces a token at half its life', { marginMs: 1000, retryPauseMs: 200 }),
  right('replaces a token five minutes before its end', {
    lifeMs: (token) => Math.max(1000, Number(token['expires_in_second']) * 1000 - 300_000),
  }),
  right('gives up after two refused token requests', { maxRefusals: 2 }),
  right('waits long between refused token requests', { backoffMs: (attempt) => 900 * attempt }),

  ...RIGHT_STACKS,
  ...RIGHT_COURSES,
  ...RIGHT_THREADS,
];
