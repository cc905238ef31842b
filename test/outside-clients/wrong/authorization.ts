import { RIGHT, rightSignature } from '../habits.ts';
import { header, type WrongClient, wrong } from '../wrong-client.ts';

const form = wrong('form');

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

/** Mistakes in the header Authorization. */
export const AUTHORIZATION: readonly WrongClient[] = [
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
];
