import {
  type Deviation,
  type Fields,
  jsonIn,
  type Pairs,
  percent,
  RIGHT,
  rightSignature,
  tokenIn,
} from './habits.ts';
import { SIGNATURE_MISTAKES } from './signature-mistakes.ts';
import type { WireRequest } from './wire.ts';
import { header, type WrongClient, wrong } from './wrong-client.ts';
import { WRONG_COURSES } from './wrong-courses.ts';
import { WRONG_FORMS } from './wrong-forms.ts';

const [refused, provoked, overlap, read, plain] = (
  ['refused', 'provoked', 'overlap', 'read', 'plain'] as const
).map(wrong) as [W, W, W, W, W];
type W = ReturnType<typeof wrong>;

const changed = (pairs: Pairs, values: Readonly<Record<string, string>>): Pairs =>
  pairs.map(([name, value]) => [name, values[name] ?? value]);
const encode = (pairs: Pairs): string => pairs.map((pair) => pair.map(percent).join('=')).join('&');

const text = (kindOf: string, change: (text: string) => string) => (bytes: Buffer, kind: string) =>
  kind === kindOf ? Buffer.from(change(bytes.toString('latin1')), 'latin1') : bytes;

/** Takes a token from answers of some statuses. */
const acceptsToken = (isGood: (status: number) => boolean): Deviation => ({
  readToken: ({ status, text: body }) => (isGood(status) ? tokenIn(body) : null),
});

/** Every object of an answer must have known fields only. */
const KNOWN = new Set(
  'access_token refresh_token expires_in_second token_type scope product_type ride_type currency_code estimate_price time_in_second distance_in_meter car_type dynamic estimate_id pay_type jump_url download_url carpool_tag carpool_info seat'.split(
    ' ',
  ),
);
function isKnown(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isKnown);
  return Object.keys(value as object).every((name) => KNOWN.has(name));
}
const carpools = (body: string): Fields[] =>
  ((jsonIn(body) ?? []) as Fields[]).flatMap((one) => (one['carpool_info'] ?? []) as Fields[]);

