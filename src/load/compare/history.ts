import type { ComparisonDocument } from '../../documents/comparison.ts';
import { ConfigurationError } from '../../interface/index.ts';
import { withoutAdvice } from '../result/advice.ts';
import { frameOf } from '../run-load.ts';
import type { ComparisonSettings } from './compare-documents.ts';
import { type HistoryJudgement, judgeHistory } from './judge-history.ts';
import { comparisonNotes, differencesOf } from './notes.ts';
import { DEFAULT_MARGIN_PERCENT } from './shifts.ts';
import { describeSides, type NamedDocument, type NamedRun, runsOf } from './sides.ts';
import { isUsable } from './usable.ts';

/** Settings of a judgement of a history. */
export interface HistorySettings extends Omit<ComparisonSettings, 'names'> {
  /** Most documents before the newest that it is compared with. */
  readonly last: number;
}

/** A document of load in a history, and those of its runs that can be compared. */
interface Sample {
  readonly name: string;
  readonly label: string | undefined;
  readonly startedAt: string;
  readonly runs: readonly NamedRun[];
}

type LeftOut = NonNullable<ComparisonDocument['leftOut']>[number];

/**
 * Compares the newest document of load in a history with those before it that were run alike: on the same CPU and
 * cores, with the same engine and plan, on the same target.
 *
 * @param documents of any kind and in any order
 * @throws ConfigurationError `HISTORY_EMPTY` without a document of load
 */
export function historyDocument(
  documents: readonly NamedDocument[],
  { last, marginPercent = DEFAULT_MARGIN_PERCENT, tool, nowMs }: HistorySettings,
): ComparisonDocument {
  const { samples, leftOut } = selectSamples(documents);
  const newest = samples.at(-1);
  const judged = newest && judgeHistory(samples, { last, marginPercent });
  const { before, newest: count } = judged?.sides ?? { before: 0, newest: 0 };
  const at = samples.length - count;
  const runsOfAll = (some: readonly Sample[]): NamedRun[] => some.flatMap(({ runs }) => runs);
  const base = runsOfAll(samples.slice(at - before, at));
  const candidate = runsOfAll(samples.slice(at));
  const sides = { kind: 'load', base, candidate } as const;
  const notes = [...(base.length > 0 ? comparisonNotes(sides) : []), ...leftOutNotes(leftOut)];
  return {
    ...frameOf([...base, ...candidate], tool, nowMs),
    kind: 'comparison',
    ...(judged?.comparison ?? nothingToJudge(leftOut, marginPercent)),
    runs: { a: base, b: candidate },
    sides: describeSides(sides, { candidate: newest?.label }),
    ...(leftOut.length > 0 && { leftOut }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Comparison without a usable newest run, which is the first that is left out. */
function nothingToJudge(
  [newest]: readonly LeftOut[],
  marginPercent: number,
): HistoryJudgement['comparison'] {
  return {
    verdict: 'inconclusive',
    reason: `The newest run, ${newest?.name}, cannot be compared: ${newest?.reason}.`,
    quantiles: [],
    marginPercent,
    confidence: 0,
    correction: 'none',
    paired: false,
    runsNeeded: null,
  };
}

/** Samples that were run as the newest was, oldest first, and the others; none if the newest cannot be compared. */
function selectSamples(documents: readonly NamedDocument[]): {
  samples: Sample[];
  leftOut: LeftOut[];
} {
  const newestFirst = loadsOf(documents).sort(
    (a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt),
  );
  const leftOut: LeftOut[] = [];
  const samples: Sample[] = [];
  const [newest] = newestFirst;
  for (const { whyNot, ...sample } of newestFirst) {
    const differs = differencesOf(sample.runs[0] as NamedRun, newest?.runs[0] as NamedRun);
    const reason = whyNot ?? (differs.length > 0 ? differs.join(', ') : null);
    if (reason === null) samples.unshift(sample);
    else leftOut.push({ name: sample.name, reason });
  }
  return newest?.whyNot ? { samples: [], leftOut } : { samples, leftOut };
}

/** Documents of load, each once, with the reason why it cannot be compared. */
function loadsOf(documents: readonly NamedDocument[]): (Sample & { whyNot: string | null })[] {
  const seen = new Set<string>();
  const loads = documents.flatMap(({ name, document }) => {
    if (document.kind !== 'load' && document.kind !== 'load-set') return [];
    const { startedAt, finishedAt, label } = document;
    const runs = runsOf([{ name, document }]);
    if (runs.length === 0 || seen.size === seen.add(`${startedAt} ${finishedAt}`).size) return [];
    const usable = runs.filter((run) => whyNotUsable(run) === null);
    const whyNot = usable.length === 0 ? whyNotUsable(runs[0] as NamedRun) : null;
    return [{ name, label, startedAt, runs: whyNot === null ? usable : runs, whyNot }];
  });
  if (loads.length > 0) return loads;
  throw new ConfigurationError(
    'HISTORY_EMPTY',
    'There is no document of load among these; give the folder in which load writes its runs. Two checks are compared by their files.',
    { field: 'history' },
  );
}

function whyNotUsable(run: NamedRun): string | null {
  if (run.interrupted) return 'interrupted';
  if (run.part) return 'a part of a load';
  return isUsable(run) ? null : `invalid: ${withoutAdvice(run.reason).replace(/\.$/, '')}`;
}

/** Names in a sentence; the others are counted. */
const MOST_NAMED = 5;

/** A sentence for each reason for which runs are left out. */
function leftOutNotes(leftOut: readonly LeftOut[]): string[] {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = leftOut.filter((one) => one.reason === reason).map(({ name }) => name);
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return `Left out, ${reason}: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`;
  });
}
