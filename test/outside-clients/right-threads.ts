import type { Deviation, RunningClient, Slot } from './habits.ts';
import { type RightClient, right, sparing } from './right-client.ts';
import { serialise, type Wire } from './wire.ts';

const isPlatform = (client: RunningClient): boolean =>
  client.environment.FAREPROOF_MODE === 'platform';

/** Gives each worker of a platform its share of the slots; a user has but one token. */
const pooled = (slots: number, deviation: Deviation = {}): Deviation => ({
  ...deviation,
  slots,
  run: (client) => {
    if (!isPlatform(client)) client.slots.length = 1;
    return (deviation.run ?? ((one: RunningClient) => one.runWorkers()))(client);
  },
});

/** One worker that does something before each estimate. */
const before =
  (
    each: (client: RunningClient, nth: number, wire: Wire) => Promise<unknown>,
  ): Deviation['run'] & object =>
  (client) => {
    const wire = client.wire();
    return client.together([
      async () => {
        for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth++) {
          if (nth > 1) await client.surroundings.sleep(client.intervalMs);
          await each(client, nth, wire);
          await client.estimateOnce(wire, client.slots[0]!, nth);
        }
      },
    ]);
  };

/** Asks for something outside the interface. */
const aside = async (
  client: RunningClient,
  method: string,
  target: string,
  own: readonly [string, string][] = [],
): Promise<void> => {
  const host = new URL(client.environment.FAREPROOF_BASE_URL).host;
  const headers: [string, string][] = [['Host', host], ['Connection', 'close'], ...own];
  const wire = client.wire();
  const request = { method, target, headers, body: Buffer.alloc(0), version: 'HTTP/1.1' };
  // An answer to HEAD has no body, whatever its length says.
  await wire.exchange(serialise(request)).catch(() => undefined);
  wire.close();
};

const PREFLIGHT: readonly [string, string][] = [
  ['Origin', 'https://rides.example'],
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization,content-type'],
];

/** Lets all workers wait for one connection, with requests that are ready to be sent. */
const queued: Deviation['run'] = (client) => {
  const wire = client.wire();
  const exchange = wire.exchange.bind(wire);
  let last: Promise<unknown> = Promise.resolve();
  wire.exchange = (...given) => {
    const answer = last.then(() => exchange(...given));
    last = answer.catch(() => undefined);
    return answer;
  };
  client.wire = () => wire;
  return client.runWorkers();
};

/** Sends some estimates at once, then waits as long as they would have taken. */
const inBursts =
  (size: number): Deviation['run'] & object =>
  async (client) => {
    const wires = Array.from({ length: size }, () => client.wire());
    for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth += size) {
      const left = Math.min(size, client.count - nth + 1);
      await client.together(
        wires.slice(0, left).map((wire, at) => async () => {
          if (nth > 1) await client.surroundings.sleep(client.intervalMs * size);
          await client.estimateOnce(wire, client.slots[0]!, nth + at);
        }),
      );
    }
  };

/** Workers of which each begins later than the one before. */
const staggered: Deviation['run'] = (client) => {
  const { count, surroundings, intervalMs } = client;
  let next = 0;
  const worker = (at: number) => async (): Promise<void> => {
    await surroundings.sleep(1 + (at * count * intervalMs) / 6);
    const wire = client.wire();
    const slot: Slot = client.slots[at % client.slots.length]!;
    for (let nth = ++next; nth <= count && !surroundings.isOver(); nth = ++next) {
      await client.estimateOnce(wire, slot, nth);
      await surroundings.sleep(3 * intervalMs);
    }
  };
  return client.together([0, 1, 2].map(worker));
};

/** Requests tokens on connections of their own, which it closes. */
const separately: Deviation['run'] = (client) => {
  const { token } = client;
  client.token = async (_wire, slot, nth) => {
    const own = client.wire();
    try {
      return await token.call(client, own, slot, nth);
    } finally {
      own.close();
    }
  };
  return client.runWorkers();
};

const jittered: Deviation['run'] = before(({ surroundings, intervalMs }, nth) =>
  surroundings.sleep(((nth * 37) % 50) * 0.01 * intervalMs),
);

/** Scenarios of several processes, in each of which a client fills a pool. */
const SEVERAL = ['restart', 'four-processes'];

