import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { ChangeKind, RuleChange, RuleChanges } from '../../documents/rule-changes.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import type { RuleVerdict } from '../../documents/rule-verdict.ts';
import { cutText } from '../escape.ts';
import { type Column, column } from './columns.ts';
import type { TextFact } from './load-words.ts';
import { formatInstant } from './quantities.ts';
import type { Tone } from './tones.ts';

const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
  fixed: 'fixed',
  newlyBroken: 'newly broken',
  newlyTried: 'newly tried',
  stillBroken: 'still broken',
  noLongerJudged: 'no longer judged',
};

const KINDS = Object.keys(KIND_WORDS) as readonly ChangeKind[];

/** Number of rules of each kind, such as `fixed 1, still broken 2`. */
export function changeCounts(changes: RuleChanges): string {
  const counts = KINDS.flatMap((kind) => {
    const { length } = changes[kind] ?? [];
    return length > 0 ? [`${KIND_WORDS[kind]} ${length}`] : [];
  });
  return counts.length > 0 ? counts.join(', ') : 'nothing changed, nothing is broken';
}

/** Changes since the run of `--against`, in a sentence; null without one. */
export function againstWords({ against }: ConformanceDocument): string | null {
  if (against === undefined) return null;
  const { run, startedAt } = against;
  return `Since ${run} (${formatInstant(startedAt)}): ${changeCounts(against)}.`;
}

/** A rule of a comparison, and what has become of it. */
export interface ChangeRow extends RuleChange {
  readonly kind: ChangeKind;
}

/** Kinds by what a reader should look at first. */
const WORST_FIRST: readonly ChangeKind[] = [
  'newlyBroken',
  'newlyTried',
  'noLongerJudged',
  'fixed',
  'stillBroken',
];

/** The rules that have changed or are still broken, the worst first. */
export function changeRows(changes: RuleChanges): ChangeRow[] {
  return WORST_FIRST.flatMap((kind) =>
    (changes[kind] ?? []).map((change) => ({ ...change, kind })),
  );
}

/** Kind of a change in words, with its tone. */
export function kindOutcome(kind: ChangeKind): { readonly tone: Tone; readonly words: string } {
  const tones = {
    fixed: 'good',
    newlyBroken: 'bad',
    newlyTried: 'caution',
    stillBroken: 'caution',
    noLongerJudged: 'unknown',
  } as const;
  return { tone: tones[kind], words: KIND_WORDS[kind] };
}

/** A verdict, or a dash where a run has no such rule. */
export const verdictOrDash = (verdict: RuleVerdict | null): string => verdict ?? '–';

/** A change in words, such as `newly broken (pass before, fail now)`. */
export function changeWords({ kind, before, after }: ChangeRow): string {
  return `${KIND_WORDS[kind]} (${verdictOrDash(before)} before, ${verdictOrDash(after)} now)`;
}

/** Columns of the rules that have changed in a run, which has their reasons itself. */
export const CHANGE_COLUMNS: readonly Column<ChangeRow>[] = [
  column('change', ({ kind }) => kindOutcome(kind)),
  column('rule', ({ rule }) => ({ code: rule })),
  column('before', ({ before }) => verdictOrDash(before)),
  column('after', ({ after }) => verdictOrDash(after)),
];

/** Columns of the rules of a comparison. */
export const COMPARED_COLUMNS: readonly Column<ChangeRow>[] = [
  ...CHANGE_COLUMNS,
  column('reason', reasonWords),
];

/** Characters of a reason in a table. */
const REASON_LIMIT = 300;

/** Reason of a change; empty for a rule that was fixed, of which nothing is left to do. */
export function reasonWords({ kind, reason }: ChangeRow): string {
  return kind === 'fixed' ? '' : cutText(reason, REASON_LIMIT);
}

/** True for a broken rule that does not make its command fail, since it was broken before, or may have been. */
export function isTolerated({ against }: ConformanceDocument, id: string): boolean {
  if (against?.failsOnNew !== true) return false;
  const { stillBroken, newlyTried = [] } = against;
  return [...stillBroken, ...newlyTried].some(({ rule }) => rule === id);
}

/** Both runs of a comparison, in words. */
export function comparedFacts({ side, base, candidate }: RuleComparisonDocument): TextFact[] {
  const words = ({ name, target, suite, startedAt, verdict }: typeof base): string => {
    const suiteName = side === 'client' ? '' : `, suite ${suite}`;
    return `${name}: ${target.name}${suiteName}, ${formatInstant(startedAt)}, ${verdict}`;
  };
  return [
    ['base', words(base)],
    ['candidate', words(candidate)],
  ];
}
