import { column, numbers } from '../../text/columns.ts';
import { capitalized } from '../../text/prose.ts';
import { formatInstant } from '../../text/quantities.ts';
import { FIGURES } from '../../text/spread-tables.ts';
import {
  beforeWords,
  FIGURE_COLUMNS,
  type FigureTrend,
  figureTrends,
  type Trend,
  type TrendRun,
} from '../../text/trend.ts';
import { badge, part, shortText, table } from '../blocks.ts';
import { type ChartFigure, chartFigure } from '../charts/chart-figure.ts';
import { rounded } from '../charts/time-charts.ts';
import { type Content, html } from '../markup.ts';
import type { ChartedSection } from './load.ts';

/** Loads over builds: the newest beside the median before it, a line for each figure, and the runs. */
export function loadTrendSection(trend: Trend, id: string): ChartedSection {
  const figures = figureTrends(trend);
  const charts = trend.runs.length > 1 ? figures.map((one) => figureChart(one, trend, id)) : [];
  const columns = [
    column('build', runLink),
    column('started', ({ startedAt }: TrendRun) => formatInstant(startedAt)),
    column('verdict', ({ tone, words }: TrendRun) => badge(tone, words)),
    numbers('runs', ({ spread }: TrendRun) => spread?.runs ?? 0),
    ...FIGURES.map(([field, name, format]) =>
      numbers(name, ({ spread }: TrendRun) => (spread ? format(spread[field].median) : '–')),
    ),
  ];
  const runs = table('Runs, the newest first', columns, trend.runs.toReversed());
  const markup = html`
    ${part('Newest', `${id}-newest`, html`<p>${shortText(beforeWords(trend), 300)}</p>`, table('Newest', FIGURE_COLUMNS, figures))}
    ${charts.length > 0 && part('Builds', `${id}-builds`, html`<div class="pair">${charts.map((one) => one.markup)}</div>`)}
    ${part('Runs', `${id}-runs`, html`<div class="figures">${runs}</div>`)}`;
  return { markup, charts: charts.map(({ data }) => data) };
}

/** Build of a run, as a link to its page if there is one. */
export function runLink({ build, page }: TrendRun): Content {
  const name = shortText(build, 60);
  return page === null ? name : html`<a href="${page}">${name}</a>`;
}

function figureChart(
  { field, name, values, before }: FigureTrend,
  trend: Trend,
  id: string,
): ChartFigure {
  const { runs } = trend;
  const color = field.startsWith('p99') ? 'orange' : field === 'failed' ? 'red' : 'blue';
  const end = (label: string, of: 'min' | 'max') => {
    const ends = runs.map(({ spread }) => rounded(spread?.[field][of] ?? null));
    return { label, values: ends, color, drawn: 'end' } as const;
  };
  const isRepeated = runs.some(({ spread }) => (spread?.runs ?? 0) > 1);
  return chartFigure(
    {
      id: `${id}-${field}`,
      x: [...values.keys()],
      xKind: 'build',
      builds: runs.map(({ build }) => shortText(build, 60)),
      unit: field === 'rate' ? 'requests/s' : field === 'failed' ? 'share' : 'us',
      series: [
        { label: name, values: values.map(rounded), color },
        ...(isRepeated ? [end('lowest', 'min'), end('highest', 'max')] : []),
      ],
      limits: before === null ? [] : [{ label: 'median before', value: before }],
      group: id,
      height: 180,
    },
    capitalized(name),
    isRepeated ? 'Median of the runs of a build; band: lowest to highest.' : 'By build.',
  );
}
