import { changedPairs, type Deviation, percent, RIGHT, rightSignature } from '../habits.ts';
import { header, type WrongClient, wrong } from '../wrong-client.ts';

const read = wrong('read');

/** Escapes each UTF-16 unit, as the `escape` of old browsers did. */
const escapeUnits = (value: string): string =>
  value.replace(/[^A-Za-z0-9]/g, (unit) =>
    unit > 'ÿ'
      ? `%u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
      : `%${unit.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

const text = (kindOf: string, change: (text: string) => string) => (bytes: Buffer, kind: string) =>
  kind === kindOf ? Buffer.from(change(bytes.toString('latin1')), 'latin1') : bytes;

/** The header of a user's estimate with another text in place of a part of it. */
const inUserHeader = (part: string, other: string): Deviation => ({
  estimateHeader: (id, signature, token) =>
    RIGHT.estimateHeader(id, signature, token).replace(part, other),
});

/** Read too kindly by a lenient parser. */
export const READ: readonly WrongClient[] = [
  read('begins its JSON with a BOM', 'client/token-content-type', {
    json: (fields) => `\ufeff${JSON.stringify(fields)}`,
  }),
  ...['OpenID', 'OPENID', 'openId'].map((word) =>
    read(`writes ${word}`, 'client/estimate-authorization', inUserHeader('openid', word)),
  ),
  read(
    'writes a comma after SIGN',
    'client/estimate-authorization',
    inUserHeader(' openid', ', openid'),
  ),
  read(
    'writes a semicolon after SIGN',
    'client/estimate-authorization',
    inUserHeader(' openid', '; openid'),
  ),
  read(
    'writes two spaces before openid',
    'client/estimate-authorization',
    inUserHeader(' openid', '  openid'),
  ),
  read('writes openid=', 'client/estimate-authorization', inUserHeader('openid|', 'openid=')),
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
      encode: (pairs) => RIGHT.encode(pairs).replaceAll('%23', '#'),
    },
  ),
  read('percent-encodes spaces twice', 'client/estimate-encoding', {
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('%20', '%2520'),
  }),
  read('percent-encodes twice what is ASCII', 'client/estimate-encoding', {
    encode: (pairs) => RIGHT.encode(pairs).replace(/%([2-7])/g, '%25$1'),
  }),
  read('writes its query in Latin-1', 'client/estimate-encoding', {
    encode: (pairs) =>
      changedPairs(pairs, { from_name: 'Caf\u00e9' })
        .map(([name, value]) => `${name}=${value === 'Caf\u00e9' ? 'Caf%E9' : percent(value)}`)
        .join('&'),
  }),
  read('leaves spaces in its query', 'client/estimate-encoding', {
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('%20', ' '),
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
    query: (pairs) => changedPairs(pairs, { start_lat: '31,2304' }),
  }),
  read('writes coordinates as degrees and minutes', 'client/estimate-parameters', {
    query: (pairs) => changedPairs(pairs, { start_lat: "31°13'49" }),
  }),
  read('writes NaN for a coordinate', 'client/estimate-parameters', {
    query: (pairs) => changedPairs(pairs, { end_lat: 'NaN' }),
  }),
  read('swaps latitude and longitude', 'client/estimate-parameters', {
    query: (pairs) =>
      changedPairs(pairs, {
        start_lat: '121.4737',
        start_lng: '31.2304',
        end_lat: '121.8083',
        end_lng: '31.1443',
      }),
  }),
  read('writes a blank place name', 'client/estimate-parameters', {
    query: (pairs) => changedPairs(pairs, { from_name: ' ' }),
  }),
  read('writes a coordinate with a space', ['client/estimate-parameters', 'scenario'], {
    query: (pairs) => changedPairs(pairs, { end_lng: ' 121.8083' }),
  }),
  read('writes full-width digits', 'client/estimate-parameters', {
    query: (pairs) => changedPairs(pairs, { start_lat: '３１.２３' }),
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
