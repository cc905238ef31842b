import { gzipSync } from 'node:zlib';
import { changedPairs, type Deviation, type Fields, RIGHT, rightSignature } from './habits.ts';
import type { WireRequest } from './wire.ts';
import { header, type WrongClient, wrong } from './wrong-client.ts';

const form = wrong('form');

const withBody = (request: WireRequest, body: Buffer): WireRequest => ({
  ...request,
  headers: request.headers.map(([name, value]) =>
    name === 'Content-Length' ? [name, String(body.length)] : [name, value],
  ),
  body,
});

/** Sends another body than the JSON of its fields. */
const body =
  (change: (json: string) => Buffer | string, ...own: [string, string][]) =>
  (request: WireRequest, kind: string): WireRequest => {
    if (kind !== 'token') return request;
    const changed = withBody(request, Buffer.from(change(request.body.toString())));
    return { ...changed, headers: [...changed.headers, ...own] };
  };

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

const param = (values: Readonly<Record<string, string>>): Deviation => ({
  query: (pairs) => changedPairs(pairs, values),
});

const leftOut = (...names: string[]): Deviation => ({
  query: (pairs) => pairs.filter(([name]) => !names.includes(name)),
});

const time = (write: (date: Date) => string): Deviation => ({
  time: (nowMs) => write(new Date(nowMs)),
});

const iso = (date: Date): string => date.toISOString();

const TOKEN_HEADER: [string, (id: string, signature: string) => string][] = [
  ['separates id and signature by a colon', (id, sign) => `Bearer ${id}:${sign}`],
  ['writes the signature before its id', (id, sign) => `Bearer ${sign}|${id}`],
  ['percent-encodes the |', (id, sign) => `Bearer ${id}%7C${sign}`],
  ['adds a third part', (id, sign) => `Bearer ${id}|${sign}|1772452800`],
  ['leaves its id out', (_id, sign) => `Bearer ${sign}`],
  [
    'writes Basic and Base64',
    (id, sign) => `Basic ${Buffer.from(`${id}:${sign}`).toString('base64')}`,
  ],
  ['writes the scheme Token', (id, sign) => `Token ${id}|${sign}`],
  ['writes spaces around the |', (id, sign) => `Bearer ${id} | ${sign}`],
  ['writes its id in capitals', (id, sign) => `Bearer ${id.toUpperCase()}|${sign}`],
  ['encloses its credentials in angle brackets', (id, sign) => `Bearer <${id}>|<${sign}>`],
  ['adds openid without a token', (id, sign) => `Bearer ${id}|${sign} openid|`],
];

const ESTIMATE_HEADER: [string, typeof RIGHT.estimateHeader][] = [
  ['sends only the token with estimates', (_id, _sign, token) => `Bearer ${token}`],
  ['writes the token before its id', (id, _sign, token) => `Bearer ${token}|${id}`],
  [
    'writes its token in lower case',
    (id, sign, token) => RIGHT.estimateHeader(id, sign, token.toLowerCase()),
  ],
  [
    'cuts its token by one',
    (id, sign, token) => RIGHT.estimateHeader(id, sign, token.slice(0, -1)),
  ],
  [
    'writes openid first',
    (id, sign, token) =>
      sign === null ? `Bearer ${id}|${token}` : `Bearer openid|${token} ${id}|${sign}`,
  ],
  [
    'leaves the signature of a user empty',
    (id, sign, token) =>
      sign === null ? `Bearer ${id}|${token}` : `Bearer ${id}| openid|${token}`,
  ],
  [
    'separates three parts by |',
    (id, sign, token) =>
      sign === null ? `Bearer ${id}|${token}` : `Bearer ${id}|${sign}|${token}`,
  ],
  ["uses the platform's header for a user", (id, _sign, token) => `Bearer ${id}|${token}`],
  [
    "uses the user's header for the platform",
    (id, sign, token) =>
      `Bearer ${id}|${sign ?? 'd41d8cd98f00b204e9800998ecf8427e'} openid|${token}`,
  ],
  [
    'writes the scheme MAC',
    (id, sign, token) => RIGHT.estimateHeader(id, sign, token).replace('Bearer', 'MAC'),
  ],
];

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

