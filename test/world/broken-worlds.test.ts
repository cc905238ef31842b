import { afterAll, expect, it } from 'vitest';
import worlds from './broken-worlds.json' with { type: 'json' };
import { installDisks } from './disk.ts';
import { KINDS } from './run-worlds.ts';

afterAll(installDisks());

it.each(worlds)('the $kind of seed $plan.seed holds: $invariant', async ({ kind, plan }) => {
  expect((await KINDS[kind]!.run(plan)).breaches).toEqual([]);
});
