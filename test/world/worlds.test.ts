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
  FAREPROOF_WORLDS_COUNT: askedCount,
  FAREPROOF_WORLDS_SECONDS: seconds = 'Infinity',
  FAREPROOF_WORLDS_FRESH_SECONDS: freshSeconds = '0',
  FAREPROOF_WORLDS_ROWS: rowsFile,
} = process.env;

const names = Object.keys(KINDS).filter((name) => asked === 'all' || asked === name);

/** Lets worlds happen; returns how many, and those that broke an invariant. */
async function happen(name: string, from: number, most: number, forSeconds: number) {
  let count = 0;
  const endMs = performance.now() + 1_000 * forSeconds;
  const broken = await runWorlds(
    name,
    from,
    (worlds) => worlds >= most || performance.now() > endMs,
    (row) => {
      count++;
      if (rowsFile !== undefined) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
    },
  );
  const found = broken.map(({ breaches, plan, smaller }) => ({ breaches, plan, smaller }));
  return { count, found };
}

/** Fixed seeds of each kind. */
const FIXED: Readonly<Record<string, number>> = { check: 170, client: 40, explore: 30, load: 150 };

it.each(names)('%s: no world breaks an invariant', async (name) => {
  const { found } = await happen(
    name,
    Number(seed),
    Number(askedCount ?? FIXED[name]),
    Number(seconds),
  );
  // With a file of rows, whoever asked for it reports.
  expect(rowsFile === undefined ? found : []).toEqual([]);
});

// A search finds more on another day, whatever was changed: what it finds is printed, and becomes a fixed world.
it.runIf(Number(freshSeconds) > 0).each(names)('%s: fresh worlds happen', async (name) => {
  const from = Date.now() % 1e9;
  const forSeconds = Number(freshSeconds) / names.length;
  const { count: worlds, found } = await happen(name, from, Number.POSITIVE_INFINITY, forSeconds);
  console.log(`npm run worlds -- --kind ${name} --seed ${from}: ${worlds} fresh worlds`);
  for (const one of found) console.warn(`::warning title=A world::${JSON.stringify(one)}`);
  expect(worlds).toBeGreaterThan(0);
});
