import fc from 'fast-check';
import odd from '../../vectors/odd-requests.json' with { type: 'json' };
import { HOSTS, VERSIONS } from '../http/heads.ts';
import type { Pair } from './queries.ts';
import {
  anyPairs,
  change,
  garnish,
  mostly,
  oneOf,
  plainPairs,
  signatureOf,
  written,
} from './queries.ts';
import type { Credentials } from './twins.ts';

const PATH = '/v1/estimates/prices';
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Value of `Authorization`, by the query that it is sent with. */
type Authorize = (list: readonly Pair[]) => string;

function authorizations(known: Credentials): fc.Arbitrary<Authorize> {
  const { partnerId, otherPartnerId, signingKey } = known;
  const tokens = [
    known.platform,
    known.user,
    known.expired,
    known.superseded,
    known.ended,
    known.withoutPublic,
    known.otherPlatform,
    'unknown',
    `${known.platform}x`,
  ];
  const signed =
    (token: string, twist: (signature: string) => string = (same) => same): Authorize =>
    (list) =>
      `Bearer ${partnerId}|${twist(signatureOf(list, signingKey))} openid|${token}`;
  const flip = (signature: string): string =>
    signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const bearer =
    (header: string): Authorize =>
    () =>
      header;
  return fc.oneof(
    { arbitrary: oneOf<Authorize>(bearer(`Bearer ${partnerId}|${known.platform}`)), weight: 6 },
    { arbitrary: oneOf(signed(known.user)), weight: 4 },
    {
      arbitrary: oneOf(
        bearer(`Bearer ${otherPartnerId}|${known.otherPlatform}`),
        bearer(`Bearer ${otherPartnerId}|${known.platform}`),
        bearer(`Bearer nobody|${known.platform}`),
        ...tokens.map((token) => bearer(`Bearer ${partnerId}|${token}`)),
        ...tokens.map((token) => signed(token)),
        signed(known.user, (signature) => signature.toUpperCase()),
        signed(known.user, flip),
        signed(known.user, () => '0'.repeat(32)),
        signed(known.user, () => known.user.slice(0, 1).repeat(32)),
        signed(known.user, (signature) => signature.slice(1)),
        signed(known.user, (signature) => `${signature}0`),
        signed(known.user, () => partnerId),
        bearer(`bearer ${partnerId}|${known.platform}`),
        bearer(`Bearer  ${partnerId}|${known.platform}`),
        bearer(`Bearer ${partnerId}|${known.platform} `),
        bearer(`\t Bearer ${partnerId}|${known.platform}\t`),
        bearer(`Bearer ${partnerId}|${known.platform},`),
        bearer(`Bearer ${partnerId}|${known.platform} openid|${known.user}`),
        bearer(`Bearer ${partnerId}|x  openid|${known.user}`),
        bearer(`Bearer ${partnerId}|${known.platform}|`),
        bearer(`Basic ${partnerId}|${known.platform}`),
        bearer('Bearer |'),
        bearer(''),
      ),
      weight: 5,
    },
  );
}

