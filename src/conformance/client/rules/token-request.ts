import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import {
  GRANT_TYPES,
  type GrantType,
  LIMITS,
  SCOPES,
  TOKEN_PATH,
} from '../../../interface/limits.ts';
import { parseIso8601 } from '../../iso8601.ts';
import { grantOf } from '../traffic/request-fields.ts';
import type { Traffic } from '../traffic/traffic.ts';
import {
  type CheckOutcome,
  type ClientCheck,
  everyRequest,
  isPath,
  quoted,
  repeats,
  type Violation,
} from './check.ts';

/** Paths of all requests (interface.md, "Versioning"). */
export const PATH_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/path-version', null, {
    where: ({ kind }) => kind !== 'malformed',
    noun: 'request',
    expected: 'a path below /v1/',
    passed: 'every path starts with /v1/',
    fault: ({ path }) => (path.startsWith('/v1/') ? null : `the path ${quoted(path)}`),
  }),
];

/** The form of a token request (interface.md, "1. Request, refresh or exchange a token"). */
export const TOKEN_REQUEST_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/token-method', 'token', {
    expected: `POST ${TOKEN_PATH}`,
    passed: `each token request is a POST to ${TOKEN_PATH}`,
    fault: (request, { tokenRequests }) => {
      const { method, path } = request;
      if (method === 'POST' && isPath(path, TOKEN_PATH)) return null;
      const before = tokenRequests[tokenRequests.indexOf(request) - 1];
      const isRedirected = method === 'GET' && /^30[123]$/.test(String(before?.answer.status));
      const after = `, after ${before?.id} was answered with ${before?.answer.status}: follow no redirect`;
      return `${method} ${path}${isRedirected ? after : ''}`;
    },
  }),
  everyRequest('client/token-content-type', 'token', {
    where: ({ method }) => method !== 'GET',
    expected: 'Content-Type: application/json, and a JSON object as the body',
    passed: 'each token request is JSON and declares it',
    fault: ({ contentType, token }) => {
      const type = contentType?.split(';')[0]?.trim().toLowerCase();
      if (type !== 'application/json') return `Content-Type: ${contentType ?? 'none'}`;
      if (token?.body === 'json') return null;
      return token?.fault ?? 'a body that is not a JSON object';
    },
  }),
  everyRequest('client/token-authorization', 'token', {
    expected: 'Authorization: Bearer ID|SIGN, with the partner id that was given',
    passed: 'each token request carries Bearer ID|SIGN',
    fault: ({ authorization, partnerKnown }) => {
      if (authorization.form !== 'pair') return authorization.shape;
      return partnerKnown === false ? `the partner id ${quoted(authorization.partnerId)}` : null;
    },
  }),
  everyRequest('client/grant-fields', 'token', {
    where: ({ token }) => token?.body !== 'other',
    noun: 'token request with a readable body',
    expected: 'grant_type, _, nostr and what the grant needs, each a string',
    passed: 'each grant carries its fields',
    fault: fieldsFault,
  }),
];

const FIELDS_OF_GRANT: Readonly<Record<GrantType, readonly string[]>> = {
  client_credentials: [],
  refresh_token: ['refresh_token'],
  authorization_code: ['auth_code'],
};

function fieldsFault(request: ParsedRequest): string | null {
  const fields = request.token?.fields ?? {};
  const grant = grantOf(request);
  if (grant === null) {
    return `grant_type is ${quoted(fields['grant_type'])}, none of ${GRANT_TYPES.join(', ')}`;
  }
  for (const name of ['_', 'nostr', ...FIELDS_OF_GRANT[grant]]) {
    const value = fields[name];
    if (!isPresent(value)) return `${grant} without ${name}`;
    if (typeof value !== 'string') return `${name} is a ${typeof value}: ${quoted(value)}`;
  }
  const scope = fields['scope'] ?? '';
  return typeof scope === 'string' ? null : `scope is not a string: ${quoted(scope)}`;
}

const NOSTR = new RegExp(`^[0-9A-Za-z]{${LIMITS.nostrLength}}$`);
const ON_BEHALF = ['public', 'rides.read', 'rides.request'];

