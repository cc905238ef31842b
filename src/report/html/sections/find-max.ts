import type { FindMaxDocument, Trial } from '../../../documents/find-max.ts';
import { TRIAL_COLUMNS, trialOutcome } from '../../text/tables.ts';
import { part, shortText, table } from '../blocks.ts';
import type { ChartSeries } from '../charts/chart-data.ts';
import { type ChartFigure, chartFigure } from '../charts/chart-figure.ts';
import { html } from '../markup.ts';
import { targetFacts, verdictHeader } from '../verdict.ts';
import type { ChartedSection } from './load.ts';

/** Trials that are shown. */
const TRIAL_LIMIT = 200;

/** A search for the maximum rate: its bounds, and the trials as a plot and as a table. */
export function findMaxSection(document: FindMaxDocument, id: string): ChartedSection {
  const trials = document.trials.slice(0, TRIAL_LIMIT);
  const { trial, outcome, rate, achieved, p50, p99, failed, coreWait, reason } = TRIAL_COLUMNS;
  const columns = [trial, outcome, rate, achieved, p50, p99, failed, coreWait, reason];
  const plots = trials.length > 1 ? [trialPlot(document.interval, trials, `${id}-rates`)] : [];
  const markup = html`${verdictHeader(document, id, [
    ...targetFacts(document.target),
    ['objective', html`<code>${shortText(document.objective, 300)}</code>`],
    ['trials', document.trials.length],
  ])}
    ${part(
      'Trials',
      `${id}-trials`,
      plots.map((plot) => plot.markup),
      table('Trials in order', columns, trials),
    )}`;
  return { markup, charts: plots.map(({ data }) => data) };
}

/** The rate of each trial as a dot, in order, and the bounds of the maximum as lines. */
function trialPlot(
  { low, high }: FindMaxDocument['interval'],
  trials: readonly Trial[],
  id: string,
): ChartFigure {
  const looks = [
    { label: 'held', color: 'teal', dashed: false },
    { label: 'fell short', color: 'red', dashed: true },
    { label: 'invalid', color: 'gray', dashed: true },
  ] as const;
  const outcomes = trials.map((trial) => trialOutcome(trial).words);
  const series = looks
    .filter(({ label }) => outcomes.includes(label))
    .map((look): ChartSeries => {
      const values = trials.map(({ rate }, at) => (outcomes[at] === look.label ? rate : null));
      return { ...look, drawn: 'dots', values };
    });
  const limits = [
    ...(high === null ? [] : [{ label: 'fell short', value: high }]),
    ...(low > 0 ? [{ label: 'held', value: low }] : []),
  ];
  const x = trials.map((_, at) => at + 1);
  return chartFigure(
    { id, x, xKind: 'trial', unit: 'requests/s', series, limits, height: 260 },
    'Rate of each trial',
    'In order. The highest rate is between the lines.',
  );
}
