import { expect, it } from 'vitest';
import { judgeClient } from '../../../../src/conformance/client/judging/judge-client.ts';
import { listeningRecord } from '../../../../src/conformance/client/judging/rule-result.ts';
import { estimate, observe, refresh, tokenRequest } from '../client-traffic.ts';

const lost = { took: null, stimuli: ['lost-answer' as const] };

/** The verdicts of the rules that are broken or open for another one's violation. */
function verdictsOn(...traffic: Parameters<typeof observe>[0]): Record<string, string> {
  const { rules } = judgeClient([listeningRecord(observe(traffic), true)], 'no');
  return Object.fromEntries(
    rules
      .filter(({ verdict, reason }) => /fail|warn/.test(verdict) || reason.includes('follows'))
      .map(({ id, verdict, reason }) => [id, verdict === 'inconclusive' ? reason : verdict]),
  );
}

it('finds a wrong path once, and leaves open what could not be judged for its refusal', () => {
  const target = '/v1.0/oauth/token';
  expect(verdictsOn(tokenRequest('a', { target }))).toEqual({ 'client/path-version': 'fail' });
  expect(verdictsOn(tokenRequest('a', { target, status: 404 }))).toMatchObject({
    'client/path-version': 'fail',
    'client/estimate-method': 'follows from client/path-version',
  });
});

it('leaves open what a mistake in the same request explains', () => {
  const again = { at: 10, fields: { nostr: 'ab/d1' } };
  expect(
    verdictsOn(tokenRequest('a', { fields: { nostr: 'ab/d1' } }), tokenRequest('b', again)),
  ).toEqual({
    'client/nostr': 'fail',
    'client/nostr-random': 'follows from client/nostr',
  });
});

it('finds a nostr of the right form that repeats', () => {
  const fields = { nostr: 'abcdef' };
  expect(verdictsOn(tokenRequest('a', { fields }), tokenRequest('b', { at: 10, fields }))).toEqual({
    'client/nostr-random': 'warn',
  });
});

it('leaves open a course that refusals for another mistake explain', () => {
  const post = (at: number) => estimate('a', { at, method: 'POST', status: 400 });
  const refreshes = Array.from({ length: 11 }, (_, at) =>
    refresh(at === 0 ? 'a' : `r${at}`, `r${at + 1}`, { at: 100 * (at + 1) }),
  );
  const wrong = verdictsOn(tokenRequest('a'), post(50), ...refreshes);
  expect(wrong).toMatchObject({
    'client/estimate-method': 'fail',
    'client/quota-refresh': 'follows from client/estimate-method',
  });
  expect(verdictsOn(tokenRequest('a'), ...refreshes)).toMatchObject({
    'client/quota-refresh': 'fail',
  });
});

it('finds a refresh_token that is sent again after a lost answer once', () => {
  const traffic = [tokenRequest('a', {}, 2), refresh('a', 'b', { at: 2100, ...lost })];
  expect(verdictsOn(...traffic, refresh('a', 'c', { at: 2700 }))).toMatchObject({
    'client/refresh-single-use': 'fail',
    'client/lost-answer-handled': 'follows from client/refresh-single-use',
  });
});