const REQUEST_LINES: readonly ((target: string) => string)[] = [
  (target) => `HEAD ${target} HTTP/1.1`,
  (target) => `POST ${target} HTTP/1.1`,
  (target) => `OPTIONS ${target} HTTP/1.1`,
  (target) => `get ${target} HTTP/1.1`,
  (target) => `GET  ${target} HTTP/1.1`,
  (target) => `GET\t${target} HTTP/1.1`,
  (target) => ` GET ${target} HTTP/1.1`,
  (target) => `\r\nGET ${target} HTTP/1.1`,
  (target) => `\nGET ${target} HTTP/1.1`,
  (target) => `GET ${target}  HTTP/1.1`,
  (target) => `GET ${target} HTTP/1.1 `,
  (target) => `GET ${target}\tHTTP/1.1`,
  ...VERSIONS.map(
    ([version]) =>
      (target: string) =>
        `GET ${target} ${version}`,
  ),
  (target) => `GET ${target} `,
  (target) => `GET ${target}`,
  (target) => `GET http://x${target} HTTP/1.1`,
  (target) => `GET HTTP://x:80${target} HTTP/1.1`,
  (target) => `GET /${target} HTTP/1.1`,
  (target) => `GET ${target.replace('?', '/?')} HTTP/1.1`,
  (target) => `GET ${target.replace('?', '%3F')} HTTP/1.1`,
  (target) => `GET ${target.replace('v1', 'V1')} HTTP/1.1`,
  (target) => `GET ${target.replace('v1', 'v1/.')} HTTP/1.1`,
  (target) => `GET ${target.replace('?', '?x HTTP/1.1')} HTTP/1.1`,
  () => `GET ${PATH} HTTP/1.1`,
  () => `GET ${PATH}? HTTP/1.1`,
  () => 'GET /healthz HTTP/1.1',
  () => 'PRI * HTTP/2.0',
  () => 'CONNECT x:443 HTTP/1.1',
  () => 'OPTIONS * HTTP/1.1',
];

/** Headers of the public request-smuggling collections, and some harmless ones. */
const ODD_LINES = [
  ...odd.lines,
  ...[7_000, 7_900, 16_300].map((length) => `Accept: ${'x'.repeat(length)}`),
];

