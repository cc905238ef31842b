import type { RunsSpread } from '../../documents/load.ts';
import type { RuleVerdict } from '../../documents/rule-verdict.ts';
import { column, numbers } from './columns.ts';
import { formatShift } from './quantities.ts';
import { FIGURES } from './spread-tables.ts';
import { type Outcome, RULE_MARKS } from './tones.ts';

/** A run of a trend, or the runs of one build under load. */
export interface TrendRun extends Outcome {
  /** Its build, or its time where that is unknown. */
  readonly build: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Address of its own page, relative to that of the trend; null without one. */
  readonly page: string | null;
  /** Figures of a load; null if no run of it is valid. */
  readonly spread: RunsSpread | null;
  /** Verdicts of a check or a certification, by the id of the rule. */
  readonly verdicts: Readonly<Record<string, RuleVerdict>>;
}

/** Runs that were run alike: loads of one plan on one machine, or checks of one target. */
export interface Trend {
  readonly kind: 'load' | 'rules';
  readonly title: string;
  /** Plan and machine of all of them. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Oldest first, at least one. */
  readonly runs: readonly TrendRun[];
}

/** Builds before the newest whose median it is shown beside. */
const MOST_BEFORE = 10;

/** The figures of a trend of loads, one row each, with their median by build; null where a build has none. */
export function figureTrends({ runs }: Trend) {
  return FIGURES.map(([field, name, format]) => {
    const values = runs.map(({ spread }) => spread?.[field].median ?? null);
    const before = values
      .slice(0, -1)
      .filter((value) => value !== null)
      .slice(-MOST_BEFORE);
    return { field, name, format, values, newest: values.at(-1) ?? null, before: medianOf(before) };
  });
}

/** A figure over the builds of a trend. */
export type FigureTrend = ReturnType<typeof figureTrends>[number];

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return values.length === 0 ? null : middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/** Columns of the figures of a trend: the newest beside the median of those before it. */
export const FIGURE_COLUMNS = [
  column('figure', ({ name }: FigureTrend) => name),
  numbers('newest', ({ newest, format }: FigureTrend) => (newest === null ? '–' : format(newest))),
  numbers('median before', ({ before, format }: FigureTrend) =>
    before === null ? '–' : format(before),
  ),
  numbers('change', ({ newest, before }: FigureTrend) =>
    newest === null || !before ? '–' : formatShift((newest / before - 1) * 100),
  ),
];

/** Says what the newest is compared with. */
export function beforeWords({ runs }: Trend): string {
  const builds = Math.min(MOST_BEFORE, runs.length - 1);
  if (builds === 0) return 'The first run: there is none before it.';
  return `Newest: ${runs.at(-1)?.build}, beside the median of ${builds} before it.`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Values as bars of one line of text, from the lowest to the highest of them; a space for none. */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const barOf = (value: number) =>
    BARS[high > low ? Math.round(((value - low) / (high - low)) * 7) : 3];
  return values.map((value) => (value === null ? ' ' : barOf(value))).join('');
}

/** A rule over the runs of a trend: stretches of runs with the same verdict, null for none; oldest first. */
export interface RuleHistory {
  readonly rule: string;
  readonly stretches: readonly {
    readonly verdict: RuleVerdict | null;
    /** Index of the first run. */
    readonly from: number;
    readonly runs: number;
  }[];
}

/**
 * The rules of a trend that have changed, the last change first, or that are broken or inconclusive throughout; and
 * the number of the others by verdict, such as `61 pass, 4 excluded`.
 */
export function ruleHistories({ runs }: Trend): { shown: RuleHistory[]; steady: string } {
  const shown: RuleHistory[] = [];
  const steady = new Map<string, number>();
  for (const rule of new Set(runs.flatMap(({ verdicts }) => Object.keys(verdicts)))) {
    const verdicts = runs.map((run) => run.verdicts[rule] ?? null);
    const starts = [...verdicts.keys()].filter(
      (at) => at === 0 || verdicts[at] !== verdicts[at - 1],
    );
    const verdict = verdicts[0] ?? null;
    if (
      starts.length === 1 &&
      verdict !== null &&
      !['fail', 'warn', 'inconclusive'].includes(verdict)
    ) {
      steady.set(verdict, (steady.get(verdict) ?? 0) + 1);
      continue;
    }
    const stretches = starts.map((from, at) => {
      return {
        verdict: verdicts[from] ?? null,
        from,
        runs: (starts[at + 1] ?? runs.length) - from,
      };
    });
    shown.push({ rule, stretches });
  }
  shown.sort((a, b) => (b.stretches.at(-1)?.from ?? 0) - (a.stretches.at(-1)?.from ?? 0));
  return { shown, steady: [...steady].map(([verdict, count]) => `${count} ${verdict}`).join(', ') };
}

/** Sign of a verdict; a space for none. */
export const verdictSign = (verdict: RuleVerdict | null): string =>
  verdict === null ? ' ' : RULE_MARKS[verdict][1];
