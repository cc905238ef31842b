import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { explainSignature, sign } from '../../../../src/interface/index.ts';
import {
  estimate,
  expectJudgement,
  judge,
  KNOWN_PARTNER,
  outcomeOf,
  type RuleCase,
  tokenRequest,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/signature',
    [tokenRequest('a'), userToken('u', { at: 1 }), userEstimate('u', { at: 2 })],
    [tokenRequest('a', { headers: { authorization: `Bearer p-1|${'0'.repeat(32)}` } })],
    /no known mistake/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it('is judged by the requests that carry one', () => {
  const traffic = [tokenRequest('a'), estimate('a', { at: 1 }), userToken('u', { at: 2 })];
  expect(outcomeOf('client/signature', traffic).judged).toEqual(['x1', 'x3']);
});

it.each([
  [97, /single-md5/],
  [98, /it has more than 100 fields, so no mistake was looked for; check/],
])('looks for a mistake in up to 100 fields, and says so: %i more than usual', (more, words) => {
  const added = Array.from({ length: more }, (_, at) => [`field${at}`, 'v'] as const);
  const fields = { grant_type: 'a', nostr: 'a1B2c3', _: 'b', ...Object.fromEntries(added) };
  const { canonical } = explainSignature(fields, '');
  const signature = hash('md5', canonical + KNOWN_PARTNER.signingKey);
  const headers = { authorization: `Bearer p-1|${signature}` };
  expect(judge('client/signature', [tokenRequest('a', { fields, headers })]).got).toEqual([
    expect.stringMatching(words),
  ]);
});

it('accepts a signature that is right under another answer to a gap', () => {
  const places = { places: ['a/b'] };
  expect(judge('client/signature', [tokenRequest('a', { fields: places })]).got).toEqual([]);
});

it('shows a signature that is explained before one that is not', { tags: ['long'] }, () => {
  const unexplained = { headers: { authorization: `Bearer p-1|${'0'.repeat(32)}` } };
  const fields = { grant_type: 'client_credentials', _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };
  const signed = sign({ ...fields, _: '2026-03-02T11:59:59Z' }, KNOWN_PARTNER.signingKey);
  const explained = { fields, headers: { authorization: `Bearer p-1|${signed}` } };
  const traffic = [tokenRequest('a', unexplained), tokenRequest('b', { at: 9, ...explained })];
  const { got } = judge('client/signature', traffic);
  expect(got).toEqual([
    expect.stringContaining('other-value:_'),
    // Nothing is known of the text that was signed.
    expect.stringMatching(/no known mistake.*once to send\.$/),
  ]);
});

it('explains a signature with the signed text and the text that should have been signed', () => {
  const fields = { grant_type: 'client_credentials', _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };
  const signedText = 'grant_type=client_credentials&_=2026-03-02T12:00:00Z&nostr=a1B2c3';
  const signed = hash('md5', hash('md5', signedText) + KNOWN_PARTNER.signingKey);
  const headers = { authorization: `Bearer p-1|${signed}` };
  const [reason] = judge('client/signature', [tokenRequest('a', { fields, headers })]).got;
  expect(reason).toMatch(/is made of unsorted pairs \(order-unsorted\): Sort the pairs/);
  expect(reason).toContain(`Signed: ${signedText}`);
});

it('names a time that was read twice', () => {
  const fields = { grant_type: 'client_credentials', nostr: 'a1B2c3' };
  const signed = sign({ ...fields, _: '2026-03-02T12:00:00.000100+00:00' }, 'A Key Of Some Length');
  const sent = tokenRequest('a', {
    fields: { ...fields, _: '2026-03-02T12:00:00.000173+00:00' },
    headers: { authorization: `Bearer p-1|${signed}` },
  });
  expect(judge('client/signature', [sent]).got[0]).toMatch(/another "_" than the sent one/);
});

it.each([
  [['nostr', '_', 'grant_type'], /in an order that changes \(order-/],
  [['grant_type', '_', 'nostr'], /is made of unsorted pairs/],
])('says whether the order %j beside the sent one is another one', (names, words) => {
  const fields: Record<string, string> = {
    grant_type: 'client_credentials',
    _: '2026-03-02T12:00:00Z',
    nostr: 'a1B2c3',
  };
  const traffic = [Object.keys(fields), names].map((order, at) => {
    const text = order.map((name) => `${name}=${fields[name]}`).join('&');
    const signed = hash('md5', hash('md5', text) + KNOWN_PARTNER.signingKey);
    return tokenRequest(`a${at}`, {
      at,
      fields,
      headers: { authorization: `Bearer p-1|${signed}` },
    });
  });
  expect(judge('client/signature', traffic).got[0]).toMatch(words);
});
