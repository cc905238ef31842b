import { afterEach, expect, it } from 'vitest';
import type { Engine, GeneratorHandle } from '../../../../src/load/engine/engine.ts';
import { allOrNone } from '../../../../src/load/engine/native/engine.ts';
import { systemClock } from '../../../../src/load/index.ts';
import { planLoad } from '../../../../src/load/plan-load.ts';
import { runPlanned, takeTokenFor } from '../../../../src/load/run-load.ts';
import { type FakeTarget, startFakeTarget } from '../../fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(() => fake?.close());

const broken = new Error('no memory');

function handle(closed: number[], number: number, run: GeneratorHandle['run']): GeneratorHandle {
  return { run, token: null, close: () => void closed.push(number) };
}

const untilClosed = (): Promise<never> => new Promise(() => {});

it('generators that are ready are closed where another cannot be made', async () => {
  const closed: number[] = [];
  const ready = (number: number) => Promise.resolve(handle(closed, number, untilClosed));
  await expect(allOrNone([ready(1), Promise.reject(broken), ready(3)])).rejects.toBe(broken);
  expect(closed).toEqual([1, 3]);
  expect(await allOrNone([ready(4), ready(5)])).toHaveLength(2);
  expect(closed).toEqual([1, 3]);
});

it('generators that run are closed where another fails', async () => {
  fake = await startFakeTarget();
  const load = await planLoad({
    ledger: 'none',
    profile: fake.profile,
    clock: systemClock(),
    seed: 1,
    connections: 2,
    workers: 2,
    duration: '60s',
    warmup: '0',
    timeout: '60s',
  });
  const closed: number[] = [];
  const engine: Engine = {
    ...load.engine,
    prepare: async () => [
      handle(closed, 0, untilClosed),
      handle(closed, 1, () => Promise.reject(broken)),
    ],
  };
  await expect(runPlanned({ ...load, engine }, await takeTokenFor(load))).rejects.toBe(broken);
  expect(closed).toEqual([0, 1]);
});
