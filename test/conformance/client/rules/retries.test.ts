import { expect, it } from 'vitest';
import type { ScenarioFrame } from '../../../../src/documents/scenario.ts';
import { estimate, judge, outcomeOf, type Twist, tokenRequest } from '../client-traffic.ts';

const RULE = 'client/retry-paced';
const frame = (intervalMs: number, processes?: number): ScenarioFrame => ({
  name: 'busy-service',
  mode: 'platform',
  estimates: 5,
  intervalMs,
  ...(processes !== undefined && { processes }),
  atLeast: 1,
  stimuli: [],
  ended: 'by-itself',
  endedMs: 0,
  goesOnRule: null,
  mayOutlast: false,
});
const failed = (twist: Twist = {}) => estimate('a', { at: 10, status: 503, ...twist });
const retries = (count: number, everyMs: number, overlaps = false) =>
  Array.from({ length: count }, (_, at) =>
    estimate('a', { at: 20 + at * everyMs, status: 503, overlaps }),
  );

it.each([
  ['three retries at once', [failed(), ...retries(3, 1)], []],
  ['a few over some seconds', [failed(), ...retries(12, 400)], []],
  ['ten at once', [failed(), ...retries(10, 1)], [/10 estimate requests within a second/]],
  [
    'ten at once after a broken connection',
    [failed({ status: 200, took: null }), ...retries(10, 1)],
    [/10 estimate requests within a second/],
  ],
])('judges %s', (_case, traffic, reasons) => {
  const { got } = judge(RULE, [tokenRequest('a'), ...traffic], frame(2000));
  expect(got.slice(0, 1)).toEqual(reasons.map((reason) => expect.stringMatching(reason) as string));
});

it('takes no estimates that were asked for, nor those of other processes, for retries', () => {
  const traffic = [tokenRequest('a'), failed(), ...retries(10, 60, true)];
  expect(judge(RULE, traffic, frame(60)).got).toEqual([]);
  expect(judge(RULE, traffic, frame(2000, 4)).got).toEqual([]);
  const alone = [tokenRequest('a'), failed(), ...retries(10, 60)];
  expect(judge(RULE, alone, frame(2000)).got).not.toEqual([]);
});

it('does not count requests while listening, where the pace of the client is not known', () => {
  expect(judge(RULE, [tokenRequest('a'), failed(), ...retries(30, 1)])).toMatchObject({ got: [] });
});

it.each([
  ['seconds', '1'],
  ['a time', 'Mon, 02 Mar 2026 12:00:02 GMT'],
])('judges a request before a Retry-After in %s', (_form, text) => {
  const refused = failed({ status: 429, answerHeaders: { 'Retry-After': text }, overlaps: false });
  const after = (at: number, overlaps: boolean) => [
    tokenRequest('a', { overlaps: false }),
    refused,
    estimate('a', { at, overlaps }),
  ];
  const early = [expect.stringMatching(/another estimate request \d+ ms after x2.* 429/)];
  expect(judge(RULE, after(500, false), frame(2000)).got).toEqual(early);
  expect(judge(RULE, after(2100, false), frame(2000)).got).toEqual([]);
  // At that pace, or while listening, it may be another thread's.
  expect(judge(RULE, after(200, true), frame(60)).got).toEqual([]);
  expect(judge(RULE, after(200, true)).got).toEqual([]);
  expect(judge(RULE, after(500, false)).got).toEqual(early);
});

it('marks what a server that was held up may have measured wrong', () => {
  const early = [
    tokenRequest('a', { overlaps: false }),
    failed({ status: 429, answerHeaders: { 'Retry-After': '1' }, overlaps: false }),
    estimate('a', { at: 500, overlaps: false }),
  ];
  const bunched = [tokenRequest('a'), failed(), ...retries(4, 300)];
  const marks = (traffic: typeof early, heldUpMs: number) =>
    outcomeOf(RULE, traffic, { ...frame(2000), heldUpMs }).violations.map(
      ({ mayBeChance = false }) => mayBeChance,
    );
  expect(marks(early, 400)).toEqual([true]);
  expect(marks(early, 100)).toEqual([false]);
  expect(marks(bunched, 400)[0]).toBe(true);
  expect(marks(bunched, 50)[0]).toBe(false);
});
