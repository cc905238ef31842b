import type { Fields } from '../form.ts';
import { textOf } from '../state.ts';
import { ofEstimate, ofToken, refusing } from './differences.ts';
import type { Difference } from './odd-style.ts';

const PARAMETERS = [
  'start_lat',
  'start_lng',
  'from_name',
  'end_lat',
  'end_lng',
  'to_name',
  'product_type',
  'ride_type',
  'imei',
  'map_type',
  'departure_time',
];

const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  client_credentials: ['grant_type', 'scope', '_', 'nostr'],
  refresh_token: ['grant_type', 'scope', '_', 'nostr', 'refresh_token'],
  authorization_code: ['grant_type', 'scope', '_', 'nostr', 'auth_code'],
};

const texts = (fields: Fields): string[] =>
  Object.entries(fields)
    .flat()
    .filter((one) => typeof one === 'string');

const anyText = (fields: Fields, isOdd: (text: string) => boolean): boolean =>
  texts(fields).some(isOdd);

const beyondAscii = (text: string): boolean => /[^\t\n\r -~]/.test(text);

const isAhead = (query: Record<string, string>, seconds: number, now: number): boolean =>
  Number(query['departure_time'] ?? 0) * 1000 - now > seconds * 1000;

/** Services that refuse what the interface leaves open. */
export const STRICT: Readonly<Record<string, Difference>> = {
  'refuses unknown parameters': ofEstimate('parameter', (query) =>
    Object.keys(query).some((name) => !PARAMETERS.includes(name)),
  ),
  'refuses fields of other grants': ofToken('field', (fields) => {
    const known = FIELDS_OF[String(fields['grant_type'])] ?? [];
    return ['refresh_token', 'auth_code'].some((one) => one in fields && !known.includes(one));
  }),
  'refuses all but the fields of a grant': ofToken('field', (fields) => {
    const known = FIELDS_OF[String(fields['grant_type'])] ?? [];
    return Object.keys(fields).some((one) => !known.includes(one));
  }),
  'refuses values that are no text': ofToken('field', (fields) =>
    Object.values(fields).some((one) => typeof one !== 'string'),
  ),
  'refuses lists and objects': ofToken('field', (fields) =>
    Object.values(fields).some((one) => one !== null && typeof one === 'object'),
  ),
  'refuses numbers': ofToken('field', (fields) =>
    Object.values(fields).some((one) => typeof one === 'number'),
  ),
  'refuses booleans and null': ofToken('field', (fields) =>
    Object.values(fields).some((one) => one === null || typeof one === 'boolean'),
  ),
  'refuses long values': ofToken('field', (fields) => anyText(fields, (one) => one.length > 64)),
  'refuses text beyond ASCII in a token request': ofToken('field', (fields) =>
    anyText(fields, beyondAscii),
  ),
  'refuses text beyond the BMP': ofToken('field', (fields) =>
    anyText(fields, (one) => /[\u{10000}-\u{10FFFF}]/u.test(one)),
  ),
  'refuses text that is not normal': ofToken('field', (fields) =>
    anyText(fields, (one) => one !== one.normalize('NFC')),
  ),
  'refuses spaces around a value': ofToken('field', (fields) =>
    anyText(fields, (one) => one !== one.trim()),
  ),
  'refuses names that are no words': ofToken('field', (fields) =>
    Object.keys(fields).some((one) => !/^\w+$/.test(one)),
  ),
  'refuses capitals in names': ofToken('field', (fields) =>
    Object.keys(fields).some((one) => /[A-Z]/.test(one)),
  ),
  'refuses ampersands': ofToken('field', (fields) => anyText(fields, (one) => one.includes('&'))),
  'refuses quotes and angle brackets': ofToken('field', (fields) =>
    anyText(fields, (one) => /['"<>\\]/.test(one)),
  ),
  'refuses control characters': ofToken('field', (fields) =>
    anyText(fields, (one) => /[\u{0}-\u{1f}]/u.test(one)),
  ),
  'refuses more than eight fields': ofToken('field', (fields) => Object.keys(fields).length > 8),
  'grants the scope public only': ofToken(
    'scope',
    ({ scope }) => scope !== undefined && textOf(scope).trim() !== 'public',
  ),
  'refuses a scope with spaces around it': ofToken(
    'scope',
    ({ scope }) => typeof scope === 'string' && scope !== scope.trim(),
  ),
  'refuses an empty scope': ofToken('scope', ({ scope }) => scope === ''),
  'refuses a scope in a refresh': ofToken(
    'scope',
    (fields) => fields['grant_type'] === 'refresh_token' && 'scope' in fields,
  ),
  'refuses scopes without public': ofToken(
    'scope',
    ({ scope }) => scope !== undefined && !textOf(scope).split(/\s+/).includes('public'),
  ),
  'refuses the scope profile to platforms': ofToken(
    'scope',
    (fields) =>
      fields['grant_type'] !== 'authorization_code' &&
      textOf(fields['scope'] ?? '').includes('profile'),
  ),
  'takes signatures in lower case only': refusing(
    (r) => r.signature !== null && /[A-F]/.test(r.signature) && 'signature',
  ),
  'wants application/json for tokens': refusing(
    (r) => r.endpoint === 'token' && r.contentType !== 'application/json' && 'type',
  ),
  'wants a form type for estimates': refusing(
    (r) =>
      r.endpoint === 'estimate' && r.contentType !== 'application/x-www-form-urlencoded' && 'type',
  ),
  'refuses platform headers with user tokens': refusing(
    (r) => r.endpoint === 'estimate' && !r.asUser && r.token?.user != null && 'token',
  ),
  'refuses an imei that is none': ofEstimate(
    'parameter',
    ({ imei }) => imei !== undefined && !isImei(imei),
  ),
  'takes the map type soso only': ofEstimate(
    'parameter',
    ({ map_type: type }) => type !== undefined && type !== 'soso',
  ),
  'refuses departures in the past': refusing(
    (r) =>
      r.endpoint === 'estimate' &&
      Number(r.fields['departure_time'] ?? Number.POSITIVE_INFINITY) * 1000 <
        r.service.now() - 1000 &&
      'parameter',
  ),
  'refuses departures that are no seconds': ofEstimate(
    'parameter',
    ({ departure_time: time }) => time !== undefined && !/^\d{10}$/.test(time),
  ),
  'refuses departures within 15 minutes': refusing(
    (r) =>
      r.endpoint === 'estimate' &&
      'departure_time' in r.fields &&
      Number(r.fields['departure_time']) * 1000 < r.service.now() + 900_000 &&
      // That is now, as far as clocks agree.
      Math.abs(Number(r.fields['departure_time']) * 1000 - r.service.now()) > 330_000 &&
      'parameter',
  ),
  'refuses names with more than 40 characters': ofEstimate(
    'parameter',
    ({ from_name: from = '', to_name: to = '' }) => Math.max(from.length, to.length) > 40,
  ),
  'refuses names with signs': ofEstimate(
    'parameter',
    ({ from_name: from = '', to_name: to = '' }) => /[&=%"<>]/.test(from + to),
  ),
  'refuses spaces around parameters': ofEstimate('parameter', (query) =>
    anyText(query, (one) => one !== one.trim()),
  ),
  'refuses empty parameters': ofEstimate('parameter', (query) => Object.values(query).includes('')),
  'refuses coordinates with exponents or signs': ofEstimate('parameter', (query) =>
    PARAMETERS.filter((one) => /_l(at|ng)$/.test(one)).some(
      (one) => !/^-?\d{1,3}(\.\d{1,6})?$/.test(query[one] ?? ''),
    ),
  ),
  'serves one city': ofEstimate(
    'parameter',
    ({ start_lat: lat, start_lng: lng, end_lat: lat2, end_lng: lng2 }) =>
      [lat, lat2].some((one) => Math.abs(Number(one) - 39.95) > 0.1) ||
      [lng, lng2].some((one) => Math.abs(Number(one) - 116.35) > 0.1),
  ),
  'has no estimates for other cities': {
    oddities: {
      body: (_records, r) =>
        Math.abs(Number(r.fields['start_lat']) - 39.95) > 0.1 ? [] : undefined,
    },
  },
  'has no estimates for departures in 3 hours': {
    oddities: {
      body: (_records, r) =>
        isAhead(r.fields as Record<string, string>, 10_800, r.service.now()) ? [] : undefined,
    },
  },
  'serves the rides of its profile only': ofEstimate(
    'parameter',
    ({ product_type: product = '', ride_type: ride = '' }) =>
      ![
        'private-car compact',
        'express-car express',
        'express-car pool',
        'express-car pool-seats',
      ].includes(`${product} ${ride}`),
  ),
  'has no estimates for other rides': {
    oddities: {
      body: (_records, r) =>
        /^(compact|express|pool|pool-seats)$/.test(String(r.fields['ride_type'])) ? undefined : [],
    },
  },
};

/** 15 digits, the last a check digit. */
function isImei(text: string): boolean {
  if (!/^\d{15}$/.test(text)) return false;
  const sum = Array.from(text).reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
