import { describe, expect, it } from 'vitest';
import type { GeneratorHealth } from '../../../src/documents/load.ts';
import {
  type RunEvidence as Evidence,
  judgeRun,
  unreachableReason,
} from '../../../src/load/result/verdict.ts';

describe('judgeRun', () => {
  const healthy: GeneratorHealth = {
    workers: 1,
    cpu: 0.5,
    coreWait: 0,
    eventLoopUtilization: 0.3,
    sendLagUs: null,
    saturated: false,
    late: false,
    saturationLimits: '',
    reasons: [],
  };
  const late = { ...healthy, saturated: true, late: true, reasons: ['The generator sent late.'] };
  const lost = ['Agent b was lost.'];
  const run = {
    generator: healthy,
    faults: [],
    thresholds: [],
    noUpperBounds: null,
    ok: 10,
    abortedOn: null,
    unreachable: null,
  };
  const held = { expression: 'p99<9ms', observed: 5000, held: true };
  const missed = { expression: 'max<1ms', observed: 5000, held: false };

  it.each([
    ['held', run],
    ['held', { ...run, thresholds: [held] }],
    ['fell-short', { ...run, thresholds: [held, missed] }],
    ['fell-short', { ...run, ok: 0 }],
    ['fell-short', { ...run, abortedOn: 'errors>5%' }],
    ['invalid', { ...run, ok: 0, abortedOn: 'errors>5%', unreachable: 'TARGET_UNREACHABLE: …' }],
    ['invalid', { ...run, thresholds: [held], faults: lost }],
    ['invalid', { ...run, thresholds: [missed], faults: lost }],
  ])('is %s', (verdict, judged) => {
    expect(judgeRun(judged).verdict).toBe(verdict);
  });

  describe('with a late generator', () => {
    const notJudged = (expression: string, isHeld: boolean) =>
      ({ expression, observed: 1, held: isHeld, judged: false }) as const;
    const judge = (thresholds: Evidence['thresholds'], more: Partial<Evidence> = {}) =>
      judgeRun({ ...run, generator: late, thresholds, ...more });
    const byDefault = { ...notJudged('errors<1%', true), isDefault: true };

    it('is held by the bounds on response time that held, and names what was not judged', () => {
      expect(judge([held])).toEqual({
        verdict: 'held',
        reason: 'All thresholds on response time held: p99<9ms.',
      });
      expect(judge([held, byDefault]).reason).toMatch(/p99<9ms. Not judged: errors<1%.$/);
      expect(judge([held, byDefault]).verdict).toBe('held');
    });

    it.each([
      { thresholds: [held, notJudged('p50<1ms', false)], why: 'It proves nothing about p50<1ms.' },
      { thresholds: [held, notJudged('errors<1%', true)], why: 'nothing about errors<1%.' },
      { thresholds: [held, { ...byDefault, held: false }], why: 'nothing about errors<1%.' },
      { thresholds: [byDefault], why: 'Only an upper bound on response time can be judged' },
      { thresholds: [], why: 'Only an upper bound on response time can be judged' },
    ])('is invalid where $why', ({ thresholds, why }) => {
      const { verdict, reason, invalidBy } = judge(thresholds);
      expect({ verdict, invalidBy }).toEqual({ verdict: 'invalid', invalidBy: 'lateness' });
      expect(reason).toContain(`The generator sent late. `);
      expect(reason).toContain(why);
    });

    it('is invalid if the load was not the planned one, if it was ended, or if none succeeded', () => {
      expect(judge([held], { noUpperBounds: 'Of 9, 1 was not sent.' })).toEqual({
        verdict: 'invalid',
        reason: 'The generator sent late. Of 9, 1 was not sent.',
        invalidBy: 'lateness',
      });
      expect(judge([held], { abortedOn: 'errors>5%' }).verdict).toBe('invalid');
      expect(judge([held], { ok: 0 }).verdict).toBe('invalid');
    });

    it('is invalid by what is worse', () => {
      expect(judge([held], { faults: lost }).invalidBy).toBe('loss');
      expect(judge([held], { unreachable: 'TARGET_UNREACHABLE: …' }).invalidBy).toBe('unreachable');
      const exhausted = { ...late, late: false };
      expect(judge([held], { generator: exhausted }).invalidBy).toBe('resources');
    });
  });

  it('names the thresholds that were missed', () => {
    expect(judgeRun({ ...run, thresholds: [held, missed] }).reason).toBe('Not held: max<1ms.');
  });

  it('names those that only failed requests made fall short', () => {
    const short = { ...missed, shortByFailures: true } as const;
    expect(judgeRun({ ...run, thresholds: [short] }).reason).toBe(
      'Not held: max<1ms. Without the failed requests, which count as slower than any bound, held: max<1ms.',
    );
  });

  it('names the thresholds that held', () => {
    const both = [held, { ...held, expression: 'errors<1%' }];
    expect(judgeRun({ ...run, thresholds: both }).reason).toBe(
      'All thresholds held: p99<9ms, errors<1%.',
    );
  });
});

describe('unreachableReason', () => {
  const reached = {
    baseUrl: 'http://127.0.0.1:1',
    planned: 20,
    sent: 0,
    errors: { ECONNREFUSED: 15, unsent: 5 },
  } as const;

  it.each([
    reached,
    { ...reached, errors: { 'connect-timeout': 20 } },
    { ...reached, errors: { DEPTH_ZERO_SELF_SIGNED_CERT: 20 } },
  ])('names a target to which no connection was had: %j', (given) => {
    expect(unreachableReason(given)).toContain('TARGET_UNREACHABLE: none of 20 requests');
  });

  it('names the errors of a target in alphabetical order', () => {
    const errors = { ENOTFOUND: 5, ECONNREFUSED: 15 };
    expect(unreachableReason({ ...reached, errors })).toContain('(ECONNREFUSED, ENOTFOUND)');
  });

  it.each([
    { ...reached, sent: 1 },
    { ...reached, planned: 0, errors: {} },
    { ...reached, errors: { unsent: 20 } },
    { ...reached, errors: { EMFILE: 20 } },
    { ...reached, errors: { EMFILE: 10, ECONNREFUSED: 10 } },
  ])('says nothing of one that was there, or of what is not its fault: %j', (given) => {
    expect(unreachableReason(given)).toBeNull();
  });
});
