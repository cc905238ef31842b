import { describe, expect, it } from 'vitest';
import type { LoadResult } from '../../../src/load/index.ts';
import { findFaults, spoils } from '../../../src/load/result/health.ts';
import { parseThreshold, stallUsFor } from '../../../src/load/threshold.ts';
import fc from '../../support/property.ts';
import { type SimulatedGenerator, type SimulatedTarget, simulatedRun } from './simulated-run.ts';

type Verdict = LoadResult['verdict'];

const WELL: SimulatedTarget = () => ({ ms: 10, status: 200 });
const SLOW: SimulatedTarget = () => ({ ms: 80, status: 200 });
const SLOWER: SimulatedTarget = () => ({ ms: 120, status: 200 });
const FAST: SimulatedTarget = () => ({ ms: 2, status: 200 });
/** Two of a hundred requests fail. */
const FAILING: SimulatedTarget = ({ index }) => ({ ms: 10, status: index % 50 === 0 ? 500 : 200 });
/** Every fifth request of a burst fails, and none else. */
const FAILING_IN_BURSTS: SimulatedTarget = ({ index, inBurst }) => ({
  ms: 10,
  status: inBurst && index % 5 === 0 ? 500 : 200,
});

/** Thresholds that hold by far on a good target. */
const KINDS = {
  response: 'p99<50ms',
  errors: 'errors<1%',
  rate: 'rate>150/s',
  service: 'service.p99<50ms',
  'from below': 'p50>5ms',
};
type Kind = keyof typeof KINDS;

const STALL: SimulatedGenerator = { stall: [1400, 1700] };
const ACROSS: SimulatedGenerator = { stall: [1800, 2100] };

/** H: held, F: fell short, I: invalid. */
const VERDICTS: Readonly<Record<string, Verdict>> = { H: 'held', F: 'fell-short', I: 'invalid' };

/** Fault of the generator, and the verdict by each kind of threshold, in their order. */
type FaultRow = readonly [string, SimulatedGenerator, SimulatedTarget, verdicts: string];

const OPEN: readonly FaultRow[] = [
  ['nothing', {}, WELL, 'H H H H H'],
  ['nothing, and the target is slow', {}, SLOW, 'F H H F H'],
  ['a lag of 1 ms', { lagMs: 1 }, WELL, 'H H H H I'],
  ['a lag of 6 ms', { lagMs: 6 }, WELL, 'H H H I I'],
  ['a stall within a second', STALL, WELL, 'I H H I I'],
  ['a stall on a slow target', STALL, SLOW, 'F H H I I'],
  ['a stall that two seconds share', ACROSS, WELL, 'I I I I I'],
  ['a standstill', { stoodStillMs: 300 }, WELL, 'I I I I I'],
  ['unsent requests', { unsentShare: 0.004 }, WELL, 'I I I I I'],
  ['a fifth unsent', { unsentShare: 0.2 }, WELL, 'I I I I I'],
  ['no core for long', { coreWait: 0.4 }, WELL, 'H H H H H'],
  ['a busy event loop', { eventLoopUtilization: 0.96 }, WELL, 'H H H H H'],
  ['a busy event loop, and a slow target', { eventLoopUtilization: 0.8 }, SLOW, 'I H H I H'],
  ['a busy event loop, and a slower target', { eventLoopUtilization: 0.8 }, SLOWER, 'F H H F H'],
  ['a full event loop, and a slower target', { eventLoopUtilization: 0.95 }, SLOWER, 'I H H I H'],
  ['a busy event loop, and a fast target', { eventLoopUtilization: 0.8 }, FAST, 'H H H H F'],
  ['an event loop with time to spare', { eventLoopUtilization: 0.79 }, SLOW, 'F H H F H'],
  ['late for 5 % while requests wait', { heldUp: 0.05 }, WELL, 'H H H H H'],
  ['late for a fifth while requests wait', { heldUp: 0.2 }, SLOW, 'I I I I I'],
];

const CLOSED: readonly FaultRow[] = [
  ['nothing', {}, WELL, 'H H H H H'],
  ['nothing, and the target is slow', {}, SLOW, 'F H H F H'],
  ['no core for 5 %', { coreWait: 0.05 }, WELL, 'H H H H H'],
  ['an unknown wait', { coreWait: null }, WELL, 'H H H H H'],
  ['a busy event loop', { eventLoopUtilization: 0.94 }, WELL, 'H H H H H'],
  ['a busy event loop, and a slow target', { eventLoopUtilization: 0.8 }, SLOW, 'I H H I H'],
  ['a full event loop', { eventLoopUtilization: 0.95 }, WELL, 'I H H I I'],
  ['a full event loop, and a slow target', { eventLoopUtilization: 0.95 }, SLOW, 'I H H I I'],
  ['no core for 5.1 %', { coreWait: 0.051 }, WELL, 'I I I I I'],
  ['stops for 5 %', { heldUp: 0.05 }, WELL, 'H H H H H'],
  ['stops for a fifth', { coreWait: null, heldUp: 0.2 }, WELL, 'I I I I I'],
  ['no core, and a slow target', { coreWait: 0.2 }, SLOW, 'I I I I I'],
  ['a standstill', { stoodStillMs: 300 }, WELL, 'I I I I I'],
];

