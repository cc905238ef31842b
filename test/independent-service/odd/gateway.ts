import { each, eachSecond, perSecond } from './differences.ts';
import type { Difference } from './odd-style.ts';

const perMinute = (status: number, most: number): Difference =>
  perSecond(status, most, { endpoint: 'token', per: 'partner', periodMs: 60_000 });

const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: 'Bad Request',
  status: 400,
  instance: '/v1',
});

const SOAP = '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"/>';

const POLICY = `default-src 'none'; script-src ${'https://cdn.example '.repeat(550)}`;

const localDate = (nowMs: number): string =>
  `${new Date(nowMs + 8 * 3_600_000).toUTCString().replace('GMT', '')}GMT+0800`;

/** Services behind gateways, balancers, firewalls and caches. */
export const GATEWAY: Readonly<Record<string, Difference>> = {
  'wakes up slowly': { firstDelayMs: 1500 },
  'is slow on each new connection': { connectionDelayMs: 8 },
  'sends bodies some time after their heads': { bodyDelayMs: 10 },
  'sends chunks some time after their heads': { bodyDelayMs: 8, chunked: true },
  'ends bodies by closing': { endsByClosing: true },
  'compresses for those who ask': { gzipsOnAsking: true, headers: { vary: 'Accept-Encoding' } },
  'compresses with Brotli': { encodes: 'br' },
  'compresses with deflate': { encodes: 'deflate', chunked: true },
  'writes no reason phrase': { reason: '' },
  'writes a reason phrase of its own': { reason: 'No such luck (E-1001)' },
  'offers HTTP/2': { headers: { upgrade: 'h2,h2c', connection: 'Upgrade, Keep-Alive' } },
  'names its limits of connections': {
    headers: { connection: 'keep-alive', 'keep-alive': 'timeout=5, max=100' },
  },
  'announces another protocol': { headers: { 'alt-svc': 'h3=":443"; ma=86400', age: '0' } },
  'writes Latin-1 in headers': { headers: { 'x-region': 'Zürich', 'x-empty': '' } },
  'writes 11 kB of headers': { headers: { 'content-security-policy': POLICY } },
  'sends two Dates': {
    date: (nowMs) => [new Date(nowMs).toUTCString(), new Date(nowMs + 1000).toUTCString()],
  },
  'sends a Date of local time': { date: localDate },
  'sends a Date in ISO 8601': { date: (nowMs) => new Date(nowMs).toISOString() },
  'sends a Date of 1970': { date: () => 'Thu, 01 Jan 1970 00:00:00 GMT' },
  'closes each connection after its first request': { requestsPerConnection: 1 },
  'closes connections that are idle for 20 ms': { idleMs: 20 },
  'has replicas whose clocks differ by 2 s': { clockJitterMs: 2000 },
  'has replicas whose clocks differ by 4 s, some behind': {
    clockJitterMs: 4000,
    clockBehindMs: 2000,
    futureMs: 600_000,
  },
  'refuses with problem+json': { refusalBody: PROBLEM, refusalType: 'application/problem+json' },
  'refuses with SOAP': { refusal: () => 500, refusalBody: SOAP, refusalType: 'text/xml' },
  'refuses with a page that claims to be GBK': {
    refusal: () => 403,
    refusalBody: '<h1>拒绝</h1>',
    refusalType: 'text/html; charset=gbk',
  },
  'refuses with 301 to another host': {
    refusal: () => 301,
    headers: { location: 'https://login.example/?next=%2Fv1' },
  },
  'refuses with 307 to the same path': {
    refusal: () => 307,
    headers: { location: '/some/prefix/v1/oauth/token' },
  },
  'refuses with 404 whatever it is': { refusal: () => 404, errorBody: 'html' },
  'refuses with 406': { refusal: () => 406 },
  'refuses with 408': { refusal: () => 408, headers: { connection: 'close' } },
  'refuses with 417': { refusal: () => 417 },
  'refuses with 444': { refusal: () => 444, errorBody: 'none' },
  'refuses with 451': { refusal: () => 451, errorBody: 'html' },
  'refuses with 501': { refusal: () => 501 },
  'refuses with 502 and HTML': { refusal: () => 502, errorBody: 'html' },
  'refuses with 520': { refusal: () => 520 },
  'refuses with 207 and a list': { refusal: () => 207, refusalBody: '[{"status":400}]' },
  'refuses with a status for each cause': {
    refusal: (why) =>
      ({
        authorization: 401,
        body: 422,
        partner: 404,
        signature: 403,
        grant: 405,
        field: 409,
        time: 412,
        nostr: 428,
        quota: 503,
        banned: 429,
        code: 410,
        refresh: 423,
        token: 440,
        expired: 498,
        scope: 451,
        parameter: 406,
        path: 501,
      })[why] ?? 418,
  },
  'bans with 503 and Retry-After': {
    refusal: (why) => (/quota|banned/.test(why) ? 503 : 400),
    headers: { 'retry-after': '86400' },
  },
  'refuses slowly': { refusalDelayMs: 6 },
  'works on one request at a time': { atOnce: { most: 1, per: 'service' } },
  'works on one request of a partner at a time': { atOnce: { most: 1, per: 'partner' } },
  'works on two requests of a partner at once, slowly': {
    atOnce: { most: 2, per: 'partner' },
    delayMs: 5,
  },
  'refuses a second request of a partner at the same time': {
    atOnce: { most: 1, per: 'partner', status: 409 },
    delayMs: 3,
  },
  'refuses more than four requests at once': {
    atOnce: { most: 4, per: 'service', status: 503 },
    delayMs: 3,
  },
  'limits tokens to 5 per second and partner': perSecond(429, 5, {
    endpoint: 'token',
    per: 'partner',
  }),
  'limits tokens to 4 per second and partner with 403': perSecond(403, 4, {
    endpoint: 'token',
    per: 'partner',
  }),
  'limits tokens to 8 per minute and partner with 403': perMinute(403, 8),
  'limits tokens to 12 per minute and partner with 401': perMinute(401, 12),
  'limits estimates to 30 per second and partner': perSecond(429, 30, {
    endpoint: 'estimate',
    per: 'partner',
  }),
  'limits estimates to 8 per second and partner with 403': perSecond(403, 8, {
    endpoint: 'estimate',
    per: 'partner',
  }),
  'limits all to 60 per second with 420': perSecond(420, 60),
  'limits all to 60 in each second with 403': eachSecond(403, 60),
  'limits all to 20 in each second with 403': eachSecond(403, 20),
  'limits all to 50 per second with 509': perSecond(509, 50),
  'limits all to 80 per second with 400': perSecond(400, 80),
  'limits tokens to 30 per second with 401': perSecond(401, 30, { endpoint: 'token' }),
  'limits tokens to 15 per second with 500': perSecond(500, 15, { endpoint: 'token' }),
  'limits tokens to 6 per second with 500': perSecond(500, 6, { endpoint: 'token' }),
  'limits tokens to 3 per second with 401': perSecond(401, 3, { endpoint: 'token' }),
  'limits tokens to 25 per second by closing': perSecond(0, 25, { endpoint: 'token' }),
  'limits all to 100 per second, Retry-After a date': perSecond(503, 100, {
    retryAfter: 'Fri, 31 Dec 2100 23:59:59 GMT',
  }),
  'answers each 70th with 520': each(520, 70),
  'answers ten in a row with 502': {
    limit: { status: 502, isOver: (number) => number % 400 > 390 },
  },
  'answers nothing but 503 for a moment': {
    limit: { status: 503, isOver: (number) => number > 200 && number < 212 },
  },
  'locks a partner out after 5 wrong signatures': {
    lockout: { after: 5, forMs: 900_000, why: /signature/ },
  },
  'locks a partner out after 3 refusals': {
    lockout: { after: 3, forMs: 60_000, why: /^(?!locked|busy)/ },
  },
  'locks a partner out after 10 wrong tokens': {
    lockout: { after: 10, forMs: 300_000, why: /token|expired/, endpoint: 'estimate' },
  },
};
