import { escapeMarkdown } from './escape.ts';
import { EMOJI, optionalTable, table } from './markdown.ts';
import { column } from './text/columns.ts';
import { countOf } from './text/quantities.ts';
import {
  beforeWords,
  FIGURE_COLUMNS,
  type FigureTrend,
  figureTrends,
  type RuleHistory,
  ruleHistories,
  sparkline,
  type Trend,
  verdictSign,
} from './text/trend.ts';

/** Runs of a sparkline. */
const WIDTH = 30;

/** Renders trends in GitHub's Markdown, such as for `$GITHUB_STEP_SUMMARY`. */
export function trendToMarkdown(trends: readonly Trend[]): string {
  return trends.map((trend) => trendText(trend).join('\n')).join('\n');
}

function trendText(trend: Trend): string[] {
  const { kind, title, runs } = trend;
  const { tone = 'neutral', words = '' } = runs.at(-1) ?? {};
  return [
    `## ${EMOJI[tone]} ${escapeMarkdown(title)}, ${countOf(runs.length, 'run')}: ${escapeMarkdown(words)}\n`,
    ...(kind === 'load' ? figureParts(trend) : ruleParts(trend)),
  ];
}

function figureParts(trend: Trend): string[] {
  const line = column(`last ${WIDTH}`, ({ values }: FigureTrend) => {
    return { code: sparkline(values.slice(-WIDTH)) };
  });
  return [
    `${escapeMarkdown(beforeWords(trend))}\n`,
    table([...FIGURE_COLUMNS, line], figureTrends(trend)),
  ];
}

function ruleParts(trend: Trend): string[] {
  const { shown, steady } = ruleHistories(trend);
  const last = trend.runs.slice(-WIDTH);
  const columns = [
    column('rule', ({ rule }: RuleHistory) => ({ code: rule })),
    column('newest', ({ stretches }: RuleHistory) => stretches.at(-1)?.verdict ?? '–'),
    column('since', ({ stretches }: RuleHistory) => {
      return trend.runs[stretches.at(-1)?.from ?? 0]?.build ?? '';
    }),
    column(`last ${WIDTH}`, ({ rule }: RuleHistory) => {
      return { code: last.map(({ verdicts }) => verdictSign(verdicts[rule] ?? null)).join('') };
    }),
  ];
  return [
    ...optionalTable(columns, shown),
    ...(steady ? [`The same in all runs: ${steady}.\n`] : []),
  ];
}
