import type { FindMaxDocument, Trial } from '../../../documents/find-max.ts';
import { formatRate, formatShare, formatUs } from '../../text/quantities.ts';
import { badge, part, shortText, table } from '../blocks.ts';
import { roundTicks, upwardScale } from '../charts/svg-scale.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { notesPart, targetFacts, verdictHeader } from '../verdict-header.ts';

/** Trials that the plot and the table show. */
const TRIAL_LIMIT = 200;

/** A search for the highest rate: the interval, the trials as a plot and as a table. */
export function findMaxSection(document: FindMaxDocument, id: string): Markup {
  const trials = document.trials.slice(0, TRIAL_LIMIT);
  return html`${verdictHeader(document, `${id}-title`, [
    ...targetFacts(document.target),
    ['Objective', html`<code>${shortText(document.objective, 300)}</code>`],
    ['Trials', document.trials.length],
  ])}
${notesPart(document.notes)}
${part('Trials', `${id}-trials`, trials.length > 0 && trialPlot(document, trials), trialTable(trials))}`;
}

function trialPlot({ interval }: FindMaxDocument, trials: readonly Trial[]): Markup {
  const most = [...trials.map(({ rate }) => rate), interval.high ?? 0].reduce((a, b) =>
    Math.max(a, b),
  );
  const y = upwardScale(0, most);
  const ticks = roundTicks(0, most, 5);
  const x = (at: number): string => `${(((at + 0.5) / trials.length) * 100).toFixed(2)}%`;
  const low = Number.parseFloat(y(interval.low));
  const high = Number.parseFloat(y(interval.high ?? most));
  return html`<figure class="chart"><figcaption><b>Rate of each trial</b> <span class="meta">In the order they were run; the band is where the answer lies.</span></figcaption>
<div class="dots" role="img" aria-label="Rate of each trial, and the interval from ${formatRate(interval.low)} to ${interval.high === null ? 'unknown' : formatRate(interval.high)}">
<svg class="dots-axis" aria-hidden="true">${ticks.map((tick) => html`<text class="tick" x="100%" y="${y(tick)}" dy="4" text-anchor="end">${formatRate(tick)}</text>`)}</svg>
<svg class="dots-plot" aria-hidden="true">${ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
<rect class="band" x="0" width="100%" y="${high}%" height="${Math.max(0.5, low - high).toFixed(2)}%"/>
${trials.map((trial, at) => trialMark(trial, x(at), y(trial.rate)))}</svg></div>
<p class="key"><svg class="mark" aria-hidden="true"><circle class="held" cx="50%" cy="50%" r="5"/></svg> held <svg class="mark" aria-hidden="true"><circle class="short" cx="50%" cy="50%" r="5"/></svg> fell short <svg class="mark" aria-hidden="true"><circle class="void" cx="50%" cy="50%" r="5"/></svg> not valid</p></figure>`;
}

function trialMark(trial: Trial, x: string, y: string): Markup {
  const kind = trial.valid ? (trial.held ? 'held' : 'short') : 'void';
  return html`<circle class="${kind}" cx="${x}" cy="${y}" r="5"><title>${formatRate(trial.rate)}: ${outcomeWords(trial)}</title></circle>`;
}

function outcomeWords({ held, valid }: Trial): string {
  if (!valid) return 'not valid';
  return held ? 'held' : 'fell short';
}

function outcomeBadge(trial: Trial): Content {
  if (!trial.valid) return badge('unknown', '?', 'not valid');
  return trial.held ? badge('good', '✓', 'held') : badge('bad', '✕', 'fell short');
}

function trialTable(trials: readonly Trial[]): Content {
  return table(
    'Trials in the order they were run',
    [
      { name: 'Trial' },
      { name: 'Outcome' },
      { name: 'Rate', numeric: true },
      { name: 'Reached', numeric: true },
      { name: 'p50', numeric: true },
      { name: 'p99', numeric: true },
      { name: 'Failed', numeric: true },
      { name: 'Remark' },
    ],
    trials.map((trial, at) => [
      at + 1,
      outcomeBadge(trial),
      formatRate(trial.rate),
      trial.achievedRate === undefined ? '–' : formatRate(trial.achievedRate),
      trial.latencyUs === undefined ? '–' : formatUs(trial.latencyUs.response.p50),
      trial.latencyUs === undefined ? '–' : formatUs(trial.latencyUs.response.p99),
      trial.errors === undefined ? '–' : formatShare(trial.errors),
      shortText(trial.reason ?? '', 300),
    ]),
    { hideCaption: true },
  );
}
