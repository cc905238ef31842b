import { expect, it } from 'vitest';
import type {
  EstimateAnswer,
  Expects,
} from '../../../../src/conformance/service/contract/messages.ts';
import { SeenTraffic } from '../../../../src/conformance/service/contract/seen-traffic.ts';

function answerOf(body: string, exchange: string): EstimateAnswer {
  const json: unknown = JSON.parse(body);
  return {
    exchange,
    status: 200,
    headers: {},
    body,
    truncated: false,
    json,
    outcome: 'accepted',
    failure: '',
    sentAtMs: 0,
    answeredAtMs: 0,
    records: json as EstimateAnswer['records'],
  };
}

const FACTS = { shapes: [], metered: false };

it('keeps usual answers whole, however many, and long ones up to its limit', () => {
  const seen = new SeenTraffic();
  const see = (body: string, exchange: string): void =>
    seen.estimateSeen({ answer: answerOf(body, exchange), query: {}, shape: null, as: 'platform' });
  const usual = JSON.stringify([{ product_type: 'private-car', estimate_price: 1 }]);
  for (let at = 0; at < 10_000; at++) see(usual, `x${at}`);
  expect(seen.estimates.every(({ answer }) => answer.body === usual)).toBe(true);
  const empties = `[${'{},'.repeat(100_000)}{}]`;
  for (let at = 0; at < 20; at++) see(empties, `y${at}`);
  expect(seen.estimates).toHaveLength(10_020);
  const last = seen.estimates.at(-1)?.answer;
  expect(last).toMatchObject({ exchange: 'y19', truncated: true, records: [], body: '' });
});

it('keeps some fifty estimates of 240 records: a run of them stays within 300 MB', () => {
  const seen = new SeenTraffic();
  const record = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`field_${at}`, 'value']),
  );
  const body = JSON.stringify(Array.from({ length: 240 }, () => record));
  for (let at = 0; at < 100; at++)
    seen.estimateSeen({ answer: answerOf(body, 'x'), query: {}, shape: null, as: 'platform' });
  const whole = seen.estimates.filter(({ answer }) => !answer.truncated);
  expect(whole.length).toBeGreaterThan(40);
  expect(whole.length).toBeLessThan(60);
});

it('keeps tokens whole after long estimates', () => {
  const seen = new SeenTraffic();
  const see = (body: string): boolean => {
    const answer = answerOf(body, 'x');
    seen.estimateSeen({ answer, query: {}, shape: null, as: 'platform' });
    return seen.estimates.at(-1)?.answer.truncated === false;
  };
  for (const body of [`[${'{},'.repeat(100_000)}{}]`, '[]']) {
    let isKept = true;
    while (isKept) isKept = see(body);
  }
  const answer = answerOf('{"access_token":"at"}', 'y1');
  const issued = { accessToken: 'at', refreshToken: null, expiresInSeconds: null };
  const request = {
    fields: {},
    partnerId: 'p-1',
    isWellFormed: true,
    firstOfFresh: false,
    isRested: false,
  };
  seen.tokenSeen({ answer: { ...answer, ...issued }, ...request }, 'accepted');
  expect(seen.seen(FACTS).requests[0]?.answer.json).toEqual({ access_token: 'at' });
});

it('holds every token that came to the rules on tokens, but of no refusal that carries one', () => {
  const traffic = new SeenTraffic();
  const see = (exchange: string, status: number, isWellFormed: boolean, expects: Expects): void => {
    const outcome = expects === 'refused' ? 'refused' : 'accepted';
    const issued = { accessToken: 'at', refreshToken: null, expiresInSeconds: null };
    const answer = {
      ...answerOf('{"access_token":"at"}', exchange),
      ...issued,
      status,
      outcome,
    } as const;
    const request = { fields: {}, partnerId: 'p-1', firstOfFresh: false, isRested: false };
    traffic.tokenSeen({ answer, ...request, isWellFormed }, expects);
  };
  see('x1', 202, false, 'refused');
  see('x4', 200, false, 'either');
  see('x2', 202, false, 'accepted');
  see('x3', 201, false, 'accepted');
  see('x5', 202, true, 'accepted');
  const { tokens, requests } = traffic.seen(FACTS);
  expect(tokens.map(({ answer }) => answer.exchange)).toEqual(['x3', 'x4', 'x5']);
  expect(requests.map(({ answer }) => answer.exchange)).toEqual(['x5']);
});
