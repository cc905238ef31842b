import { describe, expect, it } from 'vitest';
import {
  causeShownBy,
  type RefusingAnswer,
  remedyOfRefusal,
} from '../../src/interface/refusal-cause.ts';

const URL = 'http://service.test';
const USED_UP = /its allowances are used up/;

const answer = (changes: Partial<RefusingAnswer> = {}): RefusingAnswer => ({
  status: 401,
  headers: {},
  body: '',
  skewMs: 0,
  ...changes,
});

const ahead = (minutes: number): RefusingAnswer => answer({ skewMs: minutes * 60_000 });

describe('where earlier runs may have used the allowances up', () => {
  it.each([
    ['{"code":"signature-invalid"}', /signingKey/],
    ['The signature is wrong.', /signingKey/],
    ['{"message":"the timestamp is too old"}', /^Compare the clocks/],
    ['unknown partner', /partner id/],
    ['{"code":"quota-exceeded"}', USED_UP],
    ['the partner is banned', USED_UP],
    ['you exceed what this partner may sign', USED_UP],
    ['no', USED_UP],
    ['', USED_UP],
  ])('an answer of %j is not contradicted', (body, remedy) => {
    expect(remedyOfRefusal(answer({ body }), URL, { mayBeUsedUp: true })).toMatch(remedy);
  });

  it('a status of 429 is that of a limit, whatever the words', () => {
    expect(causeShownBy(answer({ status: 429, body: 'signature' }), URL)).toBeNull();
  });
});

it('clocks that are further apart than a `_` is valid are the cause', () => {
  for (const minutes of [-15, 15]) {
    const cause = causeShownBy(ahead(minutes), URL);
    expect(cause?.finding).toContain(minutes < 0 ? '15 minutes behind' : '15 minutes ahead of');
    expect(cause?.remedy).toBe('Set the clock that is wrong.');
  }
  expect(causeShownBy(ahead(9), URL)).toBeNull();
});

it('so are a redirect, and a port that speaks https', () => {
  const location = 'https://service.test/v1/oauth/token';
  expect(causeShownBy(answer({ status: 301, headers: { location } }), URL)?.remedy).toBe(
    'Write the address with https in baseUrl.',
  );
  const body = 'The plain HTTP request was sent to HTTPS port';
  expect(causeShownBy(answer({ status: 400, body }), URL)?.finding).toMatch(/speaks https/);
});

it('without any of these the profile is suspected', () => {
  expect(remedyOfRefusal(answer(), URL, { mayBeUsedUp: false })).toMatch(/^Check partner id/);
});

it('of a partner that a control API made is not in the profile', () => {
  const isFresh = true;
  for (const body of ['', 'invalid signature', 'unknown partner'])
    expect(remedyOfRefusal(answer({ body }), URL, { mayBeUsedUp: false, isFresh })).toMatch(
      /^The control API made the partner/,
    );
  const body = 'the timestamp is too old';
  expect(remedyOfRefusal(answer({ body }), URL, { mayBeUsedUp: false, isFresh })).toMatch(
    /^Compare the clocks/,
  );
});
