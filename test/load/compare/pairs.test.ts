import { afterEach, describe, expect, it } from 'vitest';
import { isUsable } from '../../../src/load/compare/usable.ts';
import {
  type LoadOptions,
  planLoad,
  type RunContext,
  type RunOutput,
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

async function plan(behaviour: FakeBehaviour = {}, output?: RunOutput) {
  const target = await startFakeTarget(behaviour);
  targets.push(target);
  const options: LoadOptions & RunContext = {
    profile: target.profile,
    clock,
    seed: 1,
    placement: 'inline',
    rate: 50,
    duration: '200ms',
    warmup: '0',
    output,
  };
  return { target, load: await planLoad(options) };
}

/** An output that keeps what it is told of. */
function recordedEvents() {
  const events: string[] = [];
  const output: RunOutput = {
    start: (label) => void events.push(label),
    end: ({ result: { kind } }) => void events.push(`${kind} document`),
  };
  return { events, output };
}

describe('runPairs', () => {
  // A busy machine may make the pair be run again; what is expected here holds then too.
  it('sends the same requests to both sides, with one token each', async () => {
    const { events, output } = recordedEvents();
    const [base, candidate] = [await plan({}, output), await plan({}, output)];
    const sides = { base: base.load, candidate: candidate.load };
    const document = await runPairs({ ...sides, pairs: 1, tool, recoveryMs: 0 });
    expect(events.slice(0, 2)).toEqual(['pair 1 of 1, base', 'load document']);
    expect(document).toMatchObject({ kind: 'comparison', tool, verdict: 'inconclusive' });
    expect(document.runs.a).toMatchObject([{ name: 'base-1.json', seed: 1 }]);
    expect(document.runs.b).toMatchObject([{ name: 'candidate-1.json', seed: 1 }]);
    expect(document.sides?.b).toMatchObject({
      label: expect.stringMatching(/^.+, http:.+: candidate-1\.json$/),
      spread: spreadOf(document.runs.b, isUsable),
    });
    expect(document.startedAt).toBe(document.runs.a[0]?.startedAt);
    expect(document.finishedAt).toBe(document.runs.b[0]?.finishedAt);
    const [ofBase, ofCandidate] = [base, candidate].map(({ target }) => new Set(target.paths));
    expect(ofBase).toEqual(ofCandidate);
    expect(ofBase?.size).toBe(10);
    for (const { target } of [base, candidate]) expect(target.tokenRequests).toHaveLength(1);
  });

  it('says of targets that are not there that they cannot be compared', async () => {
    const [base, candidate] = [await plan(), await plan()];
    for (const { target } of [base, candidate]) await target.close();
    const sides = { base: base.load, candidate: candidate.load };
    const document = await runPairs({ ...sides, pairs: 9, tool, recoveryMs: 0 });
    expect(document.runs.b.map(({ verdict }) => verdict)).toEqual(['invalid']);
    expect(document.reason).toMatch(/^2 of 2 runs are invalid. .*TARGET_UNREACHABLE/);
    expect(strictProblems(document)).toEqual([]);
  });
});

describe('runSet', () => {
  it('runs the same load with requests of its own each time', { tags: ['long'] }, async () => {
    const { events, output } = recordedEvents();
    const { load } = await plan({}, output);
    const { runs, spread, ...frame } = await runSet(load, { runs: 2, tool });
    expect(runs.map(({ seed }) => seed)).toEqual([1, 2]);
    expect(spread).toEqual(spreadOf(runs));
    expect(frame).toMatchObject({ kind: 'load-set', tool, startedAt: runs[0]?.startedAt });
    const end = 'load document';
    expect(events).toEqual(['run 1 of 2', end, 'run 2 of 2', end]);
  });

  it('ends with a run that failed', async () => {
    const { events, output } = recordedEvents();
    const { load } = await plan({ tokenStatus: 403 }, output);
    await expect(runSet(load, { runs: 2, tool })).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
    });
    expect(events).toEqual(['run 1 of 2']);
  });

  it('has an invalid run for a target that cannot be reached', async () => {
    const { target, load } = await plan();
    await target.close();
    const { runs } = await runSet(load, { runs: 1, tool });
    expect(runs).toMatchObject([{ verdict: 'invalid', achieved: { planned: 0, rate: 0 } }]);
    expect(runs[0]?.reason).toMatch(/^TARGET_UNREACHABLE: .*ECONNREFUSED/);
    expect(strictProblems(runs[0])).toEqual([]);
  });
});
