import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { LIMITS, SCOPES } from '../../../interface/limits.ts';
import { parseIso8601 } from '../parsing/iso8601.ts';
import { grantOf } from '../traffic/request-fields.ts';
import type { Traffic } from '../traffic/traffic.ts';
import { type CheckOutcome, type ClientCheck, everyRequest, quoted } from './check.ts';

const NOSTR = new RegExp(`^[0-9A-Za-z]{${LIMITS.nostrLength}}$`);
const ON_BEHALF = ['public', 'rides.read', 'rides.request'];

/** The fields of a token request (interface.md, "Token request body" and "Scope values"). */
export const TOKEN_FIELD_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/timestamp-iso8601', {
    of: ({ tokenRequests }) => tokenRequests.filter((request) => hasField(request, '_')),
    noun: 'token request with `_`',
    expected: '`_` in ISO 8601, such as 2026-03-01T08:30:00+08:00',
    passed: 'each `_` is ISO 8601',
    fault: (request) => (timeOf(request) === null ? `_ is ${quoted(field(request, '_'))}` : null),
  }),
  everyRequest('client/timestamp-fresh', {
    of: ({ tokenRequests }) => tokenRequests.filter((request) => timeOf(request) !== null),
    noun: 'token request with a time in `_`',
    expected: `\`_\` within ${LIMITS.timestampValiditySeconds} s of the server's clock`,
    passed: "each `_` is close enough to the server's clock",
    fault: staleness,
  }),
  everyRequest('client/nostr', {
    of: ({ tokenRequests }) => tokenRequests.filter((request) => hasField(request, 'nostr')),
    noun: 'token request with nostr',
    expected: `nostr of ${LIMITS.nostrLength} digits and letters`,
    passed: 'each nostr is six digits and letters',
    fault: (request) => {
      const nostr = field(request, 'nostr');
      return NOSTR.test(String(nostr)) ? null : `nostr is ${quoted(nostr)}`;
    },
  }),
  { rule: 'client/nostr-random', judge: judgeNostrRepeats },
  everyRequest('client/scope-known', {
    of: ({ tokenRequests }) => tokenRequests,
    noun: 'token request',
    expected: `scopes of ${SCOPES.join(', ')}, separated by spaces`,
    passed: 'only documented scopes are requested',
    fault: (request) => {
      const known: readonly string[] = SCOPES;
      const unknown = scopesOf(request).filter((scope) => !known.includes(scope));
      return unknown.length > 0 ? `the scope ${unknown.map(quoted).join(', ')}` : null;
    },
  }),
  everyRequest('client/scope-on-behalf', {
    of: ({ tokenRequests }) =>
      tokenRequests.filter((request) => grantOf(request) === 'authorization_code'),
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

/** Judges whether a nostr repeats, in one scenario or across several. */
export function judgeNostrRepeats({ tokenRequests }: Pick<Traffic, 'tokenRequests'>): CheckOutcome {
  const withNostr = tokenRequests.filter((request) => hasField(request, 'nostr'));
  const firstWith = new Map<string, ParsedRequest>();
  const violations = withNostr.flatMap((request) => {
    const nostr = String(field(request, 'nostr'));
    const first = firstWith.get(nostr);
    if (first === undefined) {
      firstWith.set(nostr, request);
      return [];
    }
    return {
      exchange: request.id,
      related: [first.id],
      expected: 'a new random nostr for each token request',
      got: `nostr ${quoted(nostr)} a second time, as in ${first.id}`,
    };
  });
  return {
    violations,
    judged: withNostr.length > 1 ? withNostr.map(({ id }) => id) : [],
    passed: 'no nostr repeats',
    missing: 'no second token request was sent',
  };
}

const field = ({ token }: ParsedRequest, name: string): unknown => token?.fields[name];

function hasField(request: ParsedRequest, name: string): boolean {
  const value = field(request, name);
  return value !== undefined && value !== null && value !== '';
}

function timeOf(request: ParsedRequest): number | null {
  const value = field(request, '_');
  return typeof value === 'string' ? (parseIso8601(value)?.ms ?? null) : null;
}

function staleness(request: ParsedRequest): string | null {
  const offsetS = Math.round(((timeOf(request) ?? 0) - request.receivedMs) / 1000);
  if (Math.abs(offsetS) <= LIMITS.timestampValiditySeconds) return null;
  const text = String(field(request, '_'));
  const zone = parseIso8601(text)?.hasOffset === false ? '; without a zone it is taken as UTC' : '';
  return `_ is ${quoted(text)}, ${Math.abs(offsetS)} s ${offsetS < 0 ? 'behind' : 'ahead'}${zone}`;
}

function scopesOf(request: ParsedRequest): string[] {
  const scope = field(request, 'scope');
  if (scope === undefined || scope === null || scope === '') return [];
  return typeof scope === 'string'
    ? scope.split(/\s+/).filter((part) => part !== '')
    : [JSON.stringify(scope)];
}
