import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { encodeText } from '../signature/recipe/digest.ts';
import { DOCUMENTED_RECIPE, signBy } from '../signature/recipe/recipe.ts';
import type { Quirks } from './sample-requests.ts';

/** A client with one mistake, and the rules that it breaks. */
export interface WrongClient {
  readonly rule: ClientRuleId;
  /** The mistake, as a predicate of "the client". */
  readonly mistake: string;
  readonly quirks: Quirks;
  /** Scenarios in which the mistake shows. */
  readonly scenarios: readonly string[];
  /** Rules that the mistake necessarily breaks too, with the reason. */
  readonly alsoBreaks: Readonly<Partial<Record<ClientRuleId, string>>>;
}

const STEADY = ['steady-platform'];
const NOTHING = {};

function wrong(
  rule: ClientRuleId,
  mistake: string,
  quirks: Quirks,
  scenarios: readonly string[] = STEADY,
  alsoBreaks: WrongClient['alsoBreaks'] = NOTHING,
): WrongClient {
  return { rule, mistake, quirks, scenarios, alsoBreaks };
}

/** A client for each rule that breaks it. */
export const WRONG_CLIENTS: readonly WrongClient[] = [
  wrong('client/path-version', 'leaves /v1 out of the path', { prefix: '' }),
  wrong('client/token-method', 'requests tokens with PUT', { tokenMethod: 'PUT' }),
  wrong('client/token-content-type', 'sends its JSON as text/plain', {
    tokenContentType: 'text/plain',
  }),
  wrong('client/token-authorization', 'writes a space in place of |', {
    tokenAuthorization: (id, signature) => `Bearer ${id} ${signature}`,
  }),
  wrong('client/signature', 'hashes the inner digest in upper case', {
    sign: (fields, key) =>
      signBy({ ...DOCUMENTED_RECIPE, inner: 'upper' }, Object.entries(fields), key).signature,
  }),
  wrong('client/grant-fields', 'leaves nostr out', {
    fields: ({ nostr: _left, ...fields }) => fields,
  }),
  wrong('client/timestamp-iso8601', 'writes the time as a Unix time', {
    time: (nowMs) => String(Math.floor(nowMs / 1000)),
  }),
  wrong('client/timestamp-fresh', 'writes a time of 20 minutes ago', {
    time: (nowMs) => new Date(nowMs - 1_200_000).toISOString(),
  }),
  wrong('client/nostr', 'sends a nostr of eight characters', {
    nostr: (random) => `${random()}xY`,
  }),
  wrong('client/nostr-random', 'sends the same nostr every time', { nostr: () => 'a1B2c3' }, [
    'token-expiry',
  ]),
  wrong('client/scope-known', 'requests a scope of its own', { scope: () => 'public rides.write' }),
  wrong(
    'client/scope-on-behalf',
    "requests only public for a user's token",
    { scope: (mode) => (mode === 'user' ? 'public' : undefined) },
    ['steady-user'],
  ),
  wrong(
    'client/quota-platform',
    'requests a platform token before each estimate',
    { replaces: () => 'new' },
    STEADY,
    { 'client/token-reused': 'most of the eleven tokens replace a valid one' },
  ),
  wrong(
    'client/quota-user',
    'requests a user token, and refreshes, before each estimate',
    { replaces: () => 'both' },
    ['steady-user'],
    { 'client/token-reused': 'most of the six tokens replace a valid one' },
  ),
  wrong(
    'client/quota-refresh',
    'refreshes before each estimate',
    { replaces: () => 'refresh' },
    STEADY,
    { 'client/token-reused': 'most of the eleven refreshes replace a valid token' },
  ),
  wrong(
    'client/ban-respected',
    'keeps requesting tokens after three refusals',
    { maxRefusals: 6 },
    ['ban'],
  ),
  wrong('client/token-reused', 'requests a platform token before every third estimate', {
    replaces: (nth) => (nth % 3 === 0 ? 'new' : null),
  }),
  wrong(
    'client/refresh-single-use',
    'sends a refresh_token again when its answer was lost',
    { resendsRefresh: true },
    ['lost-answer'],
    { 'client/lost-answer-handled': 'the lost answer causes the repeated refresh' },
  ),
  wrong(
    'client/refresh-newest',
    'keeps the first refresh_token',
    { pickRefresh: ([first]) => first },
    ['refresh-rotation'],
    {
      'client/refresh-single-use': 'the first refresh_token is sent twice',
    },
  ),
  wrong('client/expiry-respected', 'uses a token until it is refused', { marginMs: -3_600_000 }, [
    'token-expiry',
  ]),
  wrong(
    'client/expired-refreshed',
    'requests a new token when one has expired',
    {
      refreshes: false,
    },
    ['token-expiry'],
  ),
  wrong(
    'client/user-token-newest',
    'uses its token again after it was refused',
    { reusesRefused: true },
    ['newer-user-token'],
  ),
  wrong('client/estimate-method', 'requests estimates with POST', { estimateMethod: 'POST' }),
  wrong('client/estimate-content-type', 'sends no Content-Type with estimates', {
    estimateContentType: null,
  }),
  wrong('client/estimate-authorization', 'leaves its partner id out', {
    estimateAuthorization: (header) => header.replace(/ .*\|/, ' '),
    reusesRefused: true,
  }),
  wrong('client/estimate-parameters', 'leaves to_name out', {
    query: ({ to_name: _left, ...query }) => query,
  }),
  wrong('client/estimate-encoding', 'writes place names in GBK', {
    encode: (query) =>
      Object.entries(query)
        .map(([name, value]) => `${name}=${percentBytes(encodeText(value, 'gbk'))}`)
        .join('&'),
  }),
  wrong('client/departure-time', 'writes departure_time in milliseconds', {
    query: (query) => ({ ...query, departure_time: '1772368200000' }),
  }),
  wrong('client/failure-handled', 'uses the token of a refusal', { accepts: () => true }, [
    'failures',
  ]),
  wrong('client/lost-answer-handled', 'ends when an answer is lost', { endsOnLostAnswer: true }, [
    'lost-answer',
  ]),
  wrong(
    'client/carpool-tolerated',
    'expects carpool_tag to be text',
    {
      read: (records) => {
        for (const { carpool_tag: tag } of records) if (tag !== undefined) (tag as string).trim();
      },
    },
    ['carpool'],
  ),
  wrong(
    'client/unknown-fields-tolerated',
    'ends at an unknown field',
    {
      read: (records) => {
        if (records.some((record) => 'eta_minutes' in record)) throw new Error('unknown field');
      },
    },
    ['unknown-fields'],
  ),
];

function percentBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