/** Escapes each UTF-16 unit, as the `escape` of old browsers did. */
const escapeUnits = (value: string): string =>
  value.replace(/[^A-Za-z0-9]/g, (unit) =>
    unit > 'ÿ'
      ? `%u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      : `%${unit.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

function mustBe(isTrue: boolean): true {
  if (!isTrue) throw new Error('unexpected');
  return true;
}

const FAILURE = 'client/failure-handled';
const LOST = 'client/lost-answer-handled';

/** Refused all the way: the service never serves these clients, or often does not. */
const REFUSED: readonly WrongClient[] = [
  ...[
    '/v1/estimates/price',
    '/v1/estimates/prices/',
    '/v1/estimate/prices',
    '/v1/Estimates/Prices',
    '//v1/estimates/prices',
    '/v1/estimates//prices',
    '/v1/prices/estimates',
    '/v1/estimates/prices.json',
    '/v1/estimates/prices;v=1',
    '/v1/estimates%2Fprices',
    '/v1/api/estimates/prices',
  ].map((target) =>
    refused(`asks ${target} for estimates`, ['client/estimate-method', 'client/path-version'], {
      estimateTarget: target,
    }),
  ),
  ...[
    '/v1/oauth/token/',
    '/v1/oauth/tokens',
    '/v1/oauth',
    '/v1/oauth/Token',
    '/v1//oauth/token',
  ].map((target) =>
    refused(`asks ${target} for tokens`, 'client/token-method', { tokenTarget: target }),
  ),
  refused(
    'sends its parameters as a form with GET',
    ['client/estimate-method', 'client/estimate-parameters'],
    {
      request: (request, kind) => moved(request, kind),
    },
  ),
  refused(
    'sends half of its parameters as a form with GET',
    ['client/estimate-method', 'client/estimate-parameters'],
    {
      request: (request, kind) => moved(request, kind, 4),
    },
  ),
  refused('percent-encodes its query twice', 'client/estimate-encoding', {
    encode: (pairs) => pairs.map(([name, value]) => `${name}=${percent(percent(value))}`).join('&'),
  }),
  refused(
    'percent-encodes the separators of its query',
    ['client/estimate-parameters', 'client/estimate-encoding'],
    {
      encode: (pairs) => encodeURIComponent(encode(pairs)),
    },
  ),
  refused('separates its parameters by ;', 'client/estimate-parameters', {
    encode: (pairs) => encode(pairs).replaceAll('&', ';'),
  }),
  refused('separates its parameters by &amp;', 'client/estimate-parameters', {
    encode: (pairs) => encode(pairs).replaceAll('&', '&amp;'),
  }),
  refused('begins its query with two ?', ['client/estimate-parameters', 'scenario'], {
    encode: (pairs) => `?${encode(pairs)}`,
  }),
  refused('writes parameter names in camel case', 'client/estimate-parameters', {
    query: (pairs) =>
      pairs.map(([name, value]) => [
        name.replace(/_(.)/, (_, one: string) => one.toUpperCase()),
        value,
      ]),
  }),
  refused('sends its parameters as one JSON text', 'client/estimate-parameters', {
    encode: (pairs) => `data=${percent(JSON.stringify(Object.fromEntries(pairs)))}`,
  }),
  refused('sends each parameter twice', ['client/estimate-parameters', 'scenario'], {
    encode: (pairs) => `${encode(pairs)}&${encode(pairs)}`,
  }),
  refused('asks for estimates with HEAD', 'client/estimate-method', {
    estimateMethod: 'HEAD',
    patienceMs: 40,
  }),
  refused('asks for estimates with a lower-case method', ['client/estimate-method', 'scenario'], {
    estimateMethod: 'get',
  }),
  refused('names an unknown product', 'scenario', {
    query: (pairs) => changed(pairs, { product_type: 'private_car' }),
  }),
  refused('requests a token without public', 'scenario', {
    scope: () => 'rides.read rides.request',
  }),
  refused('is refused with every second estimate', ['scenario', 'client/estimate-parameters'], {
    query: (pairs, nth) => (nth % 2 ? pairs : changed(pairs, { product_type: 'taxi' })),
    estimateAttempts: 1,
  }),
  refused('is refused with the last estimates', ['scenario', 'client/estimate-parameters'], {
    query: (pairs, nth) => (nth < 4 ? pairs : changed(pairs, { product_type: 'taxi' })),
    estimateAttempts: 1,
  }),
  refused('writes departure_time as a date', ['client/departure-time', 'scenario'], {
    query: (pairs) => [...pairs, ['departure_time', '2026-03-02 14:00']],
  }),
];

function moved(request: WireRequest, kind: string, at = 0): WireRequest {
  if (kind !== 'estimate') return request;
  const [path = '', query = ''] = request.target.split('?');
  const parts = query.split('&');
  const body = Buffer.from(parts.slice(at).join('&'));
  const rest = parts.slice(0, at).join('&');
  return {
    ...request,
    target: rest === '' ? path : `${path}?${rest}`,
    headers: [...request.headers, ['Content-Length', String(body.length)]],
    body,
  };
}

/** Seen only by a scenario that provokes them. */
const PROVOKED: readonly WrongClient[] = [
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
  provoked('ends at a refused refresh', FAILURE, {
    afterFailedRefresh: 'stop',
    diesOf: (_kind, outcome, isRefresh) => isRefresh && outcome === 'refused',
  }),
  provoked('sends a refused refresh again', ['client/refresh-single-use'], { refreshAttempts: 3 }),
  provoked('ends at a token that is not whole JSON', FAILURE, {
    readToken: ({ status, text: body }) => (status === 200 ? (JSON.parse(body) as Fields) : null),
  }),
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
  provoked('ends at an estimate that is not whole JSON', FAILURE, {
    readEstimate: ({ status, text: body }) => status === 200 && Array.isArray(JSON.parse(body)),
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
  provoked('ends at the second failed estimate in a row', FAILURE, { maxFailedEstimates: 2 }),
  provoked('ends at the third failed estimate in a row', FAILURE, {
    maxFailedEstimates: 3,
    estimateAttempts: 4,
  }),
  provoked('ends at a failed estimate of a user', FAILURE, {
    run: (client) => userOnly(client, { maxFailedEstimates: 1 }),
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
  provoked('ends at a failure of five seconds of waiting', FAILURE, {
    patienceMs: 600,
    diesOf: (_kind, outcome) => outcome === 'lost',
  }),
];

type Client = Parameters<Deviation['run'] & object>[0];

/** Deviates on behalf of users only. */
async function userOnly(client: Client, deviation: Deviation): Promise<void> {
  const isUser = client.environment.FAREPROOF_MODE === 'user';
  Object.assign(client.habits, isUser ? deviation : { refreshAttempts: 1 });
  await client.runWorkers();
}

/** One request at a time: each sees the answer to the one before. */
const OVERLAP: readonly WrongClient[] = [
  ...[4, 5, 8].map((times) =>
    overlap(`asks for a token ${times} times at once`, 'client/ban-respected', {
      maxRefusals: times,
      backoffMs: () => 1,
    }),
  ),
  overlap('asks for a token at each estimate, whatever was refused', 'client/ban-respected', {
    maxRefusals: 100,
    backoffMs: () => 10,
  }),
  overlap('asks for a token every two seconds', 'client/ban-respected', {
    maxRefusals: 100,
    backoffMs: () => 2000,
  }),
  overlap('asks for a token every four seconds', 'client/ban-respected', {
    maxRefusals: 100,
    backoffMs: () => 4000,
  }),
  overlap('asks for a token every five seconds', 'client/ban-respected', {
    maxRefusals: 100,
    backoffMs: () => 5000,
  }),
  overlap('waits twice as long after each refusal', 'client/ban-respected', {
    maxRefusals: 100,
    backoffMs: (attempt) => 500 * 2 ** attempt,
  }),
  overlap(
    'uses the older token once after a refresh',
    ['client/user-token-newest', 'client/expiry-respected'],
    {
      marginMs: 1200,
      pickToken: (all, uses) => (uses === 0 ? (all.at(-2) ?? all.at(-1)) : all.at(-1)),
      intervalMs: 1,
    } as Deviation,
  ),
  overlap('tries a refused token again at once', 'client/user-token-newest', {
    onUnauthorised: 'retry-first',
    retryPauseMs: 5,
    estimateAttempts: 3,
  }),
  overlap('keeps a refused token', 'client/user-token-newest', {
    onUnauthorised: 'keep',
    retryPauseMs: 5,
  }),
  overlap(
    'refreshes with the refresh_token before the newest',
    ['client/refresh-newest', 'client/refresh-single-use'],
    {
      pickRefresh: (all) => all.at(-2) ?? all.at(-1),
    },
  ),
  overlap(
    'refreshes with its first refresh_token',
    ['client/refresh-newest', 'client/refresh-single-use'],
    {
      pickRefresh: ([first]) => first,
    },
  ),
  overlap('uses a token a second after its end', 'client/expiry-respected', { marginMs: -1000 }),
];

/** Read too kindly by a lenient parser. */
const READ: readonly WrongClient[] = [
  read('begins its JSON with a BOM', 'client/token-content-type', {
    json: (fields) => `\ufeff${JSON.stringify(fields)}`,
  }),
  ...['OpenID', 'OPENID', 'openId'].map((word) =>
    read(`writes ${word}`, 'client/estimate-authorization', {
      estimateHeader: (id, signature, token) =>
        RIGHT.estimateHeader(id, signature, token).replace('openid', word),
    }),
  ),
  read('writes a comma after SIGN', 'client/estimate-authorization', {
    estimateHeader: (id, signature, token) =>
      RIGHT.estimateHeader(id, signature, token).replace(' openid', ', openid'),
  }),
  read('writes a semicolon after SIGN', 'client/estimate-authorization', {
    estimateHeader: (id, signature, token) =>
      RIGHT.estimateHeader(id, signature, token).replace(' openid', '; openid'),
  }),
  read('writes two spaces before openid', 'client/estimate-authorization', {
    estimateHeader: (id, signature, token) =>
      RIGHT.estimateHeader(id, signature, token).replace(' openid', '  openid'),
  }),
  read('writes openid=', 'client/estimate-authorization', {
    estimateHeader: (id, signature, token) =>
      RIGHT.estimateHeader(id, signature, token).replace('openid|', 'openid='),
  }),
  read('puts its access token in angle brackets', ['client/estimate-authorization', 'scenario'], {
    estimateHeader: (id, signature, token) => RIGHT.estimateHeader(id, signature, `<${token}>`),
  }),
  read(
    'puts its signature in quotation marks',
    ['client/token-authorization', 'client/signature'],
    {
      tokenHeader: (id, signature) => `Bearer ${id}|"${signature}"`,
    },
  ),
  read('writes no Bearer', 'client/token-authorization', {
    tokenHeader: (id, signature) => `${id}|${signature}`,
  }),
  read('writes a colon after Bearer', 'client/token-authorization', {
    tokenHeader: (id, signature) => `Bearer: ${id}|${signature}`,
  }),
  read('sends Authorization twice', ['client/token-authorization', 'scenario'], {
    request: (request, kind) =>
      kind === 'token'
        ? { ...request, headers: [...request.headers, request.headers[2]!] }
        : request,
  }),
  read(
    'leaves a # in its query as it is',
    ['client/estimate-encoding', 'client/estimate-parameters'],
    {
      encode: (pairs) => encode(pairs).replaceAll('%23', '#'),
    },
  ),
  read('percent-encodes spaces twice', 'client/estimate-encoding', {
    encode: (pairs) => encode(pairs).replaceAll('%20', '%2520'),
  }),
  read('percent-encodes twice what is ASCII', 'client/estimate-encoding', {
    encode: (pairs) => encode(pairs).replace(/%([2-7])/g, '%25$1'),
  }),
  read('writes its query in Latin-1', 'client/estimate-encoding', {
    encode: (pairs) =>
      changed(pairs, { from_name: 'Caf\u00e9' })
        .map(([name, value]) => `${name}=${value === 'Caf\u00e9' ? 'Caf%E9' : percent(value)}`)
        .join('&'),
  }),
  read('leaves spaces in its query', 'client/estimate-encoding', {
    encode: (pairs) => encode(pairs).replaceAll('%20', ' '),
  }),
  read('leaves UTF-8 in its query as it is', 'client/estimate-encoding', {
    encode: (pairs) =>
      pairs
        .map(
          ([name, value]) =>
            `${name}=${Buffer.from(value).toString('latin1').replace(/[ #&]/g, percent)}`,
        )
        .join('&'),
  }),
  read('writes %u escapes', 'client/estimate-encoding', {
    encode: (pairs) => pairs.map(([name, value]) => `${name}=${escapeUnits(value)}`).join('&'),
  }),
  read('sends no Host', ['client/token-method', 'client/estimate-method', 'scenario'], {
    request: (request) => ({
      ...request,
      headers: request.headers.filter(([name]) => name !== 'Host'),
    }),
  }),
  read('sends no Host with estimates', ['client/estimate-method', 'scenario'], {
    request: header('Host', 'estimate', () => null),
  }),
  read('states more bytes than its body has', ['client/token-content-type', 'scenario'], {
    request: header('Content-Length', 'token', (length) => String(Number(length) + 5)),
    patienceMs: 150,
  }),
  read('states fewer bytes than its body has', ['client/token-content-type', 'scenario'], {
    request: header('Content-Length', 'token', (length) => String(Number(length) - 3)),
  }),
  read('counts characters in place of bytes', ['client/token-content-type', 'scenario'], {
    fields: (fields) => ({ ...fields, device: '手机' }),
    request: header('Content-Length', 'token', (length) => String(Number(length) - 4)),
  }),
  read('ends its lines with LF', ['client/token-method', 'client/estimate-method', 'scenario'], {
    bytes: (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  }),
  read(
    'writes a space before the colon of a header',
    ['client/estimate-content-type', 'scenario'],
    {
      bytes: text('estimate', (all) => all.replace('Content-Type:', 'Content-Type :')),
    },
  ),
  read('writes a line feed into a header', ['client/token-authorization', 'scenario'], {
    tokenHeader: (id, signature) => `Bearer ${id}|${signature}\nX-Client: 1`,
  }),
  read('breaks off its chunked body', ['client/token-content-type', 'scenario'], {
    request: (request, kind) =>
      kind === 'token'
        ? {
            ...request,
            headers: [
              ...request.headers.filter(([name]) => name !== 'Content-Length'),
              ['Transfer-Encoding', 'chunked'],
            ],
            body: Buffer.from(`${request.body.length.toString(16)}\r\n${request.body.toString()}`),
          }
        : request,
    patienceMs: 150,
  }),
  read(
    'names one field twice',
    ['client/token-content-type', 'client/grant-fields', 'scenario', 'client/signature'],
    {
      json: (fields) => JSON.stringify(fields).replace('{', '{"nostr":"zzzzz1",'),
      sign: (fields, key, kind) =>
        rightSignature(kind === 'token' ? { ...fields, nostr: 'zzzzz1' } : fields, key),
    },
  ),
  read('writes coordinates with a comma', 'client/estimate-parameters', {
    query: (pairs) => changed(pairs, { start_lat: '31,2304' }),
  }),
  read('writes coordinates as degrees and minutes', 'client/estimate-parameters', {
    query: (pairs) => changed(pairs, { start_lat: "31°13'49" }),
  }),
  read('writes NaN for a coordinate', 'client/estimate-parameters', {
    query: (pairs) => changed(pairs, { end_lat: 'NaN' }),
  }),
  read('swaps latitude and longitude', 'client/estimate-parameters', {
    query: (pairs) =>
      changed(pairs, {
        start_lat: '121.4737',
        start_lng: '31.2304',
        end_lat: '121.8083',
        end_lng: '31.1443',
      }),
  }),
  read('writes a blank place name', 'client/estimate-parameters', {
    query: (pairs) => changed(pairs, { from_name: ' ' }),
  }),
  read('writes a coordinate with a space', ['client/estimate-parameters', 'scenario'], {
    query: (pairs) => changed(pairs, { end_lng: ' 121.8083' }),
  }),
  read('writes full-width digits', 'client/estimate-parameters', {
    query: (pairs) => changed(pairs, { start_lat: '３１.２３' }),
  }),
  read('writes its body as a form', 'client/token-content-type', {
    json: (fields) => new URLSearchParams(fields as Record<string, string>).toString(),
  }),
  read('wraps its body in a list', 'client/token-content-type', {
    json: (fields) => JSON.stringify([fields]),
  }),
  read('writes JSON inside JSON', 'client/token-content-type', {
    json: (fields) => JSON.stringify(JSON.stringify(fields)),
  }),
  read('writes single quotation marks', 'client/token-content-type', {
    json: (fields) => JSON.stringify(fields).replaceAll('"', "'"),
  }),
  read('writes a trailing comma', 'client/token-content-type', {
    json: (fields) => JSON.stringify(fields).replace(/}$/, ',}'),
  }),
  read('ends its JSON with a zero byte', 'client/token-content-type', {
    json: (fields) => `${JSON.stringify(fields)}\0`,
  }),
  read('sends its JSON in UTF-16', 'client/token-content-type', {
    json: (fields) => Buffer.from(JSON.stringify(fields), 'utf16le').toString('latin1'),
  }),
  read('writes the time without T', 'client/timestamp-iso8601', {
    time: (nowMs) => new Date(nowMs).toISOString().replace('T', ' '),
  }),
  read('writes the time with a space before its offset', 'client/timestamp-iso8601', {
    time: (nowMs) => new Date(nowMs).toISOString().replace('Z', ' +0000'),
  }),
  read('writes local time as UTC', 'client/timestamp-fresh', {
    time: (nowMs) => new Date(nowMs + 8 * 3_600_000).toISOString(),
  }),
];

/** Plain mistakes, one of each kind. */
const PLAIN: readonly WrongClient[] = [
  plain('has a nostr with a dash', 'client/nostr', {
    nostr: (random) => random().replace(/^./, '-'),
  }),
  plain('has a nostr of five', 'client/nostr', { nostr: (random) => random().slice(1) }),
  plain('counts its nostr from 1 in each run', 'client/nostr-random', { nostr: () => '000001' }),
  plain('separates scopes by commas', 'client/scope-known', {
    scope: () => 'public,rides.read,rides.request',
  }),
  plain('keeps one time for all requests', ['client/timestamp-fresh', 'scenario'], cachedTime()),
  plain('requests a token for each estimate', ['client/quota-platform', 'client/token-reused'], {
    replaces: () => true,
    refreshes: false,
  }),
  plain('refreshes before each third estimate', 'client/token-reused', {
    replaces: (nth) => nth % 3 === 0,
  }),
];

/** Reads the clock once in its life. */
function cachedTime(): Deviation {
  return {
    run: async (client) => {
      const first = new Date(client.surroundings.now()).toISOString();
      Object.assign(client.habits, { time: () => first });
      await client.runWorkers();
    },
  };
}

/** Wrong clients, each with one mistake. */
export const WRONG_CLIENTS: readonly WrongClient[] = [
  ...REFUSED,
  ...PROVOKED,
  ...OVERLAP,
  ...READ,
  ...PLAIN,
  ...WRONG_FORMS,
  ...WRONG_COURSES,
  ...SIGNATURE_MISTAKES.map(({ mistake, explainedBy, deviation }) => ({
    ...wrong('signature')(mistake, 'client/signature', deviation),
    explainedBy,
  })),
];
