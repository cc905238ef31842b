import { countOf, formatInstant } from '../../text/quantities.ts';
import { type RuleHistory, ruleHistories, type Trend, verdictSign } from '../../text/trend.ts';
import { part, shortText } from '../blocks.ts';
import { html, type Markup } from '../markup.ts';
import { verdictClass } from '../verdict.ts';
import { runLink } from './load-trend.ts';

/** Stretches of a rule that are shown; of a rule that changed more often, the newest. */
const STRETCH_LIMIT = 40;
/** Runs of a stretch whose sign stands at its end too, since the beginning may be out of view. */
const LONG_STRETCH = 8;

/** Checks over time: a row for each rule that changed or needs a look, a column for each run. */
export function ruleTrendSection(trend: Trend, id: string): Markup {
  const { shown, steady } = ruleHistories(trend);
  const words =
    shown.length === 0
      ? 'No rule has changed, and none is broken.'
      : 'A bar at the left of a cell marks a change. The cell leads to the rule in the page of its run, where that page lies beside the run.';
  const title = 'Rules by runs, the newest at the right';
  const matrix = html`<div class="table-frame matrix" tabindex="0" role="group" aria-label="${title}">
    <table><caption class="visually-hidden">${title}</caption>
    <thead><tr><th scope="col">Rule</th>${trend.runs.map(
      (run) =>
        html`<th scope="col" title="${formatInstant(run.startedAt)}: ${shortText(run.words, 60)}"><span>${runLink(run)}</span></th>`,
    )}</tr></thead>
    <tbody>${shown.map((history) => ruleRow(history, trend))}</tbody>
    </table></div>`;
  const same = steady !== '' && ` The same in all runs: ${steady}.`;
  return html`${part('Rules', `${id}-rules`, html`<p>${words}${same}</p>`, shown.length > 0 && matrix)}`;
}

function ruleRow({ rule, stretches }: RuleHistory, { runs }: Trend): Markup {
  const shown = stretches.slice(-STRETCH_LIMIT);
  const hidden = stretches.length - shown.length;
  const cells = shown.map(({ verdict, from, runs: count }) => {
    const sign = verdictSign(verdict);
    const words = html`${sign}<span class="visually-hidden"> ${verdict ?? 'no verdict'}${count > 1 && `, ${count} runs`}</span>`;
    const page = runs[from]?.page ?? null;
    const content =
      from > 0 && page !== null ? html`<a href="${page}#${rule}">${words}</a>` : words;
    const tone = verdict === null ? 'muted' : verdictClass(verdict);
    return html`<td class="${tone}${from > 0 && ' change'}"${count > 1 && html` colspan="${count}"`}>${content}${count > LONG_STRETCH && html`<span class="end" aria-hidden="true">${sign}</span>`}</td>`;
  });
  return html`<tr><th scope="row"><code>${shortText(rule, 100)}</code></th>
    ${hidden > 0 && html`<td class="muted" colspan="${shown[0]?.from}">${countOf(hidden, 'older change')}</td>`}${cells}</tr>`;
}
