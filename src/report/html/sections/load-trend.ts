import { type Column, column, numbers } from '../../text/columns.ts';
import { formatInstant } from '../../text/quantities.ts';
import { FIGURES } from '../../text/spread-tables.ts';
import {
  beforeWords,
  FIGURE_COLUMNS,
  type FigureTrend,
  figureTrends,
  type LoadBuild,
  type LoadTrend,
  type TrendRun,
} from '../../text/trend.ts';
import { badge, part, shortText, table } from '../blocks.ts';
import type { ChartColor } from '../charts/chart-data.ts';
import { type ChartFigure, chartFigure, zoomBar } from '../charts/chart-figure.ts';
import { rounded } from '../charts/time-charts.ts';
import { type Content, html } from '../markup.ts';
import type { ChartedSection } from './load.ts';

/** Loads over builds: the newest beside the median before it, a line for each figure, and the runs. */
export function loadTrendSection(trend: LoadTrend, id: string): ChartedSection {
  const figures = figureTrends(trend);
  const charts = trend.runs.length > 1 ? figures.map((one) => figureChart(one, trend, id)) : [];
  const columns = [
    column('build', runLink),
    column('started', ({ startedAt }: LoadBuild) => formatInstant(startedAt)),
    column('verdict', ({ tone, words }: LoadBuild) => badge(tone, words)),
    numbers('runs', ({ spread }: LoadBuild) => `${spread?.runs ?? 0}`),
    ...FIGURES.map(figureColumn),
  ];
  const markup = html`
    ${part('Newest', `${id}-newest`, html`<p>${shortText(beforeWords(trend), 300)}</p>`, table('Newest', FIGURE_COLUMNS, figures))}
    ${part('Builds', `${id}-builds`, charts.length > 0 && zoomBar(id, 'trend'), html`<div class="pair">${charts.map((one) => one.markup)}</div>`)}
    ${part('Runs', `${id}-runs`, html`<div class="figures">${table('Runs, the newest first', columns, trend.runs.toReversed())}</div>`)}`;
  return { markup, charts: charts.map(({ data }) => data) };
}

/** Build of a run, as a link to its page if there is one. */
export function runLink({ build, page }: TrendRun): Content {
  const name = shortText(build, 60);
  return page === null ? name : html`<a href="${page}">${name}</a>`;
}

function figureColumn([field, name, format]: (typeof FIGURES)[number]): Column<LoadBuild> {
  return numbers(name, ({ spread }) => (spread ? format(spread[field].median) : '–'));
}

const COLORS: Readonly<Record<FigureTrend['field'], ChartColor>> = {
  rate: 'teal',
  p50: 'blue',
  p90: 'blue',
  p99: 'orange',
  p99_9: 'red',
  failed: 'red',
};

function figureChart(figure: FigureTrend, { runs }: LoadTrend, id: string): ChartFigure {
  const { field, name, values, low, high, before } = figure;
  const isRepeated = runs.some(({ spread }) => (spread?.runs ?? 0) > 1);
  const band = { low: low.map(rounded), high: high.map(rounded) };
  return chartFigure(
    {
      id: `${id}-${field}`,
      x: [...values.keys()],
      xKind: 'build',
      builds: runs.map(({ build }) => shortText(build, 60)),
      unit: field === 'rate' ? 'requests/s' : field === 'failed' ? 'share' : 'us',
      isClose: true,
      series: [
        {
          label: name,
          values: values.map(rounded),
          color: COLORS[field],
          ...(isRepeated && { band }),
        },
      ],
      limits: before ? [{ label: 'median before', value: before.median }] : [],
      group: id,
      height: 180,
    },
    name === 'rate' ? 'Rate' : name === 'failed' ? 'Failed' : name,
    isRepeated ? 'Median of the runs of a build; band: lowest to highest.' : 'By build.',
  );
}
