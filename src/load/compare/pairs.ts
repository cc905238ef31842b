import type { Tool } from '../../documents/base.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { PlannedLoad } from '../plan-load.ts';
import { frameOf, type RunObserver, RunSeries } from '../run-series.ts';
import { compareRuns } from './compare-runs.ts';
import { describeSides } from './side.ts';
import type { NamedRun } from './sides.ts';

/** Two targets under the same load, to be compared. */
export interface PairedLoads {
  base: PlannedLoad;
  candidate: PlannedLoad;
  pairs: number;
  marginPercent?: number | undefined;
  tool: Tool;
  observer: RunObserver;
}

/** A comparison of whole runs, each with the name of its file. */
export interface PairsDocument extends Omit<ComparisonDocument, 'runs'> {
  runs: { a: readonly NamedRun[]; b: readonly NamedRun[] };
}

/**
 * Runs base and candidate in turn, in ABBA order, so that drift hits both alike, and compares them.
 * Both sides of a pair send the same requests. An aborted signal ends it; whole pairs are compared.
 *
 * @throws as runLoad
 */
export async function runPairs(options: PairedLoads): Promise<PairsDocument> {
  const { pairs, marginPercent, tool } = options;
  const { clock, seed, signal } = options.base.options;
  const series = new RunSeries(tool, options.observer);
  const sides = { base: [] as NamedRun[], candidate: [] as NamedRun[] };
  for (let pair = 0; pair < pairs; pair++) {
    const inOrder = ['base', 'candidate'] as const;
    for (const side of pair % 2 === 0 ? inOrder : inOrder.toReversed()) {
      if (signal?.aborted) break;
      const label = `pair ${pair + 1} of ${pairs}, ${side}`;
      const run = await series.run(options[side], pair, label);
      if (!run.interrupted) sides[side].push({ ...run, name: `${side}-${pair + 1}.json` });
    }
  }
  const whole = Math.min(sides.base.length, sides.candidate.length);
  const a = sides.base.slice(0, whole);
  const b = sides.candidate.slice(0, whole);
  return {
    ...frameOf([...a, ...b], tool, clock.now()),
    kind: 'comparison',
    ...compareRuns({ base: a, candidate: b, marginPercent, seed }),
    runs: { a, b },
    sides: describeSides({ kind: 'load', base: a, candidate: b }),
  };
}
