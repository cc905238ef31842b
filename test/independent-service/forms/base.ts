import type { Attempt, Form } from '../form.ts';
import { DAY_MS, type Kind, textOf } from '../state.ts';
import {
  answer,
  answerWith,
  forgive,
  limit,
  prefixOfSignature,
  read,
  record,
  refuse,
  refuseTime,
  swapCase,
} from './builders.ts';

const refuseTokens = (why: string, kind: Kind): Form => refuse(why, (r) => r.kind === kind);

const refuseEstimates = (
  why: string,
  isMeant: (r: Attempt, query: Record<string, string | undefined>) => boolean,
): Form =>
  refuse(why, (r) => r.endpoint === 'estimate' && isMeant(r, r.fields as Record<string, string>));

const isHex = (text: string | null): boolean => /^[0-9a-f]{32}$/i.test(text ?? '');

/** A body that is a form instead of JSON. */
const formBody: Form = {
  reads: (raw) => Object.fromEntries(new URLSearchParams(raw)),
  ...forgive('body'),
};

const scopes = (text: unknown): string[] => textOf(text).split(' ');

/** One way of breaking each rule. */
export const BASE: Readonly<Record<string, Form>> = {
  'signature/valid-accepted': refuse('signature', (r) => r.endpoint === 'token'),
  'signature/invalid-refused': { signs: (r) => r.endpoint === 'token' && isHex(r.signature) },
  'signature/wrong-key-refused': {
    signs: (r, isSigned) =>
      r.endpoint === 'token' &&
      (isSigned(undefined, '') ||
        [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key))),
  },
  'signature/covers-fields': {
    signs: (r, _isSigned, pairs) =>
      r.endpoint === 'token' && isHex(r.signature) && 'scope' in pairs,
  },
  'signature/key-order': read({ sort: (names) => names }),
  'signature/empty-skipped': read({ isEmpty: () => false }),
  'signature/zero-kept': read({
    isEmpty: (value) =>
      value === 0 || value === '' || value === null || (Array.isArray(value) && value.length === 0),
  }),
  'signature/trimmed': read({ trimName: (text) => text, trimValue: (text) => text }),
  'signature/array-json': read({ list: (value) => value.join(',') }),
  'signature/utf8': read({ encode: (text) => Buffer.from(text, 'latin1') }),
  'signature/ampersands-stripped': read({ strip: (joined) => joined }),
  'token/grant-client-credentials': refuseTokens('grant', 'platform'),
  'token/grant-refresh-token': refuseTokens('grant', 'refresh'),
  'token/grant-authorization-code': refuseTokens('grant', 'user'),
  'token/json-body': formBody,
  'token/grant-type-required': { grants: (type) => (type === undefined ? 'platform' : null) },
  'token/grant-type-known': { grants: (type) => (type === undefined ? null : 'platform') },
  'token/timestamp-required': forgive('time-missing'),
  'token/timestamp-iso8601': forgive('time-form'),
  'token/timestamp-fresh': refuseTime((ageMs) => ageMs > 60_000),
  'token/timestamp-expired': forgive('time-old', (_r, ageMs) => Number(ageMs) < DAY_MS / 24),
  'token/timestamp-unchecked-in-test': forgive('time-checked-in-test'),
  'token/nostr-required': forgive('nostr-missing'),
  'token/nostr-length': forgive('nostr-length'),
  'token/nostr-alphabet': forgive('nostr-alphabet'),
  'token/nostr-case': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ ...pairs, nostr: swapCase(textOf(pairs['nostr'])) }),
  },
  'token/refresh-token-required': forgive('refresh-missing'),
  'token/refresh-token-unknown': forgive('refresh-unknown'),
  'token/auth-code-required': forgive('code-missing'),
  'token/auth-code-unknown': forgive('code-unknown'),
  'token/partner-unknown': {
    finds: (_id, partners, r) =>
      r.refresh?.partner ??
      partners.find(({ codes }) => codes.has(textOf(r.fields['auth_code']))) ??
      partners.at(-1),
    signs: (r) => r.endpoint === 'token' && r.isUnknown,
  },
  'token/authorization-required': forgive('authorization-missing', (r) => r.endpoint === 'token'),
  'token/authorization-shape': forgive('authorization-shape', (r) => r.endpoint === 'token'),
  'token/scope-default': answer((json, r) => {
    if (!r.fields['scope'] && r.kind !== 'refresh') json['scope'] = 'public profile';
  }),
  'token/scope-echo': answer((json) => {
    json['scope'] = scopes(json['scope'])[0];
  }),
  'token/response-status': { status: () => 201 },
  'token/response-content-type': {
    contentType: () => ({
      type: 'application/json; charset=iso-8859-1',
      encode: (text) => Buffer.from(text.replace(/}$/, ',"note":"Zürich"}'), 'latin1'),
    }),
  },
  'token/response-access-token': answerWith('access_token', 12_345),
  'token/response-refresh-token': answerWith('refresh_token', ''),
  'token/response-expires': answer((json) => {
    json['expires_in_second'] = String(json['expires_in_second']);
  }),
  'token/response-token-type': answerWith('token_type', 'mac'),
  'lifecycle/refresh-rotates': answer((json, r) => {
    if (r.kind === 'refresh') json['refresh_token'] = r.fields['refresh_token'];
  }),
  'lifecycle/refresh-single-use': forgive('refresh-used'),
  'lifecycle/refresh-single-use-concurrent': { races: () => true },
  'lifecycle/refresh-never-expires': refuse(
    'refresh',
    ({ refresh, service }) => refresh !== null && service.now() - refresh.issued > 30 * DAY_MS,
  ),
  'lifecycle/platform-tokens-coexist': {
    ends: (older, newer, _r, isEnded) => isEnded || (newer.user === null && older.user === null),
  },
  'lifecycle/user-token-newest-only': forgive('token-ended'),
  'lifecycle/access-token-valid-until-expiry': refuse(
    'expired',
    ({ endpoint, token, service }) =>
      endpoint === 'estimate' && token !== null && service.now() >= token.expires - 60_000,
  ),
  'lifecycle/access-token-expires': forgive(
    'expired',
    ({ token, service }) => token !== null && service.now() < token.expires + 3_600_000,
  ),
  'lifecycle/expired-replaced-by-refresh': refuse('refresh', ({ refresh, service }) => {
    if (!refresh) return false;
    const sinceMs = service.now() - refresh.access.expires;
    return sinceMs > 0 && sinceMs < DAY_MS;
  }),
  'quota/platform-allows-10': limit('platform', 8),
  'quota/platform-refuses-11th': limit('platform', 100),
  'quota/user-allows-5': limit('user', 4),
  'quota/user-refuses-6th': limit('user', 100),
  'quota/refresh-allows-10': limit('refresh', 9),
  'quota/refresh-refuses-11th': limit('refresh', 100),
  'quota/counters-independent': {
    counts: (one, r, isCounted) =>
      isCounted || (r.kind !== 'platform' && r.service.now() - one.at < DAY_MS / 2),
  },
  'quota/ban-lasts-24h': { banMs: () => 3_600_000 },
  'quota/ban-lifts': { banMs: () => 2 * DAY_MS },
  'quota/daily-reset': { counts: (one, r, isCounted) => isCounted || one.kind === r.kind },
  'quota/per-partner': {
    banUntil: (_partner, kind, r, until) =>
      Math.max(
        until,
        ...[...r.service.partners.values()].map(({ bannedUntil }) => bannedUntil[kind] ?? 0),
      ),
  },
  'estimate/platform': refuseEstimates('token', (r) => r.token?.user === null),
  'estimate/user': refuseEstimates('token', (r) => r.user !== null),
  'estimate/required-parameters': forgive('parameter-missing', (_r, name) => name === 'to_name'),
  'estimate/coordinates-numeric': forgive('parameter-number', (_r, name) => name === 'end_lng'),
  'estimate/coordinates-range': forgive('parameter-range'),
  'estimate/imei-optional': refuseEstimates(
    'parameter',
    (_r, query) => query['imei'] !== undefined,
  ),
  'estimate/map-type-optional': refuseEstimates(
    'parameter',
    (_r, query) => query['map_type'] === 'soso',
  ),
  'estimate/departure-time': refuseEstimates(
    'parameter',
    (_r, query) => query['departure_time'] !== undefined,
  ),
  'estimate/departure-time-price': { price: () => 3000 },
  'estimate/private-car': refuseEstimates(
    'product',
    (_r, query) => query['product_type'] === 'private-car',
  ),
  'estimate/express-car': refuseEstimates(
    'product',
    (_r, query) => query['product_type'] === 'express-car',
  ),
  'estimate/non-ascii-names': refuseEstimates('parameter', (_r, query) =>
    /[^ -~]/.test(query['from_name'] ?? ''),
  ),
  'estimate/version-prefix': { serves: (path) => path === '/estimates/prices' },
  'auth/authorization-required': forgive('authorization-missing', (r) => r.endpoint === 'estimate'),
  'auth/scheme': forgive(
    'authorization-shape',
    (r) => r.endpoint === 'estimate' && /^(Basic|MAC)$/.test(r.scheme),
  ),
  'auth/unknown-token': forgive('token-unknown'),
  'auth/user-signature': { signs: (r) => r.asUser },
  'auth/scope-public': forgive('scope'),
  'auth/token-of-partner': forgive('token-foreign'),
  'record/array': { body: (records) => ({ data: records }) },
  'record/product-type': record('product_type', 'car'),
  'record/ride-type': record('ride_type', ''),
  'record/currency-code': record('currency_code', 'RMB'),
  'record/estimate-price': {
    records: (one) => {
      one['estimate_price'] = Number(one['estimate_price']) + 0.5;
    },
  },
  'record/time-in-second': record('time_in_second', '1500'),
  'record/distance-in-meter': record('distance_in_meter', null),
  'record/car-type': record('car_type', 'compact'),
  'record/dynamic': record('dynamic', '1.2'),
  'record/amounts-plausible': record('time_in_second', -5),
  'record/echoes-request': record('ride_type', 'other'),
  'record/estimate-id': record('estimate_id', 17),
  'record/estimate-id-unique': { estimateId: () => 'the-estimate' },
  'record/pay-type': record('pay_type', '1,'),
  'record/jump-url': record('jump_url', '/relative'),
  'record/download-url': record('download_url', 'nowhere'),
  'carpool/tag': {
    records: (one) => {
      if ('carpool_tag' in one && one['carpool_tag'] !== 0)
        one['carpool_tag'] = Number(one['carpool_tag']) + 2;
    },
  },
  'carpool/seat-sharing': carpool('pool-seats', [{ seat: 1 }, { seat: 2 }]),
  'carpool/seats-distinct': carpool('pool-seats', [
    { seat: 1, estimate_price: 900 },
    { seat: 1, estimate_price: 1500 },
  ]),
  'carpool/no-seat-sharing': carpool('pool', [{ seat: 1, estimate_price: 900 }]),
  'carpool/plain': {
    records: (one) => {
      if (!textOf(one['ride_type']).startsWith('pool')) one['carpool_info'] = [];
    },
  },
  'lock/default-10-minutes': {
    locks: (lock) => {
      if (!lock.partner.longLock) lock.until += 300_000;
    },
  },
  'lock/partner-60-minutes': {
    locks: (lock) => {
      if (lock.partner.longLock) lock.until = lock.at + 600_000;
    },
  },
};

export function carpool(rideType: string, info: unknown): Form {
  return {
    records: (one) => {
      if (one['ride_type'] === rideType) one['carpool_info'] = info;
    },
  };
}

const demand = (name: string): Form => refuseEstimates('parameter', (_r, query) => !query[name]);

const isHalf = (token: string, sent: string): boolean =>
  token.length === sent.length &&
  token.slice(0, Math.ceil(token.length / 2)) === sent.slice(0, Math.ceil(token.length / 2));

/** Forms that tests name in words. */
export const NAMED: Readonly<Record<string, Form>> = {
  'imei is demanded': demand('imei'),
  'map_type is demanded': demand('map_type'),
  'departure_time is demanded': demand('departure_time'),
  'half a token is compared': {
    findsToken: (text, tokens) => tokens.find((one) => isHalf(one.text, text)),
  },
  'half a signature is compared': prefixOfSignature(16),
  'several scopes are refused': refuse(
    'scope',
    (r) => r.endpoint === 'token' && scopes(r.fields['scope']).length > 1,
  ),
  'scopes are lost out of order': answer((json) => {
    const list = scopes(json['scope']);
    json['scope'] = list.filter((one, at) => at === 0 || one > list[at - 1]!).join(' ');
  }),
};