/** Right clients with queues, pools and requests outside the interface. */
export const RIGHT_THREADS: readonly RightClient[] = [
  // Five more estimates follow an answer with Retry-After at once, each of a worker of its own.
  {
    ...sparing('lets six workers wait for one connection', { workers: 6, run: queued }),
    wrongIn: ['busy-service'],
  },
  right('lets two workers wait for one connection', { workers: 2, run: queued }),
  right('lets a pool of two wait for one connection', pooled(2, { workers: 2, run: queued })),
  ...[6, 7, 8, 9].map((slots) => sparing(`keeps a pool of ${slots} tokens`, pooled(slots))),
  {
    ...sparing('keeps a pool of six for three workers', pooled(6, { workers: 3 })),
    wrongIn: SEVERAL,
  },
  {
    ...sparing('fills its pool before the first estimate', {
      ...pooled(5, {
        run: async (client) => {
          const wire = client.wire();
          await client.together([
            async () => {
              for (const slot of client.slots) await client.token(wire, slot, 0);
            },
          ]);
          await client.runWorkers();
        },
      }),
    }),
    wrongIn: SEVERAL,
  },
  sparing('starts its workers one after the other', pooled(3, { run: staggered })),
  sparing('starts workers that share a token one after the other', { run: staggered }),
  right('sends estimates three at once', { run: inBursts(3) }),
  right('sends estimates two at once, from a pool', pooled(2, { run: inBursts(2) })),
  right('requests tokens on connections of their own', { run: separately }),
  right('requests tokens of a pool on connections of their own', pooled(3, { run: separately })),
  right('opens a connection for each estimate, and one for tokens', {
    run: before((_client, _nth, wire) => Promise.resolve(wire.close())),
  }),
  right('waits for some time between estimates, at times longer', { run: jittered }),

  right('is preceded by the preflights of a browser', {
    run: before((client) => aside(client, 'OPTIONS', '/v1/estimates/prices?x=1', PREFLIGHT)),
  }),
  right('asks what the server can do', {
    run: before((client, nth) => (nth === 1 ? aside(client, 'OPTIONS', '*') : Promise.resolve())),
  }),
  right('warms up its connection by HEAD', {
    run: before((client, nth) =>
      nth === 1 ? aside(client, 'HEAD', '/v1/estimates/prices') : Promise.resolve(),
    ),
  }),
  right('asks for an icon, and for the start page', {
    run: before(async (client, nth) => {
      if (nth > 1) return;
      await aside(client, 'GET', '/favicon.ico');
      await aside(client, 'GET', '/');
    }),
  }),
  right('watches the health of the server', {
    run: before((client) => aside(client, 'GET', '/health')),
  }),

  right('starts late', {
    run: async (client) => {
      await client.together([() => client.surroundings.sleep(4000)]);
      await client.runWorkers();
    },
  }),
  right('has its token long before the first estimate', {
    run: async (client) => {
      const wire = client.wire();
      await client.together([
        async () => {
          await client.token(wire, client.slots[0]!, 0);
          await client.surroundings.sleep(900);
        },
      ]);
      await client.runWorkers();
    },
  }),
  right('replaces tokens with hardly any margin', { marginMs: 1 }),
  right('replaces short-lived tokens before each estimate', { marginMs: 1500 }),
  right('counts the life of a token in whole seconds', {
    lifeMs: (token) => (Number(token['expires_in_second']) - 1) * 1000,
    marginMs: 0,
  }),
  right('has a nostr of digits', {
    nostr: (random) => random().replace(/\D/g, (letter) => String(letter.charCodeAt(0) % 10)),
  }),
  right('has a nostr of capitals and digits', { nostr: (random) => random().toUpperCase() }),
  right('writes times in nanoseconds', {
    time: (nowMs) => new Date(nowMs).toISOString().replace('Z', '000000Z'),
  }),
  right('writes times in the zone of Kiribati', {
    time: (nowMs) => new Date(nowMs + 50_400_000).toISOString().replace('Z', '+14:00'),
  }),
  right('writes times in an offset of quarters', {
    time: (nowMs) => new Date(nowMs + 20_700_000).toISOString().replace('Z', '+05:45'),
  }),
  {
    ...right('orders no rides for users, and asks for no scope', { scope: () => undefined }),
    orders: 'no',
  },
  {
    ...right('orders no rides for users, and asks for one scope', { scope: () => 'public' }),
    orders: 'no',
  },
];
