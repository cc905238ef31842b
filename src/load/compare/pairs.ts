import type { Tool } from '../../documents/base.ts';
import type { ComparisonDocument, RepeatedPair } from '../../documents/comparison.ts';
import type { LoadDocument } from '../../documents/load.ts';
import type { PlannedLoad } from '../plan-load.ts';
import { type Recovery, recover } from '../recovery.ts';
import { withoutAdvice } from '../result/advice.ts';
import { unreachableReason } from '../result/reached.ts';
import { frameOf, RunSeries } from '../run-load.ts';
import { compareRuns } from './compare-runs.ts';
import { describeSides, type NamedRun } from './sides.ts';
import { isUsable } from './usable.ts';

/** Two targets under the same load, to be compared. */
export interface PairedLoads extends Pick<Recovery, 'recoveryMs'> {
  base: PlannedLoad;
  candidate: PlannedLoad;
  pairs: number;
  marginPercent?: number | undefined;
  tool: Tool;
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
  const series = new RunSeries(tool);
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

/** A side of a comparison. */
export type Side = 'base' | 'candidate';

/** Fields of a run that decide whether its pair counts. */
export type PairedRun = Pick<
  LoadDocument,
  'achieved' | 'errors' | 'interrupted' | 'reason' | 'target' | 'verdict' | 'invalidBy' | 'model'
>;

/** Runs of a base and a candidate that share the luck of their moment. */
type Pair<R> = Readonly<Record<Side, R>>;

/** Pairs to be run. */
export interface PairSeries<R extends PairedRun> extends Recovery {
  /** Number of pairs. */
  pairs: number;
  /** Runs one side; the index is that of the pair, from 0. */
  readonly run: (side: Side, index: number, label: string) => Promise<R>;
}

/** Pairs that were run. */
export interface RunPairs<R> {
  readonly pairs: readonly Pair<R>[];
  /** Invalid runs because of which pairs were run again. */
  readonly repeated: RepeatedPair[];
}

/**
 * Runs pairs in ABBA order. A pair with a run that cannot be compared is run again, both sides of it, so that
 * which runs count does not depend on their side; up to half as often as there are pairs. The next invalid
 * one, or a target that is not there, ends the series with that pair in it. An aborted signal ends it
 * after the last whole pair.
 */
export async function runInPairs<R extends PairedRun>(series: PairSeries<R>): Promise<RunPairs<R>> {
  const pairs: Pair<R>[] = [];
  const repeated: RepeatedPair[] = [];
  let [repeats, inARow] = [0, 0];
  while (pairs.length < series.pairs) {
    await recover(inARow, series);
    const pair = await runPair(series, { index: pairs.length, isAgain: inARow > 0 });
    if (pair === null) break;
    const invalid = SIDES.filter((side) => !isUsable(pair[side]));
    if (invalid.length === 0) {
      pairs.push(pair);
      inARow = 0;
    } else if (repeats >= series.pairs / 2 || invalid.some((side) => isUnreachable(pair[side]))) {
      pairs.push(pair);
      break;
    } else {
      repeats++;
      inARow++;
      for (const side of invalid) {
        const reason = withoutAdvice(pair[side].reason);
        repeated.push({ pair: pairs.length + 1, side, reason });
      }
    }
  }
  return { pairs, repeated };
}

const SIDES: readonly Side[] = ['base', 'candidate'];

/**
 * Runs both sides once, in either order in turn, so that drift of the machine hits both alike; null if
 * the signal was aborted before both were whole.
 */
async function runPair<R extends PairedRun>(
  { pairs, run, signal }: PairSeries<R>,
  { index, isAgain }: { index: number; isAgain: boolean },
): Promise<Pair<R> | null> {
  const runSide = async (side: Side): Promise<R | null> => {
    if (signal?.aborted) return null;
    const label = `pair ${index + 1} of ${pairs}${isAgain ? ' again' : ''}, ${side}`;
    const document = await run(side, index, label);
    return document.interrupted ? null : document;
  };
  const isBaseFirst = index % 2 === 0;
  const first = await runSide(isBaseFirst ? 'base' : 'candidate');
  if (first === null) return null;
  const second = await runSide(isBaseFirst ? 'candidate' : 'base');
  if (second === null) return null;
  return isBaseFirst ? { base: first, candidate: second } : { base: second, candidate: first };
}

/** A target that is not there will not come back within a few seconds. */
function isUnreachable({ target, achieved, errors }: PairedRun): boolean {
  return achieved.planned === 0 || unreachableReason({ ...target, ...achieved, errors }) !== null;
}
