import type { FindMaxDocument } from '../../../documents/find-max.ts';
import { TRIAL_COLUMNS } from '../../text/tables/trials.ts';
import { part, shortText, table } from '../blocks.ts';
import { trialPlot } from '../charts/trial-plot.ts';
import { html, type Markup } from '../markup.ts';
import { notesList, targetFacts, verdictHeader } from '../verdict-header.ts';

/** Trials that are shown. */
const TRIAL_LIMIT = 200;

/** A search for the maximum rate: the interval, and the trials as a plot and as a table. */
export function findMaxSection(document: FindMaxDocument, id: string): Markup {
  const trials = document.trials.slice(0, TRIAL_LIMIT);
  const { trial, outcome, rate, achieved, p50, p99, failed, reason } = TRIAL_COLUMNS;
  const columns = [trial, outcome, rate, achieved, p50, p99, failed, reason];
  return html`${verdictHeader(document, `${id}-title`, [
    ...targetFacts(document.target),
    ['objective', html`<code>${shortText(document.objective, 300)}</code>`],
    ['trials', document.trials.length],
  ])}
    ${notesList(document)}
    ${part(
      'Trials',
      `${id}-trials`,
      trials.length > 0 && trialPlot(document.interval, trials),
      table('Trials in order', columns, trials),
    )}`;
}