/** Mistakes in the form of messages. */
export const WRONG_FORMS: readonly WrongClient[] = [
  // Paths and methods.
  ...['/v2', '/V1', '/api/v1', '/v1.0', '', '/v1/..', '/v1/.'].map((prefix) =>
    form(
      `writes ${prefix === '' ? 'no version' : prefix} before its paths`,
      ['client/path-version', 'client/token-method', 'client/estimate-method'],
      {
        tokenTarget: `${prefix}/oauth/token`,
        estimateTarget: `${prefix}/estimates/prices`,
      },
    ),
  ),
  ...['GET', 'PUT', 'PATCH', 'post'].map((method) =>
    form(`requests tokens with ${method}`, 'client/token-method', { tokenMethod: method }),
  ),
  ...['POST', 'PUT', 'OPTIONS'].map((method) =>
    form(`requests estimates with ${method}`, 'client/estimate-method', { estimateMethod: method }),
  ),
  form(
    'puts the fields of a token request into the query',
    ['client/token-content-type', 'client/grant-fields', 'scenario'],
    {
      request: (request, kind) => {
        if (kind !== 'token') return request;
        const fields = JSON.parse(request.body.toString()) as Record<string, string>;
        const target = `${request.target}?${new URLSearchParams(fields).toString()}`;
        return { ...withBody(request, Buffer.alloc(0)), target };
      },
    },
  ),
  form(
    'writes a fragment behind its path',
    ['client/estimate-method', 'client/estimate-encoding', 'scenario'],
    {
      estimateTarget: '/v1/estimates/prices#top',
    },
  ),

  // Bodies and their types.
  ...[
    'text/json',
    'application/x-www-form-urlencoded',
    'application/vnd.api+json',
    'json',
    'application/json, text/plain',
    '*/*',
  ].map((type) =>
    form(`sends its JSON as ${type}`, 'client/token-content-type', {
      request: header('Content-Type', 'token', () => type),
    }),
  ),
  form('sends tokens without a Content-Type', 'client/token-content-type', {
    request: header('Content-Type', 'token', () => null),
  }),
  form('compresses its body', ['client/token-content-type', 'scenario'], {
    request: body((json) => gzipSync(json), ['Content-Encoding', 'gzip']),
  }),
  form('sends its body in Base64', 'client/token-content-type', {
    request: body((json) => Buffer.from(json).toString('base64')),
  }),
  form('sends two JSON texts', 'client/token-content-type', {
    request: body((json) => json + json),
  }),
  form('writes a comment into its JSON', 'client/token-content-type', {
    request: body((json) => `${json}// sent by the app`),
  }),
  form('leaves the names of its JSON unquoted', 'client/token-content-type', {
    request: body((json) => json.replace(/"(\w+)":/g, '$1:')),
  }),
  form('sends the fields in an envelope', ['client/grant-fields', 'client/token-content-type'], {
    request: body((json) => `{"data":${json}}`),
  }),
  form('sends an empty body', 'client/token-content-type', { request: body(() => '') }),
  form('sends a multipart form', 'client/token-content-type', {
    request: (request, kind) =>
      header(
        'Content-Type',
        'token',
        () => 'multipart/form-data; boundary=b',
      )(
        body(
          (json) =>
            `--b\r\nContent-Disposition: form-data; name="json"\r\n\r\n${json}\r\n--b--\r\n`,
        )(request, kind),
        kind,
      ),
  }),
  form('sends XML', 'client/token-content-type', {
    request: body((json) => `<request>${json.length}</request>`),
  }),

  // Fields.
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

  // Authorization.
  ...TOKEN_HEADER.map(([mistake, write]) =>
    form(mistake, ['client/token-authorization', 'client/signature'], { tokenHeader: write }),
  ),
  form('sends its signature in a header of its own', 'client/token-authorization', {
    request: (request, kind) => ({
      ...request,
      headers: request.headers.map(([name, value]) =>
        kind === 'token' && name === 'Authorization' ? ['X-Signature', value] : [name, value],
      ),
    }),
  }),
  ...ESTIMATE_HEADER.map(([mistake, write]) =>
    form(mistake, ['client/estimate-authorization', 'client/signature'], { estimateHeader: write }),
  ),
  form('sends its token in the query', 'client/estimate-authorization', {
    request: header('Authorization', 'estimate', () => null),
  }),
  form('signs the estimates of a user with a random text', 'client/signature', {
    sign: (pairs, key, kind) =>
      kind === 'token' ? rightSignature(pairs, key) : '0123456789abcdef0123456789abcdef',
  }),

  // Estimates.
  ...[
    'application/json',
    'text/plain',
    'application/x-www-form-urlencode',
    'multipart/form-data',
    null,
  ].map((type) =>
    form(`sends estimates as ${type ?? 'nothing'}`, 'client/estimate-content-type', {
      request: header('Content-Type', 'estimate', () => type),
    }),
  ),
  ...['start_lat', 'end_lng', 'from_name', 'to_name', 'product_type', 'ride_type'].map((name) =>
    form(`leaves ${name} out`, 'client/estimate-parameters', leftOut(name)),
  ),
  form(
    'writes coordinates in units of 1e-7',
    'client/estimate-parameters',
    param({ start_lat: '312304000', start_lng: '1214737000' }),
  ),
  form(
    'writes undefined for a coordinate',
    'client/estimate-parameters',
    param({ end_lat: 'undefined' }),
  ),
  form(
    'writes null for a name',
    ['client/estimate-parameters', 'scenario'],
    leftOut('to_name', 'from_name'),
  ),
  form(
    'writes degrees with N and E',
    'client/estimate-parameters',
    param({ start_lat: '31.2304N', start_lng: '121.4737E' }),
  ),
  form('writes a coordinate in hex', 'client/estimate-parameters', param({ start_lat: '0x1F' })),
  form('writes both coordinates into one parameter', 'client/estimate-parameters', {
    query: (pairs) => [
      ...pairs.filter(([name]) => !name.startsWith('start_l')),
      ['start', '31.2304,121.4737'],
    ],
  }),
  form('writes parameter names in brackets', 'client/estimate-parameters', {
    query: (pairs) => pairs.map(([name, value]) => [`ride[${name}]`, value]),
  }),
  form('writes parameter names in capitals', 'client/estimate-parameters', {
    query: (pairs) => pairs.map(([name, value]) => [name.toUpperCase(), value]),
  }),
  form(
    'names the product in another case',
    ['scenario', 'client/estimate-parameters'],
    param({ product_type: 'Private-Car' }),
  ),
  form('leaves a percent sign as it is', 'client/estimate-encoding', {
    query: (pairs) => changedPairs(pairs, { from_name: '100%' }),
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('%25', '%'),
  }),
  form('percent-encodes UTF-16', 'client/estimate-encoding', {
    encode: (pairs) =>
      pairs
        .map(([name, value]) =>
          /[^ -~]/.test(value)
            ? `${name}=${Buffer.from(value, 'utf16le').toString('hex').replace(/../g, '%$&')}`
            : RIGHT.encode([[name, value]]),
        )
        .join('&'),
  }),
  form('encodes UTF-8 twice', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(pairs.map(([name, value]) => [name, Buffer.from(value).toString('latin1')])),
  }),
  form('writes entities of HTML', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(
        pairs.map(([name, value]) => [
          name,
          value.replace(/[^ -~]/gu, (one) => `&#${one.codePointAt(0)};`),
        ]),
      ),
  }),
  form('writes escapes of JSON into its query', 'client/estimate-encoding', {
    encode: (pairs) =>
      RIGHT.encode(
        pairs.map(([name, value]) => [
          name,
          value.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`),
        ]),
      ),
  }),
  ...['600', '1772460000000', '14:00', '2026-03-02T14:00:00Z', '1772460000.5', 'now', '-1'].map(
    (departure) =>
      form(
        `writes departure_time as ${departure}`,
        ['client/departure-time', 'scenario'],
        param({ departure_time: departure }),
      ),
  ),
];
