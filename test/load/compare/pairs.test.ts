import { afterEach, describe, expect, it } from 'vitest';
import {
  type LoadOptions,
  planLoad,
  type RunObserver,
  runPairs,
  runSet,
  systemClock,
} from '../../../src/load/index.ts';
import { spreadOf } from '../../../src/load/result/spread.ts';
import { strictProblems } from '../../support/strict-document.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../fake-target.ts';

const tool = { name: 'fareproof', version: '0.0.0' };

const clock = unhurriedClock(systemClock());
let targets: FakeTarget[] = [];
afterEach(async () => {
  await Promise.all(targets.map((target) => target.close()));
  targets = [];
});

async function plan(signal?: AbortSignal, behaviour: FakeBehaviour = {}) {
  const target = await startFakeTarget(behaviour);
  targets.push(target);
  const options: LoadOptions = {
    profile: target.profile,
    clock,
    seed: 1,
    placement: 'inline',
    rate: 50,
    durationMs: 200,
    warmupMs: 0,
    signal,
  };
  return { target, load: await planLoad(options) };
}

/** Records its calls. */
function observe(onStart: (label: string) => void = () => undefined) {
  const events: string[] = [];
  const observer: RunObserver = {
    onStart: (label) => {
      events.push(label);
      onStart(label);
    },
    onProgress: () => undefined,
    onEnd: ({ kind }) => events.push(`${kind} document`),
    onSettled: () => events.push('settled'),
  };
  return { events, observer };
}

describe('runPairs', { timeout: 60_000 }, () => {
  it('interleaves the sides (ABBA), with the same requests per pair and one token per side', async () => {
    const [base, candidate] = [await plan(), await plan()];
    const { events, observer } = observe();
    const document = await runPairs({
      base: base.load,
      candidate: candidate.load,
      pairs: 2,
      tool,
      observer,
    });
    expect(events.filter((event) => event.startsWith('pair'))).toEqual([
      'pair 1 of 2, base',
      'pair 1 of 2, candidate',
      'pair 2 of 2, candidate',
      'pair 2 of 2, base',
    ]);
    expect(document).toMatchObject({ kind: 'comparison', tool, verdict: 'inconclusive' });
    expect(document.runs.a.map(({ name, seed }) => [name, seed])).toEqual([
      ['base-1.json', 1],
      ['base-2.json', 2],
    ]);
    expect(document.runs.b.map(({ name, seed }) => [name, seed])).toEqual([
      ['candidate-1.json', 1],
      ['candidate-2.json', 2],
    ]);
    expect(document.sides?.b).toMatchObject({
      label: expect.stringMatching(/^.+, http:.+: candidate-1\.json and 1 more$/),
      spread: spreadOf(document.runs.b),
    });
    expect(document.startedAt).toBe(document.runs.a[0]?.startedAt);
    expect(document.finishedAt).toBe(document.runs.a[1]?.finishedAt);
    const [ofBase, ofCandidate] = [base, candidate].map(({ target }) => new Set(target.paths));
    expect(ofBase).toEqual(ofCandidate);
    expect(ofBase?.size).toBe(20);
    for (const { target } of [base, candidate]) expect(target.tokenRequests).toHaveLength(1);
  });

  it('compares only whole pairs after an interruption', async () => {
    const interrupt = new AbortController();
    const [base, candidate] = [await plan(interrupt.signal), await plan(interrupt.signal)];
    const { observer } = observe((label) => {
      if (label === 'pair 2 of 9, base') interrupt.abort();
    });
    const sides = { base: base.load, candidate: candidate.load };
    const document = await runPairs({ ...sides, pairs: 9, tool, observer });
    expect(document.runs.a).toHaveLength(1);
    expect(document.runs.b).toHaveLength(1);
  });
});

describe('runSet', { timeout: 60_000 }, () => {
  it('runs the same load with requests of its own each time', async () => {
    const { load } = await plan();
    const { events, observer } = observe();
    const { runs, spread, ...frame } = await runSet(load, { runs: 2, tool, observer });
    expect(runs.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(spread).toEqual(spreadOf(runs));
    expect(frame).toMatchObject({ kind: 'load-set', tool, startedAt: runs[0]?.startedAt });
    const ended = ['load document', 'settled'];
    expect(events).toEqual(['run 1 of 2', ...ended, 'run 2 of 2', ...ended]);
  });

  it('settles a run that failed', async () => {
    const { load } = await plan(undefined, { tokenStatus: 403 });
    const { events, observer } = observe();
    await expect(runSet(load, { runs: 2, tool, observer })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    });
    expect(events).toEqual(['run 1 of 2', 'settled']);
  });

  it('has an invalid run for a target that cannot be reached', async () => {
    const { target, load } = await plan();
    await target.close();
    const { observer } = observe();
    const { runs } = await runSet(load, { runs: 1, tool, observer });
    expect(runs).toMatchObject([{ verdict: 'invalid', achieved: { planned: 0, rate: 0 } }]);
    expect(runs[0]?.reason).toMatch(/^TARGET_UNREACHABLE: .*ECONNREFUSED/);
    expect(strictProblems(runs[0])).toEqual([]);
  });
});
