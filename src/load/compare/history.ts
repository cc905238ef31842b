import type { ComparisonDocument } from '../../documents/comparison.ts';
import { ConfigurationError } from '../../interface/index.ts';
import { withoutAdvice } from '../result/advice.ts';
import { frameOf } from '../run-load.ts';
import type { ComparisonSettings } from './compare-documents.ts';
import type { QUANTILES } from './compare-runs.ts';
import { type HistorySample, judgeHistory } from './judge-history.ts';
import { comparisonNotes, differencesOf } from './notes.ts';
import { DEFAULT_MARGIN_PERCENT } from './shifts.ts';
import { describeSides, type NamedDocument, type NamedRun, runsOf } from './sides.ts';
import { isUsable } from './usable.ts';

/** A document of load in a history. */
interface Entry {
  readonly name: string;
  readonly label: string | undefined;
  readonly startedAt: string;
  /** Its runs that can be compared; all where none can. */
  readonly runs: readonly [NamedRun, ...NamedRun[]];
  /** Reason why none can; null otherwise. */
  readonly whyNot: string | null;
}

/**
 * Compares the newest document of load in a history with those before it that were run alike: on the same CPU and
 * cores, with the same engine and plan, on the same target.
 *
 * @param documents of any kind and in any order
 * @param settings with the most documents before the newest that count
 * @throws ConfigurationError `HISTORY_EMPTY` without a document of load
 */
export function historyDocument(
  documents: readonly NamedDocument[],
  settings: Omit<ComparisonSettings, 'names'> & { readonly last: number },
): ComparisonDocument {
  const { last, marginPercent = DEFAULT_MARGIN_PERCENT, tool, nowMs } = settings;
  const entries = entriesOf(documents);
  const newest = entries.at(-1);
  if (newest === undefined) {
    throw new ConfigurationError(
      'HISTORY_EMPTY',
      'There is no document of load among these; give the folder in which load writes its runs. Two checks are compared by their files.',
      { field: 'history' },
    );
  }
  const reasonOf = ({ whyNot, runs }: Entry): string =>
    whyNot ?? differencesOf(runs[0], newest.runs[0]).join(', ');
  const leftOut = entries
    .map((entry) => ({ name: entry.name, reason: reasonOf(entry) }))
    .filter(({ reason }) => reason !== '');
  const alike = newest.whyNot ? [] : entries.filter((entry) => reasonOf(entry) === '');
  const { sides: counts, ...judged } = judgeHistory(alike.map(sampleOf), { last, marginPercent });
  const at = alike.length - counts.newest;
  const base = alike.slice(at - counts.before, at).flatMap(({ runs }) => runs);
  const candidate = alike.slice(at).flatMap(({ runs }) => runs);
  const sides = { kind: 'load', base, candidate } as const;
  const labels = new Set(alike.slice(at).map(({ label, startedAt }) => label ?? startedAt));
  const name = labels.size === 0 ? 'the newest' : [...labels].join(' and ');
  const notes = [...(base.length > 0 ? comparisonNotes(sides) : []), ...leftOutNotes(leftOut)];
  return {
    ...frameOf([...base, ...candidate], tool, nowMs),
    kind: 'comparison',
    ...judged,
    ...(newest.whyNot && {
      reason: `The newest, ${newest.name}, cannot be compared: ${newest.whyNot}.`,
    }),
    runs: { a: base, b: candidate },
    sides: describeSides(sides, { base: `the ${counts.before} before`, candidate: name }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Documents of load, each once, oldest first. */
function entriesOf(documents: readonly NamedDocument[]): Entry[] {
  const entries = documents.flatMap(({ name, document }): Entry[] => {
    if (document.kind !== 'load' && document.kind !== 'load-set') return [];
    const runs = runsOf([{ name, document }]);
    const usable = runs.filter((run) => whyNotUsable(run) === null);
    const [first, ...others] = usable.length > 0 ? usable : runs;
    if (first === undefined) return [];
    const { startedAt, label } = document;
    return [{ name, label, startedAt, runs: [first, ...others], whyNot: whyNotUsable(first) }];
  });
  const byStart = new Map(entries.map((entry) => [Date.parse(entry.startedAt), entry]));
  return [...byStart].sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

function whyNotUsable(run: NamedRun): string | null {
  if (run.interrupted) return 'interrupted';
  if (run.part) return 'a part of a load';
  return isUsable(run) ? null : `invalid: ${withoutAdvice(run.reason).replace(/\.$/, '')}`;
}

/** Runs of one command as one sample, since they share the luck of its moment: geometric means, and sums. */
function sampleOf({ runs, label }: Entry): HistorySample {
  const sum = (of: 'planned' | 'ok' | 'failed'): number =>
    runs.reduce((total, { achieved }) => total + achieved[of], 0);
  const mean = (of: (typeof QUANTILES)[number]['of']): number => {
    const logs = runs.map(({ latencyUs }) => Math.log(Math.max(latencyUs.response[of], 1)));
    return Math.exp(logs.reduce((total, log) => total + log, 0) / logs.length);
  };
  return {
    ...runs[0],
    label,
    achieved: { planned: sum('planned'), ok: sum('ok'), failed: sum('failed') },
    latencyUs: { response: { p50: mean('p50'), p90: mean('p90'), p99: mean('p99') } },
  };
}

/** Names in a sentence; the others are counted. */
const MOST_NAMED = 5;

/** A sentence for each reason for which runs are left out. */
function leftOutNotes(leftOut: NonNullable<ComparisonDocument['leftOut']>): string[] {
  return [...new Set(leftOut.map(({ reason }) => reason))].map((reason) => {
    const names = leftOut.filter((one) => one.reason === reason).map(({ name }) => name);
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return `Left out, ${reason}: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`;
  });
}
