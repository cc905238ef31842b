import type { BenchDocument } from '../../documents/bench.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { FindMaxDocument } from '../../documents/find-max.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import type { LoadDocument, LoadSetDocument } from '../../documents/load.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { countOf, formatInstant, formatNs, formatRate } from './quantities.ts';
import { againstWords, changeCounts } from './rule-changes.ts';
import { notableRules, openRules } from './rule-words.ts';
import type { Tone } from './tones.ts';

/** Summary of a document in four parts. */
export interface Headline {
  /** Subject of the run: `Conformance of staging`. */
  readonly title: string;
  /** Verdict in one to three words. */
  readonly verdict: string;
  /** Extent of the verdict: `49 of 102 rules judged, 1 waived`; of a conformance run only. */
  readonly counts?: string;
  readonly tone: Tone;
  /** Verdict in a sentence. */
  readonly sentence: string;
  /** Changes since the run of `--against`, in a sentence; left out if there is none. */
  readonly changes?: string;
  /** Changes that would make more rules testable, in a sentence; left out if there are none. */
  readonly remedies?: string;
}

/** Next step: about the worst finding, or to judge more; else as the command that wrote the document says. */
export function nextStepOf(
  document: RunDocument,
): { readonly words: string; readonly command?: string | undefined } | undefined {
  if (document.kind !== 'conformance') return document.next;
  const { diagnosis, next, scenarios = [] } = document;
  if (diagnosis !== undefined) return { ...next, words: diagnosis.remedy };
  const [worst] = notableRules(document);
  const { replay, repeat, verdict } = worst ?? {};
  if (replay !== undefined) return { words: 'send its deciding exchange again', command: replay };
  // Of what is inconclusive, most has one cause: the whole is judged again. So it is where a scenario alone failed.
  const isOfOther =
    verdict === 'inconclusive' ||
    (verdict !== 'fail' && scenarios.some((one) => one.verdict === 'fail'));
  if (repeat !== undefined && (!isOfOther || next === undefined))
    return { words: 'judge it again', command: repeat };
  const [open] = worst === undefined ? openRules(document) : [];
  if (open?.[0].remedy === undefined) return next;
  return { words: `+${countOf(open.length, 'rule')}: ${open[0].remedy}`, command: open[0].repeat };
}

/** Stands in every rendering of a run that was interrupted. */
export const INTERRUPTED_WORDS = 'Interrupted: partial results.';

/** Exit code and its reason, such as `Exit 1: --strict, 1 warning`; null if the document has none. */
export function exitWords({ exit }: Pick<RunDocument, 'exit'>): string | null {
  return exit === undefined ? null : `Exit ${exit.code}: ${exit.reason}`;
}

/** Verdict and what it covers, such as `Conformant, 49 of 102 rules judged`. */
export function verdictWords({ verdict, counts }: Headline): string {
  return counts === undefined ? verdict : `${verdict}, ${counts}`;
}

/** Summarizes a document. */
export function headlineOf(document: RunDocument): Headline {
  switch (document.kind) {
    case 'conformance':
      return conformanceHeadline(document);
    case 'load':
      return loadHeadline(document);
    case 'load-set':
      return loadSetHeadline(document);
    case 'find-max':
      return findMaxHeadline(document);
    case 'comparison':
      return comparisonHeadline(document);
    case 'rule-comparison':
      return ruleComparisonHeadline(document);
    case 'bench':
      return {
        title: 'Micro-benchmarks of the fast path',
        verdict: countOf(document.steps.length, 'step'),
        tone: 'neutral',
        sentence: benchSentence(document),
      };
  }
}

function benchSentence({ whole }: BenchDocument): string {
  const measured = 'Median time of each step, measured alone.';
  if (!whole) return measured;
  return `${measured} Shares are of "${whole.name}", ${formatNs(whole.nsMedian)}.`;
}

function conformanceHeadline(document: ConformanceDocument): Headline {
  const { side, target, verdict, summary } = document;
  const verdicts = {
    conformant: { verdict: 'Conformant', tone: summary.warn > 0 ? 'caution' : 'good' },
    'not-conformant': { verdict: 'Not conformant', tone: 'bad' },
    incomplete: { verdict: 'Incomplete', tone: 'unknown' },
  } as const;
  const failed = summary.fail > 0 ? `${countOf(summary.fail, 'rule')} failed` : 'No rule failed';
  const against = againstWords(document);
  const warned = summary.warn > 0 ? `, ${countOf(summary.warn, 'warning')}` : '';
  return {
    title: `${side === 'client' ? 'Certification' : 'Conformance'} of ${target.name}`,
    ...verdicts[verdict],
    counts: countsWords(document),
    sentence: `${failed}${warned}. ${completenessWords(document)}`,
    ...(against !== null && { changes: against }),
    ...remediesOf(document),
  };
}

/** Rules that were judged, of those that were not excluded, and the violations that are waived. */
function countsWords({ rules, summary }: ConformanceDocument): string {
  const asked = rules.filter(({ verdict }) => verdict !== 'excluded').length;
  const waived = summary.waived > 0 ? `, ${summary.waived} waived` : '';
  return `${judgedCount(summary)} of ${countOf(asked, 'rule')} judged${waived}`;
}

/** Remedies that are named in a headline; all of them are with their rules. */
const NAMED_REMEDIES = 3;

