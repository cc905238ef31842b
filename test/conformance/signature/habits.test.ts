// @module-tag long
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/conformance/client/parsing/query.ts';
import { checkSignature } from '../../../src/conformance/signature/check-signature.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';
import {
  FIRST_HABITS,
  FOURTH_HABITS,
  REQUESTS,
  SECOND_HABITS,
  THIRD_HABITS,
  type WrongSignature,
} from '../../outside-clients/signature-habits.ts';

const signingKey = 'c2VjcmV0LWtleS1vZi1wYXJ0bmVy';
const FORMER = {
  grant_type: 'refresh_token',
  refresh_token: 'rt-former-77',
  nostr: 'Zz19aA',
  _: '2026-03-01T09:00:07+08:00',
};

/** The diagnosis of a client's signature, in words. */
function diagnosed([, on, , sign, more = {}]: WrongSignature): string {
  const fields = Object.entries({ ...REQUESTS[on], ...more.with });
  const pairs = more.sent?.(fields) ?? fields;
  const encoded = pairs.map((pair) => pair.map((one) => encodeURIComponent(String(one))).join('='));
  const query = more.query?.(encoded.join('&')) ?? encoded.join('&');
  const { parameters, encoded: encodedPairs } = parseQuery(query);
  const diagnosis = checkSignature({
    ...(on === 'estimate'
      ? { kind: on, pairs: parameters, encodedPairs, queryText: query, token: 'tok-1' }
      : { kind: 'token', pairs: Object.fromEntries(pairs), token: null }),
    partner: { id: 'partner-1', signingKey },
    signature: sign(fields, signingKey),
    earlier: { _: [], nostr: [], pairs: [FORMER] },
    signedFields: ALL_FIELDS,
  });
  const mistakes = diagnosis?.mistakes.map(({ id, statement }) => `${id}: ${statement}`) ?? [];
  const words = diagnosis?.encodedTwice ? 'encoded twice' : diagnosis?.verdict;
  return mistakes.join(' and ') || `${words}`;
}

describe('the diagnosis names the mistake of', () => {
  const habits = [...FIRST_HABITS, ...SECOND_HABITS, ...THIRD_HABITS, ...FOURTH_HABITS];
  it.each(habits.map((habit) => [habit[0], habit] as const))('%s', (_mistake, habit) => {
    expect(diagnosed(habit)).toMatch(habit[2]);
  });
});
