import { LIMITS, SCOPES } from '../../../interface/limits.ts';
import { parseIso8601 } from '../parsing/iso8601.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import { grantOf, type Traffic } from '../traffic/traffic.ts';
import { type ClientCheck, type ClientOutcome, checkEach, quoted } from './check.ts';

const NOSTR = new RegExp(`^[0-9A-Za-z]{${LIMITS.nostrLength}}$`);
const ON_BEHALF = ['public', 'rides.read', 'rides.request'];

/** What stands in the fields of a token request (interface.md, "Token request body"). */
export const TOKEN_FIELD_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/timestamp-iso8601',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter((request) => hasField(request, '_')),
        {
          one: 'a token request with `_`',
          expected: '`_` in ISO 8601, such as 2026-03-01T08:30:00+08:00',
          held: 'each `_` is ISO 8601',
        },
        (request) => (timeOf(request) === null ? `_ is ${quoted(fieldOf(request, '_'))}` : null),
      ),
  },
  {
    rule: 'client/timestamp-fresh',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter((request) => timeOf(request) !== null),
        {
          one: 'a token request with a time in `_`',
          expected: `\`_\` within ${LIMITS.timestampValiditySeconds} s of the server's clock`,
          held: 'each `_` is fresh',
        },
        staleness,
      ),
  },
  {
    rule: 'client/nostr',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter((request) => hasField(request, 'nostr')),
        {
          one: 'a token request with nostr',
          expected: `nostr of ${LIMITS.nostrLength} digits and letters`,
          held: 'each nostr is six digits and letters',
        },
        (request) => {
          const nostr = fieldOf(request, 'nostr');
          return NOSTR.test(String(nostr)) ? null : `nostr is ${quoted(nostr)}`;
        },
      ),
  },
  { rule: 'client/nostr-random', judge: judgeNostrRepeats },
  {
    rule: 'client/scope-known',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests,
        {
          one: 'a token request',
          expected: `scopes of ${SCOPES.join(', ')}, separated by spaces`,
          held: 'no other scope than the named ones is requested',
        },
        (request) => {
          const unknown = scopesOf(request).filter(
            (scope) => !SCOPES.some((known) => known === scope),
          );
          return unknown.length > 0 ? `the scope ${unknown.map(quoted).join(', ')}` : null;
        },
      ),
  },
  {
    rule: 'client/scope-on-behalf',
    judge: ({ tokenRequests }) =>
      checkEach(
        tokenRequests.filter((request) => grantOf(request) === 'authorization_code'),
        {
          one: "a request for a user's token",
          expected: `the scopes ${ON_BEHALF.join(', ')} for a user's token`,
          held: 'what an order on behalf of a user needs is requested',
        },
        (request) => {
          const scopes = scopesOf(request);
          const lacking = ON_BEHALF.filter((scope) => !scopes.includes(scope));
          return lacking.length > 0 ? `a request without ${lacking.join(', ')}` : null;
        },
      ),
  },
];

const fieldOf = ({ token }: ParsedRequest, name: string): unknown => token?.fields[name];

function hasField(request: ParsedRequest, name: string): boolean {
  const value = fieldOf(request, name);
  return value !== undefined && value !== null && value !== '';
}

function timeOf(request: ParsedRequest): number | null {
  const value = fieldOf(request, '_');
  return typeof value === 'string' ? (parseIso8601(value)?.ms ?? null) : null;
}

function staleness(request: ParsedRequest): string | null {
  const ms = timeOf(request) ?? 0;
  const apartS = Math.round((ms - request.receivedMs) / 1000);
  if (Math.abs(apartS) <= LIMITS.timestampValiditySeconds) return null;
  const text = quoted(fieldOf(request, '_'));
  const read = parseIso8601(String(fieldOf(request, '_')));
  const zone = read?.hasOffset === false ? '; it names no zone and is read as UTC' : '';
  return `_ is ${text}, ${Math.abs(apartS)} s ${apartS < 0 ? 'behind' : 'ahead'}${zone}`;
}

/** Whether a nostr repeats, in one scenario or across several. */
export function judgeNostrRepeats({ tokenRequests }: Traffic): ClientOutcome {
  const firstBy = new Map<string, ParsedRequest>();
  const withNostr = tokenRequests.filter((request) => hasField(request, 'nostr'));
  const violations = withNostr.flatMap((request) => {
    const nostr = String(fieldOf(request, 'nostr'));
    const first = firstBy.get(nostr);
    if (first === undefined) {
      firstBy.set(nostr, request);
      return [];
    }
    return [
      {
        exchange: request.id,
        beside: [first.id],
        expected: 'a new random nostr for each token request',
        got: `nostr ${quoted(nostr)} a second time, as in ${first.id}`,
      },
    ];
  });
  return {
    violations,
    judged: withNostr.length > 1 ? withNostr.map(({ id }) => id) : [],
    held: 'no nostr repeats',
    missing: 'a second token request was not sent',
  };
}

function scopesOf(request: ParsedRequest): string[] {
  const scope = fieldOf(request, 'scope');
  if (scope === undefined || scope === null || scope === '') return [];
  return typeof scope === 'string'
    ? scope.split(/\s+/).filter((part) => part !== '')
    : [JSON.stringify(scope)];
}
