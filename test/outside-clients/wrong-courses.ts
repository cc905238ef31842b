import {
  type Deviation,
  jsonIn,
  RIGHT,
  type RunningClient,
  type Token,
  tokenIn,
} from './habits.ts';
import { type WrongClient, wrong } from './wrong-client.ts';

const course = wrong('course');

const FAILURE = 'client/failure-handled';

/** Reads the records of an estimate; throwing ends the client. */
const reading = (read: (record: Record<string, unknown>) => void): Deviation => ({
  readEstimate: (answer) => {
    if (!RIGHT.readEstimate(answer)) return false;
    for (const record of jsonIn(answer.text) as Record<string, unknown>[]) read(record);
    return true;
  },
});

/** Reads a token; throwing ends the client. */
const readingToken = (read: (token: Record<string, unknown>) => void): Deviation => ({
  readToken: ({ status, text }) => {
    const token = status === 200 ? tokenIn(text) : null;
    if (token) read(token);
    return token;
  },
});

function must(isTrue: unknown): void {
  if (!isTrue) throw new Error('unexpected');
}

/** One thread; `before` is called before each estimate but the first. */
const before =
  (act: (client: RunningClient, nth: number) => void): Deviation['run'] & object =>
  async (client) => {
    const wire = client.wire();
    await client.together([
      async () => {
        for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth++) {
          if (nth > 1) {
            await client.surroundings.sleep(client.intervalMs);
            act(client, nth);
          }
          await client.estimateOnce(wire, client.slots[0]!, nth);
        }
      },
    ]);
  };

/** Loses what it knows. */
const forget = (client: RunningClient): void => {
  client.slots[0] = client.newSlot();
};

/** Workers that share a token, each of which replaces it by itself. */
const unlocked =
  (workers: number): Deviation['run'] & object =>
  async (client) => {
    const slot = client.slots[0]!;
    await client.token(client.wire(), slot, 1);
    const work = async (): Promise<void> => {
      const wire = client.wire();
      // A copy of the token, as in a process of its own.
      const own = { ...client.newSlot(), all: [...slot.all] };
      for (let nth = 1; nth <= client.count && !client.surroundings.isOver(); nth += workers) {
        await client.estimateOnce(wire, own, nth);
        await client.surroundings.sleep(client.intervalMs * workers);
      }
    };
    await client.together(Array.from({ length: workers }, () => work));
  };

const SECOND = 1000;

