import type { Tool } from '../../documents/base.ts';
import type { ComparisonDocument, RepeatedPair } from '../../documents/comparison.ts';
import type { PlannedLoad } from '../plan-load.ts';
import type { Recovery } from '../recovery.ts';
import { frameOf, type RunObserver, RunSeries } from '../run-series.ts';
import { compareRuns } from './compare-runs.ts';
import { runInPairs, type Side } from './pair-series.ts';
import { describeSides } from './side.ts';
import type { NamedRun } from './sides.ts';

/** Two targets under the same load, to be compared. */
export interface PairedLoads extends Pick<Recovery, 'recoveryMs'> {
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
 * Runs base and candidate in turn, as {@link runInPairs} does, and compares them. Both sides of a pair
 * send the same requests.
 *
 * @throws as runLoad
 */
export async function runPairs(options: PairedLoads): Promise<PairsDocument> {
  const { marginPercent, tool, recoveryMs } = options;
  const { context, plan } = options.base;
  const { clock, signal } = context;
  const series = new RunSeries(tool, options.observer);
  const { pairs, repeated } = await runInPairs({
    pairs: options.pairs,
    run: (side, index, label) => series.run(options[side], index, label),
    recoveryMs,
    signal,
  });
  const [a, b] = (['base', 'candidate'] as const).map((side) =>
    pairs.map((pair, index) => ({ ...pair[side], name: `${side}-${index + 1}.json` })),
  ) as [NamedRun[], NamedRun[]];
  const note = repeatedNote(repeated);
  return {
    ...frameOf([...a, ...b], tool, clock.now()),
    kind: 'comparison',
    ...compareRuns({ base: a, candidate: b, marginPercent, seed: plan.seed }),
    ...(note !== null && { repeatedPairs: repeated, notes: [note] }),
    runs: { a, b },
    sides: describeSides({ kind: 'load', base: a, candidate: b }),
  };
}

function repeatedNote(repeated: readonly RepeatedPair[]): string | null {
  const [first] = repeated;
  if (first === undefined) return null;
  const of = (side: Side): number => repeated.filter((run) => run.side === side).length;
  const [base, candidate] = [of('base'), of('candidate')];
  return `Pairs were run again, since runs were invalid: ${base} of the base, ${candidate} of the candidate. The first: ${first.reason}`;
}
