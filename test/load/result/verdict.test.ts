import { describe, expect, it } from 'vitest';
import { judgeLoad, type RunEvidence } from '../../../src/load/result/verdict.ts';
import { type Observation, parseThreshold } from '../../../src/load/threshold.ts';

/** Findings of a run that nothing is wrong with. */
const RUN: RunEvidence = {
  model: 'open',
  faults: [],
  adviceOn: () => [],
  losses: [],
  exhausted: [],
  withoutStalls: null,
  planned: 12,
  ok: 10,
  abortedOn: null,
  unreachable: null,
  interrupted: false,
};

/** A run whose requests all take 5 ms. */
const observation = (more: Partial<Observation> = {}): Observation => ({
  errorShare: 0,
  reconnectedShare: 0,
  ratePerS: 100,
  latencyUs: () => 5000,
  part: () => null,
  ...more,
});

const judge = (expressions: readonly string[], more: Partial<RunEvidence> = {}) =>
  judgeLoad(
    expressions.map((expression) => parseThreshold(expression)),
    observation(),
    { ...RUN, ...more },
  );

describe('judgeLoad', () => {
  it.each<[string, readonly string[], Partial<RunEvidence>, string]>([
    ['never holds', ['p99<9ms'], {}, 'interruption'],
    ['falls short of what it missed', ['max<1ms'], {}, 'fell-short'],
    ['is invalid if nothing was sent', [], { planned: 0, ok: 0 }, 'interruption'],
    ['is invalid if nothing was answered in time', [], { ok: 0 }, 'interruption'],
    ['is unreachable if it was', [], { unreachable: 'TARGET_UNREACHABLE: …' }, 'unreachable'],
  ])('an interrupted run %s', (_what, expressions, more, expected) => {
    const { verdict, invalidBy } = judge(expressions, { ...more, interrupted: true });
    expect(invalidBy ?? verdict).toBe(expected);
  });

  const held = 'p99<9ms';
  const missed = 'max<1ms';
  const unreachable = 'TARGET_UNREACHABLE: …';
  const losses = ['Agent b was lost.'];
  const exhausted = ['This machine had no port left.'];
  const faults = [{ need: 'in-time', words: 'In second 2 …' }] as const;
  const abortedOn = { words: 'errors>5%' };

  it.each([
    ['held', undefined, [], {}],
    ['held', undefined, [held], {}],
    ['fell-short', undefined, [held, missed], {}],
    ['fell-short', undefined, [], { ok: 0 }],
    ['invalid', 'lateness', [missed], { planned: 0, ok: 0 }],
    ['fell-short', undefined, [], { abortedOn }],
    ['invalid', 'unreachable', [], { ok: 0, abortedOn, unreachable, losses }],
    ['invalid', 'loss', [held], { losses, exhausted, faults }],
    ['invalid', 'loss', [missed], { losses }],
    ['invalid', 'resources', [held], { exhausted, faults }],
    ['invalid', 'lateness', [held], { faults }],
    ['invalid', 'lateness', [missed], { faults, abortedOn, ok: 0 }],
  ] as const)('is %s (by %s) by %j and %j', (verdict, invalidBy, expressions, more) => {
    expect(judge(expressions, more)).toMatchObject({ verdict, ...(invalidBy && { invalidBy }) });
  });

  it('names the thresholds that were missed', () => {
    expect(judge([held, missed]).reason).toBe('Not held: max<1ms.');
  });

  it('names those that only failed requests made fall short', () => {
    const failing = observation({ errorShare: 0.5, latencyUs: () => 500 });
    expect(judgeLoad([parseThreshold(missed)], failing, RUN).reason).toBe(
      'Not held: max<1ms. Without the failed requests, which count as slower than any bound, held: max<1ms.',
    );
  });

  it('names the thresholds that held', () => {
    expect(judge([held, 'errors<1%']).reason).toBe('All thresholds held: p99<9ms, errors<1%.');
  });

  it('leaves a missed threshold open if nothing was measured without the stalls', () => {
    const nothing = observation({ errorShare: null, ratePerS: Number.NaN, latencyUs: () => null });
    for (const expression of [missed, 'rate>500/s', 'errors<0%']) {
      const one = judge([expression], { withoutStalls: nothing });
      expect(one.thresholds).toMatchObject([{ held: false, judged: false }]);
      expect(one.invalidBy).toBe('lateness');
    }
    expect(judge([missed], { withoutStalls: observation() }).verdict).toBe('fell-short');
  });
});
