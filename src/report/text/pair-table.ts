import type { ComparedRun, ComparisonDocument } from '../../documents/comparison.ts';
import { column, numbers, type TitledTable } from './columns.ts';
import { formatUs } from './quantities.ts';
import type { Outcome } from './tones.ts';

/** Runs of both sides at one place of a comparison: a pair where they were interleaved. */
interface RunPair {
  readonly base: ComparedRun | undefined;
  readonly candidate: ComparedRun | undefined;
}

/** Pairs that are shown. */
const PAIR_LIMIT = 100;

/**
 * The table of pairs of a comparison that decides nothing, or has late or invalid runs; null for any other, and
 * of benches.
 */
export function pairTable({
  runs,
  verdict,
  paired,
  steps,
}: ComparisonDocument): TitledTable<RunPair> | null {
  if (steps !== undefined) return null;
  const rows = Array.from(
    { length: Math.min(PAIR_LIMIT, Math.max(runs.a.length, runs.b.length)) },
    (_, at): RunPair => ({ base: runs.a[at], candidate: runs.b[at] }),
  );
  const isSound = [...runs.a, ...runs.b].every((run) => stateOf(run) === 'valid');
  if (rows.length === 0 || (verdict !== 'inconclusive' && isSound)) return null;
  return {
    title: paired ? 'Pair by pair' : 'Run by run',
    columns: [
      column(paired ? 'pair' : 'run', (_, at) => `${at + 1}`),
      ...(['p50', 'p99'] as const).flatMap((at) => [
        numbers(`base ${at}`, ({ base }: RunPair) => latencyOf(base, at)),
        numbers(`candidate ${at}`, ({ candidate }: RunPair) => latencyOf(candidate, at)),
      ]),
      column('state', (row) => rowState(row, paired)),
    ],
    rows,
  };
}

function latencyOf(run: ComparedRun | undefined, at: 'p50' | 'p99'): string {
  if (run === undefined) return '–';
  if ('quantilesUs' in run) return formatUs(run.quantilesUs[at]);
  if (!('latencyUs' in run)) return '–';
  const { response } = run.latencyUs;
  return response.count === 0 ? '–' : formatUs(response[at]);
}

/** Only of a pair a run can be missing: otherwise a side may have fewer runs. */
function rowState({ base, candidate }: RunPair, paired: boolean): Outcome {
  const sides = [
    ['base', base],
    ['candidate', candidate],
  ] as const;
  const words = sides.flatMap(([side, run]) => {
    const state = run === undefined && !paired ? 'valid' : stateOf(run);
    return state === 'valid' ? [] : `${side} ${state}`;
  });
  if (words.length === 0) return { tone: 'good', words: 'valid' };
  const isInvalid = words.some((word) => !word.endsWith(' late'));
  return { tone: isInvalid ? 'bad' : 'caution', words: words.join(', ') };
}

/** `valid`, `late`, `missing`, or why it is invalid. */
function stateOf(run: ComparedRun | undefined): string {
  if (run === undefined) return 'missing';
  if (!('generator' in run)) return 'valid';
  if (run.invalidBy === 'lateness') return 'late';
  return run.verdict === 'invalid' ? `invalid by ${run.invalidBy}` : 'valid';
}