/** The fields of a token request (interface.md, "Token request body" and "Scope values"). */
export const TOKEN_FIELD_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/timestamp-iso8601', 'token', {
    where: (request) => isPresent(field(request, '_')),
    noun: 'token request with `_`',
    expected: '`_` in ISO 8601, such as 2026-03-01T08:30:00+08:00',
    passed: 'each `_` is ISO 8601',
    fault: (request) => (timeOf(request) === null ? `_ is ${quoted(field(request, '_'))}` : null),
  }),
  { rule: 'client/timestamp-fresh', judge: judgeFreshness },
  everyRequest('client/nostr', 'token', {
    where: (request) => isPresent(field(request, 'nostr')),
    noun: 'token request with nostr',
    expected: `nostr of ${LIMITS.nostrLength} digits and letters`,
    passed: 'each nostr is six digits and letters',
    fault: (request) => {
      const nostr = field(request, 'nostr');
      return NOSTR.test(String(nostr)) ? null : `nostr is ${quoted(nostr)}`;
    },
  }),
  { rule: 'client/nostr-random', judge: judgeNostrRepeats },
  everyRequest('client/scope-known', 'token', {
    expected: `scopes of ${SCOPES.join(', ')}, separated by spaces`,
    passed: 'only documented scopes are requested',
    fault: (request) => {
      const known: readonly string[] = SCOPES;
      const unknown = scopesOf(request).filter((scope) => !known.includes(scope));
      return unknown.length > 0 ? `the scope ${unknown.map(quoted).join(', ')}` : null;
    },
    doubt: (request) => {
      const scope = field(request, 'scope');
      const isOdd = typeof scope === 'string' && /^\s|\s$|\s\s/.test(scope);
      return isOdd ? `the scope ${quoted(scope)}, with more spaces than one between two` : null;
    },
  }),
  everyRequest('client/scope-on-behalf', 'token', {
    where: (request) => grantOf(request) === 'authorization_code',
    noun: "request for a user's token",
    expected: `the scopes ${ON_BEHALF.join(', ')} for a user's token`,
    passed: 'the scopes for orders on behalf of a user are requested',
    fault: (request) => {
      const scopes = scopesOf(request);
      const missing = ON_BEHALF.filter((scope) => !scopes.includes(scope));
      return missing.length > 0 ? `a request without ${missing.join(', ')}` : null;
    },
  }),
];

const EVERY_TIME_FRESH = everyRequest('client/timestamp-fresh', 'token', {
  where: (request) => timeOf(request) !== null,
  noun: 'token request with a time in `_`',
  expected: `\`_\` within ${LIMITS.timestampValiditySeconds} s of the server's clock`,
  passed: "each `_` is close enough to the server's clock",
  fault: staleness,
});

/** Time between two requests after which they cannot have the same `_`, besides its precision, ms. */
const CLOCK_READ_APART_MS = 1000;

/** A client that reads the clock once sends a `_` that becomes too old. */
function judgeFreshness(traffic: Traffic): CheckOutcome {
  const timed = traffic.tokenRequests.filter((request) => timeOf(request) !== null);
  const warnings = repeats(timed, (request) => String(field(request, '_'))).flatMap(
    ([first, again]): Violation | [] => {
      const apartMs = again.receivedMs - first.receivedMs;
      const text = String(field(again, '_'));
      if (apartMs <= precisionMs(text) + CLOCK_READ_APART_MS) return [];
      return {
        exchange: again.id,
        related: [first.id],
        expected: 'the current time in each `_`',
        got: `_ is ${quoted(text)} again, ${Math.round(apartMs / 1000)} s after ${first.id}`,
      };
    },
  );
  return { ...EVERY_TIME_FRESH.judge(traffic), warnings };
}

/** The unit of the last part of a time: a second or less, a minute or an hour. */
function precisionMs(text: string): number {
  const digits = (/T([\d:]+)/.exec(text)?.[1] ?? '').replaceAll(':', '').length;
  return digits >= 6 ? 1000 : digits >= 4 ? 60_000 : 3_600_000;
}

/** Judges whether a nostr repeats, in one scenario or across several. */
export function judgeNostrRepeats({ tokenRequests }: Pick<Traffic, 'tokenRequests'>): CheckOutcome {
  const sent = tokenRequests
    .map((request) => ({ request, nostr: field(request, 'nostr') }))
    .filter(({ nostr }) => isPresent(nostr));
  const violations = repeats(sent, ({ nostr }) => String(nostr)).map(
    ([first, { request, nostr }]) => ({
      exchange: request.id,
      related: [first.request.id],
      expected: 'a new random nostr for each token request',
      got: `nostr ${quoted(String(nostr))} a second time, as in ${first.request.id}`,
    }),
  );
  return {
    violations,
    judged: sent.length > 1 ? sent.map(({ request }) => request.id) : [],
    passed: 'no nostr repeats',
    missing: 'no second token request was sent',
  };
}

const field = ({ token }: ParsedRequest, name: string): unknown => token?.fields[name];

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '';

function timeOf(request: ParsedRequest): number | null {
  const value = field(request, '_');
  return typeof value === 'string' ? (parseIso8601(value)?.ms ?? null) : null;
}

/** Age of a `_` that is too old by this machine's clock as it was and as it was set in the run; null if one permits it. */
function staleness(request: ParsedRequest, { clockSetsMs }: Traffic): string | null {
  const { receivedMs, clockSetByMs = 0 } = request;
  const sentMs = timeOf(request) ?? 0;
  const isFresh = clockSetsMs.some((byMs) => {
    const offsetMs = sentMs - (receivedMs - clockSetByMs + byMs);
    return Math.abs(Math.round(offsetMs / 1000)) <= LIMITS.timestampValiditySeconds;
  });
  if (isFresh) return null;
  const offsetS = Math.round((sentMs - receivedMs) / 1000);
  const text = String(field(request, '_'));
  const zone = parseIso8601(text)?.hasOffset === false ? '; without a zone it is taken as UTC' : '';
  return `_ is ${quoted(text)}, ${Math.abs(offsetS)} s ${offsetS < 0 ? 'behind' : 'ahead'}${zone}`;
}

function scopesOf(request: ParsedRequest): string[] {
  const scope = field(request, 'scope');
  if (!isPresent(scope)) return [];
  return typeof scope === 'string' ? (scope.match(/\S+/g) ?? []) : [JSON.stringify(scope)];
}
