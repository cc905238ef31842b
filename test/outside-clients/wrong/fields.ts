import type { Deviation, Fields } from '../habits.ts';
import { type WrongClient, wrong } from '../wrong-client.ts';

const form = wrong('form');

/** Sends a field otherwise than it signs it, or signs what it sends. */
const field = (change: (fields: Fields) => Fields): Deviation => ({ fields: change });

const renamed =
  (from: string, to: string) =>
  (fields: Fields): Fields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, one]) => [name === from ? to : name, one]),
    );

const without =
  (...names: string[]) =>
  (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const time = (write: (date: Date) => string): Deviation => ({
  time: (nowMs) => write(new Date(nowMs)),
});

const iso = (date: Date): string => date.toISOString();

const TIMES: [string, (date: Date) => string][] = [
  ['writes the time as Java prints a zoned one', (date) => `${iso(date)}[UTC]`],
  ['writes the time as toString does', (date) => String(date)],
  ['writes the time as in a mail', (date) => date.toUTCString()],
  ['writes slashes into the date', (date) => iso(date).replaceAll('-', '/')],
  ['writes GMT+8', (date) => iso(new Date(date.getTime() + 28_800_000)).replace('Z', 'GMT+8')],
  ['writes the hour in twelve', (date) => iso(date).replace(/T.*$/, 'T00:00:00 PM')],
  ['writes an hour of one digit', (date) => iso(date).replace(/T.*$/, 'T9:00:00Z')],
  ['writes only the date', (date) => iso(date).slice(0, 10)],
  ['writes a day that does not exist', (date) => `2026-02-30${iso(date).slice(10)}`],
  ['writes microseconds since the epoch', (date) => `${date.getTime()}000`],
];

/** Mistakes in the fields of a token request. */
export const FIELDS: readonly WrongClient[] = [
  ...[
    ['names auth_code authCode', field(renamed('auth_code', 'authCode'))],
    ['names nostr nonce', field(renamed('nostr', 'nonce'))],
    ['names _ timestamp', field(renamed('_', 'timestamp'))],
    ['names grant_type grantType', field(renamed('grant_type', 'grantType'))],
    ['leaves grant_type out', field(without('grant_type'))],
    ['leaves _ out', field(without('_'))],
    [
      'writes its grant in capitals',
      field((fields) => ({ ...fields, grant_type: String(fields['grant_type']).toUpperCase() })),
    ],
    [
      'writes a space behind its grant',
      field((fields) => ({ ...fields, grant_type: `${String(fields['grant_type'])} ` })),
    ],
    [
      'sends its nostr as a number',
      field((fields) => ({
        ...fields,
        nostr: 100_000 + ((JSON.stringify(fields).length * 7919) % 900_000),
      })),
    ],
    [
      'sends its time as a number',
      field((fields) => ({ ...fields, _: Date.parse(String(fields['_'])) })),
    ],
    [
      'sends its scopes as a list',
      field((fields) => ({ ...fields, scope: ['public', 'rides.read', 'rides.request'] })),
    ],
    ['leaves the refresh_token out', field(without('refresh_token'))],
    ['names the grant password', field((fields) => ({ ...fields, grant_type: 'password' }))],
    ['leaves its nostr empty', field((fields) => ({ ...fields, nostr: '' }))],
  ].map(([mistake, deviation]) =>
    form(
      mistake as string,
      ['client/grant-fields', 'client/scope-known', 'client/nostr', 'client/timestamp-iso8601'],
      deviation as Deviation,
    ),
  ),
  ...TIMES.map(([mistake, write]) =>
    form(mistake, ['client/timestamp-iso8601', 'client/timestamp-fresh'], time(write)),
  ),
  form(
    'has a clock an hour behind',
    'client/timestamp-fresh',
    time((date) => iso(new Date(date.getTime() - 3_600_000))),
  ),
  form(
    'has a clock eleven minutes ahead',
    'client/timestamp-fresh',
    time((date) => iso(new Date(date.getTime() + 660_000))),
  ),
  form(
    'writes the zone +08:00 behind UTC',
    'client/timestamp-fresh',
    time((date) => iso(date).replace('Z', '+08:00')),
  ),
  form(
    'has a clock of last year',
    'client/timestamp-fresh',
    time((date) => iso(date).replace('2026', '2025')),
  ),
  ...[
    ['a UUID', () => '7b0c2b4e-58a4-4f6e-9d6f-0a4be4c1d0aa'],
    ['eight characters', (random: () => string) => `${random()}Zz`],
    ['an underscore', (random: () => string) => `${random().slice(1)}_`],
    ['a letter with an accent', (random: () => string) => `${random().slice(1)}é`],
    ['full-width digits', () => '１２３４５６'],
    ['a Base64 sign', (random: () => string) => `${random().slice(2)}+/`],
    ['a space', (random: () => string) => `${random().slice(1)} `],
  ].map(([what, nostr]) =>
    form(`has a nostr with ${what as string}`, ['client/nostr', 'client/signature'], {
      nostr: nostr as (random: () => string) => string,
    }),
  ),
  form('draws one of two nostrs', 'client/nostr-random', {
    nostr: (random) => (random() < 'Z' ? 'aB3dE6' : 'Zy9xW8'),
  }),
  ...[
    'Public',
    'all',
    'public+rides.read',
    'public;rides.read',
    'rides',
    'public rides.reads',
    '["public"]',
  ].map((scope) =>
    form(`requests the scope ${scope}`, 'client/scope-known', { scope: () => scope }),
  ),
  ...[undefined, 'public', 'public rides.read', 'profile public rides.request'].map((scope) =>
    form(`requests ${scope ?? 'no scope'} for a user`, 'client/scope-on-behalf', {
      scope: (mode) => (mode === 'user' ? scope : undefined),
    }),
  ),
];