function remediesOf(document: ConformanceDocument): Pick<Headline, 'remedies'> {
  if (document.diagnosis?.isWhole === true) return {};
  const words = openRules(document).flatMap(({ length, 0: { remedy } }) =>
    remedy === undefined ? [] : [`${remedy} (${countOf(length, 'rule')})`],
  );
  if (words.length === 0) return {};
  const named = words.slice(0, NAMED_REMEDIES).join('; ');
  const more = words.length > NAMED_REMEDIES ? '; and others, see the rules' : '';
  return { remedies: `To judge more: ${named}${more}.` };
}

function completenessWords({ complete, summary, scenarios = [] }: ConformanceDocument): string {
  const { inconclusive, untestable, excluded } = summary;
  const left = excluded > 0 ? `; ${excluded} excluded` : '';
  if (complete) return `Complete: every rule of the suite was judged${left}.`;
  const counts = [
    ...(untestable > 0 ? [`${untestable} untestable`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
  ];
  const open = scenarios.filter(({ verdict }) => verdict === 'inconclusive').length;
  const missing = [
    ...(counts.length > 0
      ? [`${countOf(untestable + inconclusive, 'rule')} not judged (${counts.join(', ')})`]
      : []),
    ...(open > 0 ? [`${countOf(open, 'scenario')} not completed`] : []),
  ];
  return missing.length > 0 ? `Not complete: ${missing.join('; ')}${left}.` : 'Not complete.';
}

const LOAD_VERDICTS = {
  held: { verdict: 'Held', tone: 'good' },
  'fell-short': { verdict: 'Fell short', tone: 'bad' },
  invalid: { verdict: 'Invalid', tone: 'unknown' },
} as const;

/** Heading by verdict; `Held` is that of a whole run with a threshold of its own only. */
function headingOf(
  verdict: LoadDocument['verdict'],
  runs: readonly LoadDocument[],
): Pick<Headline, 'verdict' | 'tone'> {
  const isCut = runs.some(({ invalidBy }) => invalidBy === 'interruption');
  if (isCut && verdict !== 'fell-short') return { verdict: 'Interrupted', tone: 'unknown' };
  if (verdict !== 'held') return LOAD_VERDICTS[verdict];
  const isAsked = runs.some(({ thresholds }) => thresholds.some(({ isDefault }) => !isDefault));
  return isAsked ? LOAD_VERDICTS.held : { verdict: 'Done', tone: 'good' };
}

function loadHeadline(document: LoadDocument): Headline {
  const { target, verdict, reason } = document;
  return {
    title: `Load on ${target.name}`,
    ...headingOf(verdict, [document]),
    sentence: reason,
  };
}

function loadSetHeadline({ runs }: LoadSetDocument): Headline {
  const whole = runs.filter(({ interrupted }) => !interrupted);
  const short = whole.filter(({ verdict }) => verdict === 'fell-short').length;
  const invalid = whole.filter(({ verdict }) => verdict === 'invalid').length;
  const held = whole.length - short - invalid;
  const cut = runs.length - whole.length;
  const verdict = short > 0 ? 'fell-short' : invalid > 0 ? 'invalid' : 'held';
  return {
    title: `Load, ${countOf(runs.length, 'run')}`,
    ...headingOf(verdict, runs),
    sentence: `${held} held, ${short} fell short, ${invalid} invalid${cut === 0 ? '' : `, ${cut} interrupted`}.`,
  };
}

/** Verdicts of a search that was ended by the machine, the generator or the user. */
const UNDECIDED: ReadonlySet<string> = new Set([
  'generator-limited',
  'inconclusive',
  'interrupted',
  'invalid',
  'machine-disturbed',
  'not-settled',
  'target-unreachable',
]);

function findMaxHeadline(document: FindMaxDocument): Headline {
  const { interval, target, verdict, reason } = document;
  const { low, high } = interval;
  const isBad = verdict === 'fell-short' || low === 0;
  const range =
    high === null
      ? low === 0
        ? 'No rate measured'
        : `${formatRate(low)} or more`
      : low === 0
        ? `Below ${formatRate(high)}`
        : `${formatRate(low).replace('/s', '')}–${formatRate(high)}`;
  return {
    title: `Maximum rate of ${target.name}`,
    verdict: range,
    tone: UNDECIDED.has(verdict) ? 'unknown' : isBad ? 'bad' : 'good',
    sentence: reason,
  };
}

const COMPARISON_VERDICTS = {
  better: { verdict: 'Better', tone: 'good' },
  equivalent: { verdict: 'Equivalent', tone: 'good' },
  worse: { verdict: 'Worse', tone: 'bad' },
  inconclusive: { verdict: 'Inconclusive', tone: 'unknown' },
} as const;

function ruleComparisonHeadline(document: RuleComparisonDocument): Headline {
  const { base, candidate, verdict } = document;
  return {
    title: `Comparison of ${candidate.name} with ${base.name}`,
    ...COMPARISON_VERDICTS[verdict],
    sentence: `Since ${formatInstant(base.startedAt)}: ${changeCounts(document)}.`,
  };
}

function comparisonHeadline(document: ComparisonDocument): Headline {
  return {
    title: comparisonTitle(document),
    ...COMPARISON_VERDICTS[document.verdict],
    sentence: document.reason,
  };
}

/** `Comparison of 1.5 with 1.4`, the candidate first. */
function comparisonTitle({ sides }: ComparisonDocument): string {
  const { a, b } = sides ?? {};
  if (!a?.name && !b?.name) return 'Comparison of two builds';
  return `Comparison of ${b?.name ?? 'the candidate'} with ${a?.name ?? 'the base'}`;
}
