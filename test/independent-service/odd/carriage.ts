import type { Chance } from '../chance.ts';
import { byChance, each, perSecond } from './differences.ts';
import type { Difference } from './odd-style.ts';

const LONG_HTML = `<!doctype html><title>Oops</title>${'<p>Sorry.</p>\n'.repeat(500)}`;
const STATUSES = [301, 400, 401, 403, 404, 405, 409, 415, 418, 422, 500, 502, 202];

const anyStatus = (_why: string, chance: Chance): number =>
  STATUSES[chance.drawBelow(STATUSES.length)] ?? 400;

const LIKE_TOKEN = JSON.stringify({
  access_token: null,
  refresh_token: '',
  expires_in_second: 0,
  token_type: 'bearer',
  scope: '',
  error: 'invalid_request',
});

const LIKE_ESTIMATE = JSON.stringify([
  { product_type: 'private-car', ride_type: 'compact', estimate_price: 3000, estimate_id: 'none' },
]);

/** Services that carry, refuse or limit in other ways. */
export const CARRIAGE: Readonly<Record<string, Difference>> = {
  'answers in HTTP/1.0': { isHttp10: true },
  'compresses its answers': { gzips: true },
  'compresses in chunks and closes': { gzips: true, chunked: true, closes: true },
  'ends chunks with trailers': { trailers: true },
  'sends early hints': { hints: true },
  'sends headers of its own': {
    headers: {
      server: 'nginx',
      'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly'],
      vary: '*',
      'x-request-id': 'r-1',
      'cache-control': 'no-store',
      'x-long': 'x'.repeat(2000),
    },
  },
  'sends no Date': { date: 'none' },
  'sends an old Date': { date: 'a day old' },
  'closes connections after 3 requests': { requestsPerConnection: 3 },
  'closes connections that are idle for 100 ms': { idleMs: 100 },
  'closes connections without a word': { closesSilently: true },
  'takes its time': { jitterMs: 120 },
  'refuses with any status': { refusal: anyStatus },
  'refuses with 403': { refusal: () => 403 },
  'refuses with 405': { refusal: () => 405 },
  'refuses with 415 and XML': {
    refusal: () => 415,
    refusalBody: '<?xml version="1.0"?><error code="1"/>',
  },
  'refuses with 429': { refusal: () => 429 },
  'refuses with 429 and Retry-After': { refusal: () => 429, headers: { 'retry-after': '0' } },
  'refuses with 503': { refusal: () => 503 },
  'refuses with 206 and an estimate': { refusal: () => 206, refusalBody: LIKE_ESTIMATE },
  'refuses with 203 and an empty list': { refusal: () => 203, refusalBody: '[]' },
  'refuses with 401 and fields of a token': { refusal: () => 401, refusalBody: LIKE_TOKEN },
  'refuses with long HTML': { refusal: () => 403, refusalBody: LONG_HTML },
  'refuses with a number': { refusalBody: '200' },
  'refuses with 404 for tokens': {
    refusal: (why) => (/token|refresh|code|expired/.test(why) ? 404 : 400),
  },
  'redirects other paths': { refusal: (why) => (why === 'path' ? 308 : 400) },
  'answers each 5th with 503': each(503, 5),
  'answers each 13th with 503 and Retry-After': each(503, 13, { retryAfter: '0' }),
  'answers each 50th with 401': each(401, 50),
  'answers each 50th with 500': each(500, 50),
  'answers each 30th with 502': each(502, 30),
  'answers each 40th with 404': each(404, 40),
  'answers each 20th estimate with 500': each(500, 20, { endpoint: 'estimate' }),
  'answers each 15th token request with 500': each(500, 15, { endpoint: 'token' }),
  'answers one in ten with 401 by chance': byChance(401, 0.1),
  'answers one in fifty with 400 by chance': byChance(400, 0.02),
  'answers one in a hundred with 500 by chance': byChance(500, 0.01),
  'answers two in a hundred with 504 by chance': byChance(504, 0.02),
  'drops each 50th': each(0, 50),
  'drops one in fifty by chance': byChance(0, 0.02),
  'limits tokens to 20 per second': perSecond(429, 20, { endpoint: 'token' }),
  'limits estimates to 30 per second': perSecond(503, 30, { endpoint: 'estimate' }),
  'limits all to 40 per second': perSecond(429, 40),
};
