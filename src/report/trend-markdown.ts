import { escapeMarkdown } from './escape.ts';
import { EMOJI, optionalTable, table } from './markdown.ts';
import { type Column, column } from './text/columns.ts';
import { countOf } from './text/quantities.ts';
import {
  beforeWords,
  FIGURE_COLUMNS,
  type FigureTrend,
  figureTrends,
  isShown,
  type LoadTrend,
  type RuleHistory,
  type RuleTrend,
  ruleHistories,
  sparkline,
  steadyWords,
  verdictSign,
} from './text/trend.ts';

/** Runs of a sparkline. */
const WIDTH = 30;

/** Renders trends in GitHub's Markdown, such as for `$GITHUB_STEP_SUMMARY`. */
export function trendToMarkdown(trends: readonly (LoadTrend | RuleTrend)[]): string {
  return trends.map((trend) => trendText(trend).join('\n')).join('\n');
}

function trendText(trend: LoadTrend | RuleTrend): string[] {
  const { title, runs } = trend;
  const { tone = 'neutral', words = '' } = runs.at(-1) ?? {};
  return [
    `## ${EMOJI[tone]} ${escapeMarkdown(title)}, ${countOf(runs.length, 'run')}: ${escapeMarkdown(words)}\n`,
    ...(trend.kind === 'load' ? loadParts(trend) : ruleParts(trend)),
  ];
}

const TREND: Column<FigureTrend> = column(`last ${WIDTH}`, ({ values }) => ({
  code: sparkline(values.slice(-WIDTH)),
}));

function loadParts(trend: LoadTrend): string[] {
  const columns = trend.runs.length > 1 ? [...FIGURE_COLUMNS, TREND] : FIGURE_COLUMNS;
  return [`${escapeMarkdown(beforeWords(trend))}\n`, table(columns, figureTrends(trend))];
}

function ruleParts(trend: RuleTrend): string[] {
  const { runs } = trend;
  const histories = ruleHistories(trend);
  const columns: Column<RuleHistory>[] = [
    column('rule', ({ rule }) => ({ code: rule })),
    column('newest', ({ stretches }) => stretches.at(-1)?.verdict ?? '–'),
    column('since', ({ stretches }) => runs[stretches.at(-1)?.from ?? 0]?.build ?? ''),
    column(`last ${WIDTH}`, ({ rule }) => ({
      code: runs
        .slice(-WIDTH)
        .map(({ verdicts }) => verdictSign(verdicts[rule] ?? null))
        .join(''),
    })),
  ];
  const steady = steadyWords(histories);
  return [
    ...optionalTable(
      columns,
      histories.filter(({ stretches }) => isShown(stretches)),
    ),
    ...(steady === '' ? [] : [`The same in all runs: ${steady}.\n`]),
  ];
}
