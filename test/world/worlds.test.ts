// @module-tag long
import { appendFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { installDisks } from './disk.ts';
import { KINDS, runWorlds } from './run-worlds.ts';

afterAll(installDisks());

/**
 * Kind, first seed, and number of worlds, or seconds for them; a file for what came of them. Left out, the fixed
 * seeds.
 */
const {
  FAREPROOF_WORLDS: asked = 'all',
  FAREPROOF_WORLDS_SEED: seed = '1',
  FAREPROOF_WORLDS_COUNT: count = '200',
  FAREPROOF_WORLDS_SECONDS: seconds,
  FAREPROOF_WORLDS_ROWS: rowsFile,
} = process.env;

const names = Object.keys(KINDS).filter((name) => asked === 'all' || asked === name);

it.each(names)('%s: no world breaks an invariant', async (name) => {
  const endMs = performance.now() + 1_000 * Number(seconds);
  const broken = await runWorlds(
    name,
    Number(seed),
    (worlds) => worlds >= Number(count) || performance.now() > endMs,
    (row) => {
      if (rowsFile !== undefined) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
    },
  );
  const found = broken.map(({ breaches, plan, smaller }) => ({ breaches, plan, smaller }));
  expect(rowsFile === undefined ? found : []).toEqual([]);
});
