import { countOf, formatInstant } from '../../text/quantities.ts';
import {
  isShown,
  type RuleHistory,
  type RuleRun,
  type RuleTrend,
  ruleHistories,
  type Stretch,
  steadyWords,
  verdictSign,
} from '../../text/trend.ts';
import { part, shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictClass } from '../verdict.ts';
import { runLink } from './load-trend.ts';

/** Stretches of a rule that are shown; of a rule that changed more often, the newest. */
const STRETCH_LIMIT = 40;

/** Runs of a stretch whose sign stands at its end too, since the beginning may be out of view. */
const LONG_STRETCH = 8;

/** Checks over time: a row for each rule that changed or needs a look, a column for each run. */
export function ruleTrendSection(trend: RuleTrend, id: string): Markup {
  const histories = ruleHistories(trend);
  const shown = histories.filter(({ stretches }) => isShown(stretches));
  const { runs } = trend;
  const steady = steadyWords(histories);
  const title = 'Rules by runs, the newest at the right';
  return html`${part(
    'Rules',
    `${id}-rules`,
    html`<p>${shown.length === 0 ? 'No rule has changed, and none is broken.' : 'A bar at the left of a cell marks a change. The cell leads to the rule in the page of its run, where that page lies beside the run.'}
    ${steady !== '' && `The same in ${runs.length === 1 ? 'the run' : 'all runs'}: ${steady}.`}</p>`,
    shown.length > 0 &&
      html`<div class="table-frame matrix" tabindex="0" role="group" aria-label="${title}">
      <table><caption class="visually-hidden">${title}</caption>
      <thead><tr><th scope="col">Rule</th>${runs.map(
        (run) =>
          html`<th scope="col" title="${formatInstant(run.startedAt)}: ${shortText(run.words, 60)}"><span>${runLink(run)}</span></th>`,
      )}</tr></thead>
      <tbody>${shown.map((history) => ruleRow(history, runs))}</tbody>
      </table></div>`,
  )}`;
}

function ruleRow({ rule, stretches }: RuleHistory, runs: readonly RuleRun[]): Markup {
  const shown = stretches.slice(-STRETCH_LIMIT);
  const hidden = stretches.length - shown.length;
  const older =
    hidden > 0 &&
    html`<td class="muted" colspan="${shown[0]?.from}">${countOf(hidden, 'older change')}</td>`;
  return html`<tr><th scope="row"><code>${shortText(rule, 100)}</code></th>${older}${shown.map(
    (stretch) => stretchCell(rule, stretch, runs),
  )}</tr>\n`;
}

function stretchCell(
  rule: string,
  { verdict, from, runs: count }: Stretch,
  runs: readonly RuleRun[],
): Markup {
  const run = runs[from] as RuleRun;
  const isChange = from > 0;
  const words = html`${verdictSign(verdict)}<span class="visually-hidden"> ${verdict ?? 'no verdict'}${count > 1 && `, ${count} runs`}</span>`;
  const content: Content =
    isChange && run.page !== null ? html`<a href="${`${run.page}#${rule}`}">${words}</a>` : words;
  const tone = verdict === null ? 'muted' : verdictClass(verdict);
  return html`<td class="${tone}${isChange && ' change'}"${count > 1 && html` colspan="${count}"`}>${content}${count > LONG_STRETCH && html`<span class="end" aria-hidden="true">${verdictSign(verdict)}</span>`}</td>`;
}
