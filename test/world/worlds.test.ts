// @module-tag long
import { appendFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { installDisks } from './disk.ts';
import { KINDS, runWorlds } from './run-worlds.ts';

afterAll(installDisks());

/**
 * Kind, first seed, and number of worlds, or seconds for them; a file for what came of them. Left out, the fixed
 * seeds, and fresh ones for so many seconds.
 */
const {
  FAREPROOF_WORLDS: asked = 'all',
  FAREPROOF_WORLDS_SEED: seed = '1',
  FAREPROOF_WORLDS_COUNT: count,
  FAREPROOF_WORLDS_SECONDS: seconds = 'Infinity',
  FAREPROOF_WORLDS_FRESH_SECONDS: freshSeconds = '0',
  FAREPROOF_WORLDS_ROWS: rowsFile,
} = process.env;

const names = Object.keys(KINDS).filter((name) => asked === 'all' || asked === name);

/** Lets worlds happen, and expects that none of them breaks an invariant. */
async function expectHeld(name: string, from: number, most: number, forSeconds: number) {
  const endMs = performance.now() + 1_000 * forSeconds;
  const broken = await runWorlds(
    name,
    from,
    (worlds) => worlds >= most || performance.now() > endMs,
    (row) => {
      if (rowsFile !== undefined) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
    },
  );
  const found = broken.map(({ breaches, plan, smaller }) => ({ breaches, plan, smaller }));
  expect(rowsFile === undefined ? found : []).toEqual([]);
}

/** Fixed seeds of each kind. */
const FIXED: Readonly<Record<string, number>> = { check: 170, client: 40 };

it.each(names)('%s: no world breaks an invariant', (name) =>
  expectHeld(name, Number(seed), Number(count ?? FIXED[name]), Number(seconds)),
);

// By the clock, as the machine has time: such a test can find more on another day, and prints where it began.
it.runIf(Number(freshSeconds) > 0).each(names)('%s: no fresh world does so', (name) => {
  const from = Date.now() % 1e9;
  console.log(`npm run worlds -- --kind ${name} --seed ${from}`);
  return expectHeld(name, from, Number.POSITIVE_INFINITY, Number(freshSeconds) / names.length);
});
