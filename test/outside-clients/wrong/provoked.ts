import { type Deviation, type Fields, jsonIn, RIGHT, tokenIn } from '../habits.ts';
import { type WrongClient, wrong } from '../wrong-client.ts';

const provoked = wrong('provoked');

const FAILURE = 'client/failure-handled';

/** Takes a token from answers of some statuses. */
const acceptsToken = (isGood: (status: number) => boolean): Deviation => ({
  readToken: ({ status, text: body }) => (isGood(status) ? tokenIn(body) : null),
});

const LOST = 'client/lost-answer-handled';

/** Every object of an answer must have known fields only. */
const KNOWN = new Set(
  'access_token refresh_token expires_in_second token_type scope product_type ride_type currency_code estimate_price time_in_second distance_in_meter car_type dynamic estimate_id pay_type jump_url download_url carpool_tag carpool_info seat'.split(
    ' ',
  ),
);

const carpools = (body: string): Fields[] =>
  ((jsonIn(body) ?? []) as Fields[]).flatMap((one) => (one['carpool_info'] ?? []) as Fields[]);

/** Seen only by a scenario that provokes them. */
export const PROVOKED: readonly WrongClient[] = [
  ...[202, 302, 400, 429, 403, 500].map((good) =>
    provoked(
      `takes a token that comes with ${good}`,
      FAILURE,
      acceptsToken((status) => status === 200 || status === good),
    ),
  ),
  provoked(
    'takes any status below 400 for success',
    FAILURE,
    acceptsToken((status) => status < 400),
  ),
  provoked(
    'takes any status of 2xx for success',
    FAILURE,
    acceptsToken((status) => status >= 200 && status < 300),
  ),
  provoked(
    'takes a token wherever there is one',
    FAILURE,
    acceptsToken(() => true),
  ),
  provoked('sends a refused refresh again', ['client/refresh-single-use'], { refreshAttempts: 3 }),
  provoked('takes a token out of broken JSON', [FAILURE, 'client/estimate-authorization'], {
    readToken: ({ status, text: body }) => {
      const pick = (name: string): string | undefined =>
        new RegExp(`"${name}":"([^"]*)`).exec(body)?.[1];
      const access = pick('access_token');
      if (status !== 200 || access === undefined) return null;
      return {
        access_token: access,
        refresh_token: pick('refresh_token') ?? 'none',
        expires_in_second: 7200,
        ...tokenIn(body),
      };
    },
  }),
  provoked('ends when its first token is lost', LOST, {
    diesOf: (kind, outcome, isRefresh) => kind === 'token' && !isRefresh && outcome === 'lost',
  }),
  provoked('ends when an estimate is lost', LOST, {
    diesOf: (kind, outcome) => kind === 'estimate' && outcome === 'lost',
  }),
  provoked('ends when a refresh is lost', LOST, {
    diesOf: (_kind, outcome, isRefresh) => isRefresh && outcome === 'lost',
  }),
  provoked("sends a user's lost refresh again", 'client/refresh-single-use', {
    refreshAttempts: 2,
    run: (client) => userOnly(client, { refreshAttempts: 2 }),
  }),
  provoked(
    'reads seconds as milliseconds',
    ['client/token-reused', 'client/quota-platform', 'client/quota-refresh'],
    {
      lifeMs: (token) => Number(token['expires_in_second']),
      marginMs: 0,
    },
  ),
  provoked('replaces a token ten minutes after it came', 'client/expiry-respected', {
    lifeMs: () => 600_000,
  }),
  provoked('replaces a token by a new one', 'client/expired-refreshed', { refreshes: false }),
  provoked('ends at an unknown field of a token', 'client/unknown-fields-tolerated', {
    readToken: ({ status, text: body }) => {
      const token = status === 200 ? tokenIn(body) : null;
      if (token) mustBe(isKnown(token));
      return token;
    },
  }),
  provoked('ends at an unknown field of a record', 'client/unknown-fields-tolerated', {
    readEstimate: (answer) => RIGHT.readEstimate(answer) && mustBe(isKnown(jsonIn(answer.text))),
  }),
  provoked('ends at an unknown field of a shared seat', 'client/unknown-fields-tolerated', {
    readEstimate: (answer) => RIGHT.readEstimate(answer) && mustBe(isKnown(carpools(answer.text))),
  }),
  provoked('ends at a shared price without a seat', 'client/carpool-tolerated', {
    readEstimate: (answer) =>
      RIGHT.readEstimate(answer) &&
      mustBe(carpools(answer.text).every((one) => typeof one['seat'] === 'number')),
  }),
  provoked('ends at a carpool_tag that is a number', 'client/carpool-tolerated', {
    readEstimate: (answer) =>
      RIGHT.readEstimate(answer) && mustBe(!/"carpool_tag":\d/.test(answer.text)),
  }),
];

type Client = Parameters<Deviation['run'] & object>[0];

/** Deviates on behalf of users only. */
async function userOnly(client: Client, deviation: Deviation): Promise<void> {
  const isUser = client.environment.FAREPROOF_MODE === 'user';
  Object.assign(client.habits, isUser ? deviation : { refreshAttempts: 1 });
  await client.runWorkers();
}

function mustBe(isTrue: boolean): true {
  if (!isTrue) throw new Error('unexpected');
  return true;
}

function isKnown(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isKnown);
  return Object.keys(value as object).every((name) => KNOWN.has(name));
}