/** Mistakes in the course of action. */
export const WRONG_COURSES: readonly WrongClient[] = [
  // Tokens that are not reused.
  course('begins anew for each estimate', ['client/quota-platform', 'client/token-reused'], {
    run: before(forget),
  }),
  course('begins anew for each second estimate', ['client/token-reused', 'client/quota-platform'], {
    run: before((client, nth) => (nth % 2 ? forget(client) : undefined)),
  }),
  course('begins anew for each fourth estimate', 'client/token-reused', {
    run: before((client, nth) => (nth % 4 === 0 ? forget(client) : undefined)),
  }),
  course('refreshes before each second estimate', 'client/token-reused', {
    replaces: (nth) => nth % 2 === 0,
  }),
  course(
    'takes the seconds of a life for a tenth',
    ['client/token-reused', 'client/quota-platform', 'client/quota-refresh'],
    {
      lifeMs: (token) => Number(token['expires_in_second']) / 10,
      marginMs: 0,
    },
  ),

  // Refresh tokens.
  course('has two processes that refresh one token', 'client/refresh-single-use', {
    run: unlocked(2),
  }),
  course('has three processes that refresh one token', 'client/refresh-single-use', {
    run: unlocked(3),
  }),
  course(
    'restarts with the refresh_token that it stored first',
    [
      'client/refresh-single-use',
      'client/refresh-newest',
      'client/user-token-newest',
      'client/expiry-respected',
    ],
    {
      run: async (client) => {
        let first: Token | undefined;
        await before(() => {
          const [slot] = client.slots;
          first ??= slot!.all[0];
          if (first && slot!.all.length > 1)
            client.slots[0] = { ...client.newSlot(), all: [first] };
        })(client);
      },
    },
  ),
  course(
    'sends an access_token in place of the refresh_token',
    ['client/refresh-newest', 'client/grant-fields'],
    {
      readToken: (answer) => {
        const token = RIGHT.readToken(answer, 1);
        return token && { ...token, refresh_token: token['access_token'] };
      },
    },
  ),
  course('sends a cut refresh_token', 'client/refresh-newest', {
    readToken: (answer) => {
      const token = RIGHT.readToken(answer, 1);
      return token && { ...token, refresh_token: String(token['refresh_token']).slice(1) };
    },
  }),
  course('sends the refresh_token again after a refusal', 'client/refresh-single-use', {
    refreshAttempts: 4,
  }),
  course('asks for a new token after each second life', 'client/expired-refreshed', {
    run: before((client) => {
      Object.assign(client.habits, { refreshes: client.slots[0]!.all.length % 2 === 1 });
    }),
  }),

  // Ends of lives.
  course('takes seconds for minutes', 'client/expiry-respected', {
    lifeMs: (token) => Number(token['expires_in_second']) * 60 * SECOND,
  }),
  course('never replaces a token unless it is refused', 'client/expiry-respected', {
    lifeMs: () => Number.POSITIVE_INFINITY,
  }),
  course('does not heed the end of its first token', 'client/expiry-respected', {
    run: before((client) => {
      const { all } = client.slots[0]!;
      const [first] = all;
      if (first && all.length === 1) all[0] = { ...first, endsMs: Number.POSITIVE_INFINITY };
    }),
  }),
  course('uses the token before the newest once, after its end', 'client/expiry-respected', {
    pickToken: (all, uses) => (uses === 1 ? (all.at(-2) ?? all.at(-1)) : all.at(-1)),
  }),
  course('uses a token half a second after its end', 'client/expiry-respected', { marginMs: -500 }),
  course('takes every token to live for two hours', 'client/expiry-respected', {
    lifeMs: () => 7_200_000,
  }),
  course(
    'tries a refused token twice more',
    ['client/user-token-newest', 'client/expiry-respected'],
    {
      onUnauthorised: 'keep',
      estimateAttempts: 3,
      lifeMs: () => Number.POSITIVE_INFINITY,
    },
  ),

  // Refusals.
  ...[6, 7, 10].map((maxRefusals) =>
    course(`stops after ${maxRefusals} refused token requests`, 'client/ban-respected', {
      maxRefusals,
      backoffMs: (attempt) => 300 * attempt,
    }),
  ),
  course('never stops to ask for a token, with jitter', 'client/ban-respected', {
    maxRefusals: 1000,
    backoffMs: (attempt) => 200 + ((attempt * 7919) % 400),
  }),
  course('asks for a token every three seconds', 'client/ban-respected', {
    maxRefusals: 1000,
    backoffMs: () => 3000,
  }),
  course('has four workers that ask for tokens of their own', ['client/ban-respected'], {
    slots: 4,
    workers: 4,
    ownSlots: true,
    maxRefusals: 12,
    backoffMs: () => 300,
  }),

  // Failures.
  course('takes a token whose status is not an error', FAILURE, {
    readToken: ({ status, text }) => (status < 400 || status === 429 ? tokenIn(text) : null),
  }),
  course('ends when anything is lost', 'client/lost-answer-handled', {
    diesOf: (_kind, outcome) => outcome === 'lost',
  }),
  course('hangs when an answer is lost', 'client/lost-answer-handled', {
    diesOf: (_kind, outcome) => outcome === 'lost',
    run: async (client) => {
      await client.runWorkers().catch(async () => {
        await client.surroundings.sleep(1e9);
      });
    },
  }),

  // Records.
  ...(
    [
      ['a carpool_tag', (record) => must(!('carpool_tag' in record))],
      ['no carpool_tag', (record) => must('carpool_tag' in record)],
      ['a carpool_tag of 0', (record) => must(String(record['carpool_tag']) !== '0')],
      ['a carpool_tag of 1', (record) => must(String(record['carpool_tag']) !== '1')],
      ['a carpool_tag that is text', (record) => must(typeof record['carpool_tag'] !== 'string')],
      [
        'a record without carpool_info',
        (record) => must(record['carpool_tag'] === undefined || record['carpool_info']),
      ],
      [
        'fewer seats than three',
        (record) => {
          const info = record['carpool_info'] as unknown[] | undefined;
          must(info === undefined || info.length > 2);
        },
      ],
    ] as [string, (record: Record<string, unknown>) => void][]
  ).map(([what, read]) =>
    course(`ends at ${what}`, ['client/carpool-tolerated', 'scenario'], reading(read)),
  ),
  ...(
    [
      ['a thirteenth field', (record) => must(Object.keys(record).length <= 14)],
      ['a field of null', (record) => must(!Object.values(record).includes(null))],
      [
        'a field that is an object',
        (record) =>
          must(Object.values(record).every((one) => typeof one !== 'object' || Array.isArray(one))),
      ],
      ['another first field', (record) => must(Object.keys(record)[0] === 'product_type')],
      [
        'another last field',
        (record) =>
          must(
            ['download_url', 'carpool_info', 'carpool_tag'].includes(Object.keys(record).at(-1)!),
          ),
      ],
    ] as [string, (record: Record<string, unknown>) => void][]
  ).map(([what, read]) =>
    course(`ends at ${what}`, 'client/unknown-fields-tolerated', reading(read)),
  ),
  course(
    'ends at a sixth field of a token',
    'client/unknown-fields-tolerated',
    readingToken((token) => must(Object.keys(token).length <= 5)),
  ),
  course(
    'ends at a boolean in a token',
    'client/unknown-fields-tolerated',
    readingToken((token) => must(Object.values(token).every((one) => typeof one !== 'boolean'))),
  ),
];
