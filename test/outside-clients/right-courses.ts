import { connect } from 'node:net';
import type { Deviation, RunningClient, Slot, Token } from './habits.ts';
import { type RightClient, right } from './right-client.ts';
import { serialise } from './wire.ts';

const isPlatform = (client: RunningClient): boolean =>
  client.environment.FAREPROOF_MODE === 'platform';

/** A course in which one thread requests the estimates one by one. */
const inTurn =
  (each: (client: RunningClient, nth: number) => Promise<void>): Deviation['run'] & object =>
  (client) =>
    client.together([
      async () => {
        for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth++) {
          if (nth > 1) await client.surroundings.sleep(client.intervalMs);
          await each(client, nth);
        }
      },
    ]);

/** Ends and starts anew before some estimates, with the token that it stored. */
const restarting = (before: (nth: number) => boolean): Deviation => ({
  run: (client) => {
    let wire = client.wire();
    let slot = client.slots[0]!;
    return inTurn(async (_, nth) => {
      if (nth > 1 && before(nth)) {
        wire.close();
        wire = client.wire();
        const stored = JSON.parse(JSON.stringify(slot.all.at(-1) ?? null)) as Token | null;
        slot = { ...client.newSlot(), isRefused: slot.isRefused, sent: slot.sent };
        // Stored in whole seconds.
        if (stored) slot.all.push({ ...stored, endsMs: Math.floor(stored.endsMs / 1000) * 1000 });
      }
      await client.estimateOnce(wire, slot, nth);
    })(client);
  },
});

/** Uses the old token while a new one is on its way. */
const refreshingBehind = (share: number, workers = 1): Deviation => ({
  marginMs: 50,
  run: async (client) => {
    const { surroundings } = client;
    const slot = client.slots[0]!;
    const second = client.wire();
    const refresh: { busy: Promise<unknown> | null } = { busy: null };
    const started = new Map<Token, number>();
    let next = 0;
    const work = async (): Promise<void> => {
      const wire = client.wire();
      for (let nth = ++next; nth <= client.count && !surroundings.isOver(); nth = ++next) {
        if (nth > workers) await surroundings.sleep(client.intervalMs * workers);
        const newest = slot.all.at(-1);
        if (newest && !started.has(newest)) started.set(newest, surroundings.now());
        const lifeMs = newest ? newest.endsMs - started.get(newest)! : 0;
        const isDue = newest && surroundings.now() > newest.endsMs - lifeMs * (1 - share);
        const isFresh = newest && surroundings.now() < newest.endsMs - 50;
        if (
          isDue &&
          isFresh &&
          !refresh.busy &&
          !slot.isRefused &&
          !slot.sent.has(newest.refresh)
        ) {
          surroundings.enter();
          refresh.busy = client.refresh(second, slot).catch(() => undefined);
          void refresh.busy.finally(() => {
            refresh.busy = null;
            surroundings.leave();
          });
        }
        await client.estimateOnce(wire, slot, nth);
      }
    };
    await client.together(Array.from({ length: workers }, () => work));
    await refresh.busy;
  },
});

/** Asks for each estimate a second time without waiting, on another connection. */
const hedged: Deviation['run'] = (client) => {
  const [first, second] = [client.wire(), client.wire()];
  return inTurn(async (_, nth) => {
    const slot = client.slots[0]!;
    await client.token(first, slot, nth);
    client.surroundings.leave();
    await client
      .together([
        () => client.estimateOnce(first, slot, nth),
        () => client.estimateOnce(second, slot, nth),
      ])
      .finally(client.surroundings.enter);
  })(client);
};

/** Estimates for a user and for the platform by turns, each with a token of its own. */
const bothModes: Deviation['run'] = (client) => {
  const wire = client.wire();
  const modes = { user: client.slots[0]!, platform: client.newSlot() };
  const mode = (name: string): void => {
    Object.assign(client.environment, { FAREPROOF_MODE: name });
  };
  const own = client.environment.FAREPROOF_MODE;
  const isCalm = /^steady|^refresh-rotation/.test(client.environment.FAREPROOF_SCENARIO);
  return inTurn(async (_, nth) => {
    if (own === 'user' && isCalm && nth % 2 === 0) {
      mode('platform');
      await client.estimateOnce(wire, modes.platform, nth);
      mode('user');
      await client.estimateOnce(wire, modes.user, nth + 100);
    } else await client.estimateOnce(wire, modes.user, nth);
  })(client);
};

/** Has a second platform token in reserve, which it uses while the first is refused. */
const withReserve: Deviation['run'] = async (client) => {
  const wire = client.wire();
  const reserve = client.newSlot();
  const slot = client.slots[0]!;
  await inTurn(async (_, nth) => {
    if (isPlatform(client) && nth === 2) await client.token(wire, reserve, 0);
    const leftMs = (slot.all.at(-1)?.endsMs ?? 0) - client.surroundings.now();
    const chosen: Slot = isPlatform(client) && nth % 4 === 0 && leftMs > 500 ? reserve : slot;
    await client.estimateOnce(wire, chosen, nth);
  })(client);
};