const cases = (rows: typeof OPEN) =>
  rows.flatMap(([fault, generator, target, verdicts]) =>
    (Object.keys(KINDS) as Kind[]).map((kind, at) => ({
      fault,
      kind,
      verdict: VERDICTS[verdicts.split(' ')[at]!]!,
      generator,
      target,
    })),
  );

describe('the open model', () => {
  it.each(cases(OPEN))('with $fault: by $kind $verdict', async ({ kind, verdict, ...run }) => {
    const options = { threshold: [KINDS[kind]] };
    const result = await simulatedRun(options, run.generator, run.target);
    expect([result.reason, result.verdict]).toEqual([expect.any(String), verdict]);
    expect(result.generator.saturated).toBe(result.generator.reasons.length > 0);
  });

  it('blames no target for what only requests of a burst miss', async () => {
    const options = { threshold: ['errors<0.5%'] };
    const { verdict, reason, thresholds } = await simulatedRun(options, STALL, FAILING_IN_BURSTS);
    expect({ verdict, held: thresholds[0]?.held, judged: thresholds[0]?.judged }).toEqual({
      verdict: 'invalid',
      held: false,
      judged: false,
    });
    expect(reason).toBe(
      'Only requests that a stall of the generator delayed, or that were sent in a burst after it, miss errors<0.5%.',
    );
    expect((await simulatedRun(options, STALL, FAILING)).verdict).toBe('fell-short');
    expect((await simulatedRun(options, {}, FAILING_IN_BURSTS)).verdict).toBe('held');
  });

  it('ends a run by no time that a full event loop may have read late', async () => {
    const abortedOn = { words: 'p50>50ms', condition: parseThreshold('p50>50ms') };
    const verdictAt = async (eventLoopUtilization: number, ms = 80): Promise<Verdict> => {
      const target: SimulatedTarget = () => ({ ms, status: 200 });
      return (await simulatedRun({}, { eventLoopUtilization }, target, { abortedOn })).verdict;
    };
    expect(await Promise.all([0.3, 0.8, 0.95].map((busy) => verdictAt(busy)))).toEqual([
      'fell-short',
      'invalid',
      'invalid',
    ]);
    expect(await verdictAt(0.8, 120)).toBe('fell-short');
  });

  it('ends a run by a condition that is true without the burst, too', async () => {
    const condition = parseThreshold('errors>1%');
    const abortedOn = { words: 'errors>1%', condition };
    const of = (target: SimulatedTarget) => simulatedRun({}, STALL, target, { abortedOn });
    expect((await of(FAILING)).reason).toBe('The run was ended early, since errors>1% came true.');
    expect(await of(FAILING_IN_BURSTS)).toMatchObject({
      verdict: 'invalid',
      invalidBy: 'lateness',
    });
  });

  it('says what the generator did, and what to do', async () => {
    const still = await simulatedRun({}, { stoodStillMs: 12_040 });
    expect(still).toMatchObject({
      invalidBy: 'standstill',
      reason: 'The generator stood still for 12.0 s. It was stopped or suspended; run it again.',
      generator: { stoodStillS: 12.04 },
    });
    const late = await simulatedRun({ threshold: ['service.p99<50ms'] }, { lagMs: 6 });
    expect(late.reason).toMatch(
      /^The generator sent late: send lag p99 was 6.00 ms. .* It proves nothing about service.p99<50ms.$/,
    );
    expect((await simulatedRun({}, ACROSS)).reason).toMatch(
      /^In second 2 the generator sent 160 requests, and 200 were to be sent. The target shares /,
    );
    const busy = await simulatedRun({}, { ...ACROSS, eventLoopUtilization: 0.97 });
    expect(busy.reason).toMatch(/Give the generator more worker threads.$/);
    const starved = { ...ACROSS, eventLoopUtilization: 0.97, coreWait: 0.2 };
    expect((await simulatedRun({}, starved)).reason).toMatch(/The target shares the cores/);
  });

  it('judges low rates by spans of a hundred requests', async () => {
    const at = (stall: readonly [number, number], rate = 15) =>
      simulatedRun({ rate, duration: '20s' }, { stall });
    // One of fifteen requests of a second was sent in the next one.
    expect((await at([2900, 3050])).verdict).toBe('held');
    expect((await at([2900, 3050], 200)).verdict).toBe('invalid');
    expect((await at([6400, 7010])).reason).toContain('In seconds 1 to 7 the generator sent 96');
    // A rest of less than a hundred belongs to the last span.
    expect((await at([19_700, 20_400])).reason).toBe('All thresholds held: errors<1%.');
    expect((await at([19_200, 20_400])).reason).toContain('In seconds 8 to 20 the generator sent');
  });

  it('is never held with a generator that is a fifth too slow', async () => {
    // It sends at four fifths of the rate; requests wait longer and longer.
    const slower = { stages: '200/3s', duration: undefined, rate: undefined };
    const behind: SimulatedGenerator = { unsentShare: 0.2 };
    for (const threshold of Object.values(KINDS)) {
      const { verdict } = await simulatedRun({ ...slower, threshold: [threshold] }, behind);
      expect(verdict).toBe('invalid');
    }
  });

  it('holds a threshold only where the same target would hold it without the stall', async () => {
    const stallMs = fc.integer({ min: 0, max: 900 });
    const startMs = fc.integer({ min: 0, max: 2000 });
    const targetMs = fc.integer({ min: 1, max: 90 });
    await fc.assert(
      fc.asyncProperty(startMs, stallMs, targetMs, async (fromMs, lengthMs, ms) => {
        const target: SimulatedTarget = () => ({ ms, status: 200 });
        const options = { threshold: ['p99<50ms', 'errors<1%'] };
        const stall = [fromMs, fromMs + lengthMs] as const;
        const alone = await simulatedRun(options, {}, target);
        const { verdict } = await simulatedRun(options, { stall }, target);
        expect([alone.verdict, 'invalid']).toContain(verdict);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the closed model', () => {
  it.each(cases(CLOSED))('with $fault: by $kind $verdict', async ({ kind, verdict, ...run }) => {
    const options = { connections: 1, threshold: [KINDS[kind]] };
    const result = await simulatedRun(options, run.generator, run.target);
    expect([result.reason, result.verdict]).toEqual([expect.any(String), verdict]);
  });

  it('calls a generator saturated whose event loop was full, and blames no target for its rate', async () => {
    const full: SimulatedGenerator = { eventLoopUtilization: 0.998 };
    const held = await simulatedRun({ connections: 1 }, full);
    expect(held).toMatchObject({ verdict: 'held', generator: { saturated: true } });
    const rate = { connections: 1, threshold: ['rate>900/s'] };
    expect((await simulatedRun(rate, {})).verdict).toBe('fell-short');
    expect(await simulatedRun(rate, full)).toMatchObject({
      verdict: 'invalid',
      reason: expect.stringMatching(
        /^The generator kept its event loop busy for 99.8 % of the time. Give the generator more worker threads. /,
      ),
    });
  });

  it('divides by the time in which load was made', async () => {
    const whole = await simulatedRun({ connections: 1 });
    const still = await simulatedRun({ connections: 1 }, { stoodStillMs: 1500 });
    expect(still.achieved.rate).toBeCloseTo(2 * whole.achieved.rate, 1);
  });
});

describe('needs', () => {
  it('a send lag matters where it is over a tenth of the bound', () => {
    const late = (lagUs: number) => ({ need: 'at-once', words: '', lagUs }) as const;
    const service = parseThreshold('service.p99<50ms');
    expect(spoils(late(5000), 'open', service, true)).toBe(false);
    expect(spoils(late(5001), 'open', service, true)).toBe(true);
    expect(spoils(late(5001), 'open', parseThreshold('p99<50ms'), true)).toBe(false);
    expect(spoils(late(5001), 'open', null, true)).toBe(false);
  });

  it.each([
    [['p99<50ms', 'errors<1%'], 5000],
    [['p99<50ms', 'service.p50<2ms'], 200],
    [['p99<10s'], 10_000],
    [['errors<1%', 'min>1ms'], 10_000],
    [['p99<10us'], 100],
  ])('a delay is a stall by the tightest bound of %j: %d us', (thresholds, us) => {
    expect(stallUsFor(thresholds.map((text) => parseThreshold(text)))).toBe(us);
  });

  it('names the generator that is worst, and its agent', async () => {
    const usage = { cpu: 0, coreWait: 0, eventLoopUtilization: 0, stoodStillMs: 0, lostMs: 0 };
    const report = (coreWait: number) =>
      ({
        usage: { ...usage, coreWait },
        record: { errors: {}, sendLag: { slots: [], count: 0 } },
      }) as never;
    const wordsOf = (waits: readonly number[], agents?: readonly unknown[]) =>
      findFaults({
        plan: { model: 'closed' } as never,
        measuredMs: 1000,
        place: 'elsewhere',
        seesSendLag: false,
        reports: waits.map(report),
        series: [],
        agents: agents as never,
      })[0]?.words;
    expect(wordsOf([0, 0.3])).toMatch(/^Generator 2 of 2 was ready to run .* 30.0 % of the time.$/);
    expect(wordsOf([0.2, 0.3])).toMatch(/^The generator was ready to run .* 30.0 %/);
    const agent = (name: string, from: number, count: number) => ({ name, range: { from, count } });
    expect(wordsOf([0, 0.3], [agent('a', 0, 1), agent('b', 1, 1)])).toMatch(
      /^The generator of agent b /,
    );
    expect(wordsOf([0, 0.3], [agent('a', 0, 2)])).toMatch(/^Generator 2 of 2 of agent a /);
  });
});
