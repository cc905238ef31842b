import { hash } from 'node:crypto';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { explainSignature } from '../../../interface/signature.ts';
import { legacy } from '../../signature/mistakes/charsets.ts';
import type { Quirks } from './sample-requests.ts';

/** A client with one mistake, and the rules that it breaks. */
export interface WrongClient {
  readonly rule: ClientRuleId;
  /** The mistake, as a predicate of "the client". */
  readonly mistake: string;
  readonly quirks: Quirks;
  /** Name of a scenario in which the mistake shows. */
  readonly scenario: string;
  /** Rules that the mistake necessarily breaks too, with the reason. */
  readonly alsoBreaks: Readonly<Partial<Record<ClientRuleId, string>>>;
}

const STEADY = 'steady-platform';

function wrong(
  rule: ClientRuleId,
  mistake: string,
  scenario: string,
  quirks: Quirks,
  alsoBreaks: WrongClient['alsoBreaks'] = {},
): WrongClient {
  return { rule, mistake, scenario, quirks, alsoBreaks };
}

/** A client for each rule that breaks it. */
export const WRONG_CLIENTS: readonly WrongClient[] = [
  wrong('client/path-version', 'leaves /v1 out of the path', STEADY, { prefix: '' }),
  wrong('client/token-method', 'requests tokens with PUT', STEADY, { tokenMethod: 'PUT' }),
  wrong('client/token-content-type', 'sends its JSON as text/plain', STEADY, {
    tokenContentType: 'text/plain',
  }),
  wrong('client/token-authorization', 'writes a space in place of |', STEADY, {
    tokenAuthorization: (id, signature) => `Bearer ${id} ${signature}`,
  }),
  wrong('client/signature', 'hashes the inner digest in upper case', STEADY, {
    sign: (fields, key) => hash('md5', explainSignature(fields, key).innerMd5.toUpperCase() + key),
  }),
  wrong('client/grant-fields', 'leaves nostr out', STEADY, {
    fields: ({ nostr: _left, ...fields }) => fields,
  }),
  wrong('client/timestamp-iso8601', 'writes the time as a Unix time', STEADY, {
    time: (nowMs) => String(Math.floor(nowMs / 1000)),
  }),
  wrong('client/timestamp-fresh', 'writes a time of 20 minutes ago', STEADY, {
    time: (nowMs) => new Date(nowMs - 1_200_000).toISOString(),
  }),
  wrong('client/nostr', 'sends a nostr of eight characters', STEADY, {
    nostr: (random) => `${random()}xY`,
  }),
  wrong('client/nostr-random', 'sends the same nostr every time', 'token-expiry', {
    nostr: () => 'a1B2c3',
  }),
  wrong('client/scope-known', 'requests a scope of its own', STEADY, {
    scope: () => 'public rides.write',
  }),
  wrong('client/scope-on-behalf', "requests only public for a user's token", 'steady-user', {
    scope: (mode) => (mode === 'user' ? 'public' : undefined),
  }),
  wrong(
    'client/quota-platform',
    'requests a platform token before each estimate',
    STEADY,
    { replaces: () => 'new' },
    { 'client/token-reused': 'most of the eleven tokens replace a valid one' },
  ),
  wrong(
    'client/quota-user',
    'requests a user token, and refreshes, before each estimate',
    'steady-user',
    { replaces: () => 'both' },
    { 'client/token-reused': 'most of the six tokens replace a valid one' },
  ),
  wrong(
    'client/quota-refresh',
    'refreshes before each estimate',
    STEADY,
    { replaces: () => 'refresh' },
    { 'client/token-reused': 'most of the eleven refreshes replace a valid token' },
  ),
  wrong('client/ban-respected', 'keeps requesting tokens after three refusals', 'ban', {
    maxRefusals: 6,
  }),
  wrong('client/token-reused', 'requests a platform token before every third estimate', STEADY, {
    replaces: (nth) => (nth % 3 === 0 ? 'new' : null),
  }),
  wrong(
    'client/refresh-single-use',
    'sends a refresh_token again when its response was lost',
    'lost-answer',
    { resendsRefresh: true },
  ),
  wrong(
    'client/refresh-newest',
    'keeps the first refresh_token',
    'refresh-rotation',
    // Once a token has expired: before that, a slow machine decides what else breaks.
    { pickRefresh: ([first]) => first, marginMs: 0 },
    { 'client/expired-refreshed': 'the refresh_token of the token that expires is never sent' },
  ),
  wrong('client/expiry-respected', 'uses a token until it is refused', 'token-expiry', {
    marginMs: -3_600_000,
  }),
  wrong('client/expired-refreshed', 'requests a new token when one has expired', 'token-expiry', {
    refreshes: false,
  }),
  wrong(
    'client/user-token-newest',
    'uses its token again after it was refused',
    'newer-user-token',
    { reusesRefused: true },
  ),
  wrong('client/estimate-method', 'requests estimates with POST', STEADY, {
    estimateMethod: 'POST',
  }),
  wrong('client/estimate-content-type', 'sends no Content-Type with estimates', STEADY, {
    estimateContentType: null,
  }),
  wrong('client/estimate-authorization', 'leaves its partner id out', STEADY, {
    estimateAuthorization: (header) => header.replace(/ .*\|/, ' '),
    reusesRefused: true,
  }),
  wrong('client/estimate-parameters', 'leaves to_name out', STEADY, {
    query: ({ to_name: _left, ...query }) => query,
  }),
  wrong('client/estimate-encoding', 'writes place names in GBK', STEADY, {
    encode: (query) =>
      Object.entries(query)
        .map(([name, value]) => `${name}=${percentBytes(legacy('gbk')(value))}`)
        .join('&'),
  }),
  wrong('client/departure-time', 'writes departure_time in milliseconds', STEADY, {
    query: (query) => ({ ...query, departure_time: '1772368200000' }),
  }),
  wrong('client/failure-handled', 'uses the token of a refusal', 'failures', {
    accepts: () => true,
  }),
  wrong('client/lost-answer-handled', 'ends when a response is lost', 'lost-answer', {
    endsOnLostAnswer: true,
  }),
  wrong('client/carpool-tolerated', 'expects carpool_tag to be text', 'carpool', {
    read: (records) => {
      for (const { carpool_tag: tag } of records) if (tag !== undefined) (tag as string).trim();
    },
  }),
  wrong('client/unknown-fields-tolerated', 'ends at an unknown field', 'unknown-fields', {
    read: (records) => {
      if (records.some((record) => 'eta_minutes' in record)) throw new Error('unknown field');
    },
  }),
  wrong('client/key-never-sent', 'sends its signing key beside the other fields', STEADY, {
    fields: (fields, key) => ({ ...fields, app_secret: key }),
  }),
  wrong('client/secrets-in-place', 'repeats its access_token in the address', STEADY, {
    query: (query, token) => ({ ...query, access_token: token }),
  }),
  wrong('client/retry-paced', 'retries at once, whatever Retry-After says', 'busy-service', {
    retryMs: 1,
  }),
];

function percentBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
