import { describe, expect, it } from 'vitest';
import type { GeneratorHealth } from '../../../src/load/result/generator-health.ts';
import { judgeRun, unreachableReason } from '../../../src/load/result/verdict.ts';

describe('judgeRun', () => {
  const healthy: GeneratorHealth = {
    workers: 1,
    cpu: 0.5,
    coreWait: 0,
    eventLoopUtilization: 0.3,
    sendLagUs: null,
    saturated: false,
    saturationLimits: '',
    reasons: [],
  };
  const late = { ...healthy, saturated: true, reasons: ['The generator sent late.'] };
  const lost = ['Agent b was lost.'];
  const run = {
    generator: healthy,
    faults: [],
    thresholds: [],
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
    ['invalid', { ...run, thresholds: [held], generator: late }],
    ['invalid', { ...run, thresholds: [missed], generator: late }],
    ['invalid', { ...run, thresholds: [held], faults: lost }],
    ['invalid', { ...run, thresholds: [missed], faults: lost }],
  ])('is %s', (verdict, judged) => {
    expect(judgeRun(judged).verdict).toBe(verdict);
  });

  it('names the thresholds that were missed', () => {
    expect(judgeRun({ ...run, thresholds: [held, missed] }).reason).toBe('Not held: max<1ms.');
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