/** Opens connections that it does not use. */
const preconnecting: Deviation['run'] = async (client) => {
  const { hostname, port } = new URL(client.environment.FAREPROOF_BASE_URL);
  const spare = Array.from({ length: 3 }, () =>
    connect({ port: Number(port), host: hostname }).on('error', () => undefined),
  );
  await client.runWorkers().finally(() => {
    for (const socket of spare) socket.destroy();
  });
};

/** Processes that share a token file; one reads it, is held up, and sends the superseded token. */
const heldUp: Deviation['run'] = async (client) => {
  const { count, surroundings, intervalMs } = client;
  const slot = client.slots[0]!;
  const isHeldUp = client.environment.FAREPROOF_SCENARIO === 'newer-user-token';
  let next = 0;
  const work = (at: number) => async (): Promise<void> => {
    const wire = client.wire();
    await surroundings.sleep(1 + at * intervalMs);
    for (let nth = ++next; nth <= count && !surroundings.isOver(); nth = ++next) {
      const token = await client.token(wire, slot, nth);
      if (isHeldUp && nth === 3) {
        await surroundings.sleep(intervalMs * 4);
        await wire.exchange(serialise(client.estimateRequest(token, nth)));
      } else await client.estimateOnce(wire, slot, nth);
      await surroundings.sleep(intervalMs * 3);
    }
  };
  await client.together([0, 1, 2].map(work));
};

/** Opens its circuit for a while after two failures in a row. */
const circuitBreaker: Deviation = {
  estimateAttempts: 3,
  retryPauseMs: 250,
  backoffMs: (attempt) => 300 * 2 ** attempt,
};

/** Right clients whose course of action is odd. */
export const RIGHT_COURSES: readonly RightClient[] = [
  right('replaces tokens at half of their life', {
    lifeMs: (token) => Number(token['expires_in_second']) * 500,
    marginMs: 0,
  }),
  right('replaces tokens at four fifths of their life', {
    lifeMs: (token) => Number(token['expires_in_second']) * 800,
    marginMs: 0,
  }),
  right('replaces tokens at the last moment', { marginMs: 20 }),
  right('refreshes at half of a life while it uses the old token', refreshingBehind(0.5)),
  right('refreshes at four fifths while two workers use the old token', refreshingBehind(0.8, 2)),
  right(
    'refreshes at half of a life while three workers use the old token',
    refreshingBehind(0.5, 3),
  ),
  right(
    'restarts before every third estimate with its stored token',
    restarting((nth) => nth % 3 === 0),
  ),
  right(
    'restarts before each estimate with its stored token',
    restarting(() => true),
  ),
  right('asks twice for each estimate and takes the first answer', { run: hedged }),
  right('serves a user and the platform in one process', { run: bothModes }),
  right('keeps a token in reserve', { run: withReserve }),
  right('opens connections in advance', { run: preconnecting }),
  right('has processes that share a token, one of which is held up', { run: heldUp }),
  right('opens its circuit after failures', circuitBreaker),
  right('retries with long pauses', { estimateAttempts: 4, retryPauseMs: 700 }),
  right('retries at once', { estimateAttempts: 4, retryPauseMs: 1, backoffMs: () => 1 }),
  {
    // On a busy machine any answer may be slow, and a code serves once.
    ...right('gives up a slow answer and asks again', {
      patienceMs: 700,
      postPatienceMs: 60_000,
      estimateAttempts: 3,
    }),
    // It leaves before the slow answer, unless a stalled process has both timers fire together.
    verdicts: ['incomplete', 'conformant'],
  },
  right('asks faster than it is told', { run: (client) => inHaste(client, 0.6) }),
  right('asks slower than it is told', { run: (client) => inHaste(client, 1.7) }),
  right('stays on when its work is done', {
    run: async (client) => {
      await client.runWorkers();
      await client.surroundings.sleep(200_000);
    },
  }),
  ...[4, 5].map((slots) =>
    right(`keeps a pool of ${slots}`, {
      slots,
      run: (client) => {
        if (!isPlatform(client)) client.slots.length = 1;
        return client.runWorkers();
      },
    }),
  ),
  right('takes the token of its pool that was used least', {
    slots: 2,
    workers: 3,
    run: (client) => {
      if (!isPlatform(client)) client.slots.length = 1;
      return client.runWorkers();
    },
  }),
  right('has three workers that share a token on one connection each', { workers: 3 }),
  right('has three workers that open a connection for each request', {
    workers: 3,
    keepsAlive: false,
  }),
  right('tests its signature with an estimate of its own first', {
    run: async (client) => {
      await client.estimateOnce(client.wire(), client.slots[0]!, 1);
      await client.surroundings.sleep(client.intervalMs);
      await client.runWorkers();
    },
  }),
  right('closes its side of each connection', { keepsAlive: false, halfCloses: true }),
  right('ends with an exit code', {
    run: async (client) => {
      await client.runWorkers();
      throw new Error('as it always does');
    },
  }),
];

function inHaste(client: RunningClient, factor: number): Promise<void> {
  Object.defineProperty(client, 'intervalMs', { value: client.intervalMs * factor });
  return client.runWorkers();
}
