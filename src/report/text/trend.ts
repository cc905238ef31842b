import type { RunsSpread } from '../../documents/load.ts';
import type { RuleVerdict } from '../../documents/rule-verdict.ts';
import { type Column, column, numbers } from './columns.ts';
import { formatShift } from './quantities.ts';
import { FIGURES } from './spread-tables.ts';
import { type Outcome, RULE_MARKS } from './tones.ts';

/** A run of a trend. */
export interface TrendRun extends Outcome {
  /** Its build, or its time where that is unknown. */
  readonly build: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Address of its own page, relative to that of the trend; null without one. */
  readonly page: string | null;
}

/** A build under load: the figures of its runs, null if none of them is valid. */
export interface LoadBuild extends TrendRun {
  readonly spread: RunsSpread | null;
}

/** A check or a certification, and the verdict on each rule by its id. */
export interface RuleRun extends TrendRun {
  readonly verdicts: Readonly<Record<string, RuleVerdict>>;
}

/** Runs that were run alike, oldest first, at least one. */
export interface Trend<Run extends TrendRun, Kind extends string> {
  readonly kind: Kind;
  readonly title: string;
  /** How all of them were run. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly runs: readonly Run[];
}

/** Loads of one plan on one machine. */
export type LoadTrend = Trend<LoadBuild, 'load'>;

/** Checks, or certifications, of one target. */
export type RuleTrend = Trend<RuleRun, 'rules'>;

/** Builds before the newest whose median it is shown beside. */
const MOST_BEFORE = 10;

type Figure = (typeof FIGURES)[number];

/** A figure of a trend of loads; values are null where a build has none. */
export interface FigureTrend {
  readonly field: Figure[0];
  readonly name: Figure[1];
  readonly format: Figure[2];
  /** Median of the runs of each build. */
  readonly values: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  readonly newest: number | null;
  /** Median over the builds before the newest, and their number. */
  readonly before: { readonly median: number; readonly builds: number } | null;
}

/** The figures of a trend of loads, one row each. */
export function figureTrends({ runs }: LoadTrend): FigureTrend[] {
  return FIGURES.map(([field, name, format]) => {
    const of = (end: 'median' | 'min' | 'max') =>
      runs.map(({ spread }) => spread?.[field][end] ?? null);
    const values = of('median');
    const before = values
      .slice(0, -1)
      .filter((value) => value !== null)
      .slice(-MOST_BEFORE);
    return {
      field,
      name,
      format,
      values,
      low: of('min'),
      high: of('max'),
      newest: values.at(-1) ?? null,
      before: before.length === 0 ? null : { median: medianOf(before), builds: before.length },
    };
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] as number) + (sorted[Math.ceil(at)] as number)) / 2;
}

/** Columns of the figures of a trend: the newest beside the median of those before it. */
export const FIGURE_COLUMNS: readonly Column<FigureTrend>[] = [
  column('figure', ({ name }) => name),
  numbers('newest', ({ newest, format }) => (newest === null ? '–' : format(newest))),
  numbers('median before', ({ before, format }) => (before ? format(before.median) : '–')),
  numbers('change', ({ newest, before }) =>
    newest === null || !before || before.median === 0
      ? '–'
      : formatShift((newest / before.median - 1) * 100),
  ),
];

/** Says what the newest is compared with, and that this is no verdict. */
export function beforeWords({ runs }: LoadTrend): string {
  const builds = Math.min(MOST_BEFORE, runs.length - 1);
  return builds === 0
    ? 'The first run: there is none before it.'
    : `Newest: ${runs.at(-1)?.build}, beside the median of ${builds === 1 ? 'the one' : `the ${builds}`} before it. compare --history judges the difference.`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Values as bars of one line of text, from the lowest to the highest of them; a space for none. */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return values
    .map((value) => {
      if (value === null) return ' ';
      return BARS[high > low ? Math.round(((value - low) / (high - low)) * 7) : 3];
    })
    .join('');
}

/** Runs next to each other with the same verdict on a rule, null for runs without the rule. */
export interface Stretch {
  readonly verdict: RuleVerdict | null;
  /** Index of the first run. */
  readonly from: number;
  readonly runs: number;
}

/** A rule over the runs of a trend. */
export interface RuleHistory {
  readonly rule: string;
  /** Oldest first. */
  readonly stretches: readonly Stretch[];
}

/** The rules of a trend: those that changed last first, then those that are broken, then the others. */
export function ruleHistories({ runs }: RuleTrend): RuleHistory[] {
  const rules = [...new Set(runs.flatMap(({ verdicts }) => Object.keys(verdicts)))];
  const histories = rules.map((rule) => {
    const stretches: Stretch[] = [];
    for (const [from, { verdicts }] of runs.entries()) {
      const verdict = verdicts[rule] ?? null;
      const last = stretches.at(-1);
      if (last?.verdict === verdict)
        stretches[stretches.length - 1] = { ...last, runs: last.runs + 1 };
      else stretches.push({ verdict, from, runs: 1 });
    }
    return { rule, stretches };
  });
  const order = ({ stretches }: RuleHistory): number =>
    stretches.length > 1 ? (stretches.at(-1)?.from ?? 0) : isShown(stretches) ? 0 : -1;
  return histories.sort((a, b) => order(b) - order(a));
}

/** True for a rule that has changed, or that needs a look in all runs alike. */
export function isShown(stretches: RuleHistory['stretches']): boolean {
  const verdict = stretches.at(-1)?.verdict;
  return (
    stretches.length > 1 || verdict === 'fail' || verdict === 'warn' || verdict === 'inconclusive'
  );
}

/** Sign of a verdict; a space for none. */
export const verdictSign = (verdict: RuleVerdict | null): string =>
  verdict === null ? ' ' : RULE_MARKS[verdict][1];

/** Rules that were alike in all runs and are not shown one by one, such as `61 pass, 4 excluded`. */
export function steadyWords(histories: readonly RuleHistory[]): string {
  const counts = new Map<string, number>();
  for (const { stretches } of histories) {
    const verdict = stretches[0]?.verdict ?? '';
    if (!isShown(stretches)) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
}