/** Requests that the fast path must answer itself. */
export function fastRequests(known: Credentials): fc.Arbitrary<Buffer> {
  const { partnerId, signingKey } = known;
  return fc
    .tuple(plainPairs, oneOf(known.platform, known.user), fc.shuffledSubarray(odd.usualLines))
    .map(([list, token, lines]) => {
      const signature = token === known.user ? `${signatureOf(list, signingKey)} openid|` : '';
      const authorization = `Authorization: Bearer ${partnerId}|${signature}${token}`;
      const head = ['Host: x', ...lines];
      head.splice(list.length % (head.length + 1), 0, authorization);
      return latin1(`GET ${PATH}?${written(list)} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    });
}

/** The same, with another Host, or another number of them. */
function otherHosts(known: Credentials): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fastRequests(known), oneOf(...HOSTS))
    .map(([request, [lines]]) =>
      latin1(request.toString('latin1').replace('Host: x', () => lines.join('\r\n') || 'X-Odd: 1')),
    );
}

/** One request, well-formed or broken in one of many ways. */
export function anyRequest(known: Credentials): fc.Arbitrary<Buffer> {
  const lines = mostly(
    fc.shuffledSubarray(odd.usualLines),
    fc
      .tuple(
        fc.shuffledSubarray(odd.usualLines),
        fc.array(oneOf(...ODD_LINES), { minLength: 1, maxLength: 2 }),
      )
      .map(([usual, others]) => [...usual, ...others]),
    2,
  );
  return fc
    .record({
      list: anyPairs,
      change,
      garnish,
      authorize: authorizations(known),
      line: mostly(
        fc.constant((target: string) => `GET ${target} HTTP/1.1`),
        oneOf(...REQUEST_LINES),
      ),
      lines,
      host: mostly(
        fc.constant<readonly string[]>(['Host: x']),
        oneOf(...HOSTS).map(([hosts]) => hosts),
        20,
      ),
      authorizationAt: fc.nat(9),
      lineEnd: mostly(fc.constant('\r\n'), oneOf('\n', '\r', '\r\r\n', '\n\r'), 30),
      headEnd: mostly(fc.constant('\r\n\r\n'), oneOf('\n\n', '\r\n', '\n\r\n', '\r\n\n', ''), 20),
      body: mostly(fc.constant(''), oneOf(...odd.bodies), 6),
    })
    .map((parts) => {
      const list = parts.change(parts.list);
      const target = `${PATH}?${parts.garnish(written(list))}`;
      const head = [...parts.host, ...parts.lines];
      const authorization = `Authorization: ${parts.authorize(list.length > 0 ? list : parts.list)}`;
      head.splice(parts.authorizationAt % (head.length + 1), 0, authorization);
      const opening = [parts.line(target), ...head].join(parts.lineEnd);
      return latin1(`${opening}${parts.headEnd}${parts.body}`);
    });
}

/** The same bytes with up to three of them changed, taken out or put in. */
function mutated(requests: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    kind: oneOf('set', 'cut', 'insert'),
    at: fc.nat(500),
    byte: fc.oneof(fc.nat(255), oneOf(0x00, 0x09, 0x0a, 0x0d, 0x20, 0x25, 0x26, 0x2b, 0x3a, 0x3d)),
  });
  return fc
    .tuple(requests, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([request, edits]) =>
      edits.reduce((bytes, { kind, at, byte }) => {
        const place = at % (bytes.length + 1);
        const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
        switch (kind) {
          case 'set':
            return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
          case 'cut':
            return Buffer.concat([before, after.subarray(1)]);
          default:
            return Buffer.concat([before, Buffer.of(byte), after]);
        }
      }, request),
    );
}

const HEALTH = latin1('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');

/** A token request, with its body as it is or in chunks; it is refused. */
function tokenRequests(known: Credentials): fc.Arbitrary<Buffer> {
  const head = `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${known.partnerId}|${'0'.repeat(32)}\r\n`;
  return oneOf(
    latin1(`${head}Content-Length: 2\r\n\r\n{}`),
    latin1(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x\r\n}\r\n0\r\n\r\n`),
    latin1(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\nX: y\r\n\r\n`),
  );
}

/** A header that the fast path does not know. */
const UNKNOWN_LINE = 'X-Odd: 1\r\n';

/** Checks whether the fast path answers a request of {@link keptMixes}. */
export function isForFastPath(request: Buffer): boolean {
  return request.includes(`GET ${PATH}`) && !request.includes(UNKNOWN_LINE);
}

/** Requests of which each keeps its connection, some for the fast path and some for the parser. */
export function keptMixes(known: Credentials): fc.Arbitrary<Buffer[]> {
  const other = (request: Buffer): Buffer =>
    latin1(request.toString('latin1').replace('\r\n', `\r\n${UNKNOWN_LINE}`));
  const fast = fastRequests(known);
  const requests = fc.oneof(
    { arbitrary: fast, weight: 3 },
    { arbitrary: fast.map(other), weight: 1 },
    { arbitrary: tokenRequests(known), weight: 1 },
    { arbitrary: oneOf(HEALTH, latin1(`\r\n${HEALTH.toString()}`)), weight: 1 },
  );
  return fc.array(requests, { minLength: 2, maxLength: 8 });
}

/** The bytes of a connection, in segments. */
export function conversations(known: Credentials): fc.Arbitrary<Buffer[]> {
  const any = anyRequest(known);
  const request = fc.oneof(
    { arbitrary: any, weight: 6 },
    { arbitrary: mutated(any), weight: 2 },
    { arbitrary: fastRequests(known), weight: 2 },
    { arbitrary: mutated(fastRequests(known)), weight: 1 },
    { arbitrary: otherHosts(known), weight: 1 },
    { arbitrary: fc.oneof(oneOf(HEALTH), tokenRequests(known)), weight: 1 },
  );
  return fc
    .tuple(
      fc.oneof(
        fc.array(request, { minLength: 1, maxLength: 1 }),
        fc.array(request, { minLength: 1, maxLength: 5 }),
      ),
      // The answer to this request shows whether the connection was kept.
      fc.oneof(
        fc.constant([HEALTH]),
        fastRequests(known).map((last) => [last]),
        fc.constant<Buffer[]>([]),
      ),
      mostly(fc.constant<number[]>([]), fc.array(fc.nat(1_500), { maxLength: 5 }), 2),
    )
    .map(([requests, last, cuts]) => split(Buffer.concat([...requests, ...last]), cuts));
}

/** The bytes, cut at those places. */
export function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))]
    .filter((place) => place > 0)
    .sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}
