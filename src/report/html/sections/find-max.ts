import type { FindMaxDocument, Trial } from '../../../documents/find-max.ts';
import { formatRate } from '../../text/quantities.ts';
import { TRIAL_COLUMNS, trialOutcome } from '../../text/tables.ts';
import { part, shortText, table } from '../blocks.ts';
import { legend, linearScale, plotFigure, roundTicks } from '../charts/dot-plots.ts';
import { html, type Markup } from '../markup.ts';
import { targetFacts, verdictHeader } from '../verdict.ts';

/** Trials that are shown. */
const TRIAL_LIMIT = 200;

/** A search for the maximum rate: the interval, and the trials as a plot and as a table. */
export function findMaxSection(document: FindMaxDocument, id: string): Markup {
  const trials = document.trials.slice(0, TRIAL_LIMIT);
  const { trial, outcome, rate, achieved, p50, p99, failed, coreWait, reason } = TRIAL_COLUMNS;
  const columns = [trial, outcome, rate, achieved, p50, p99, failed, coreWait, reason];
  return html`${verdictHeader(document, id, [
    ...targetFacts(document.target),
    ['objective', html`<code>${shortText(document.objective, 300)}</code>`],
    ['trials', document.trials.length],
  ])}
    ${part(
      'Trials',
      `${id}-trials`,
      trials.length > 0 && trialPlot(document.interval, trials),
      table('Trials in order', columns, trials),
    )}`;
}

/** The rate of each trial as a dot, in order; a band shows the interval of the maximum. */
function trialPlot({ low, high }: FindMaxDocument['interval'], trials: readonly Trial[]): Markup {
  const most = trials.reduce((max, { rate }) => Math.max(max, rate), high ?? 0);
  const ticks = roundTicks(0, most, 5);
  const down = linearScale(-most, 0, 0.08);
  const y = (rate: number): string => down(-rate);
  const x = (at: number): string => `${(((at + 0.5) / trials.length) * 100).toFixed(2)}%`;
  const range = `${formatRate(low)} to ${high === null ? 'unknown' : formatRate(high)}`;
  return plotFigure(
    'Rate of each trial',
    'In order; the band is the interval of the maximum rate.',
    html`<div class="dots" role="img" aria-label="Rate of each trial; interval from ${range}">
    <svg class="dots-axis" aria-hidden="true">${ticks.map((tick) => tickLabel(tick, y(tick)))}</svg>
    <svg class="dots-plot" aria-hidden="true">
    ${ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
    ${band(y(low), y(high ?? most))}
    ${trials.map((trial, at) => dot(trial, x(at), y(trial.rate)))}
    </svg>
    </div>`,
    legend({ good: 'held', short: 'fell short', invalid: 'invalid' }),
  );
}

function tickLabel(tick: number, y: string): Markup {
  return html`<text class="tick" x="100%" y="${y}" dy="4" text-anchor="end">${formatRate(tick)}</text>`;
}

function band(lowY: string, highY: string): Markup {
  const height = Math.max(0.5, Number.parseFloat(lowY) - Number.parseFloat(highY)).toFixed(2);
  return html`<rect class="band" x="0" width="100%" y="${highY}" height="${height}%"/>`;
}

function dot(trial: Trial, x: string, y: string): Markup {
  const kind = trial.valid ? (trial.held ? 'good' : 'short') : 'invalid';
  const title = `${formatRate(trial.rate)}: ${trialOutcome(trial).words}`;
  return html`<circle class="${kind}" cx="${x}" cy="${y}" r="5"><title>${title}</title></circle>`;
}
