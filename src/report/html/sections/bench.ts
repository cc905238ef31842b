import type { BenchDocument } from '../../../documents/bench.ts';
import { formatNs, formatShare } from '../../text/quantities.ts';
import { part, shortText } from '../blocks.ts';
import { html, type Markup } from '../markup.ts';
import { notesPart, verdictHeader } from '../verdict-header.ts';

/** Steps that are shown. */
const STEP_LIMIT = 60;

/** Micro-benchmarks: the budget of the fast path as a bar, and each step of it. */
export function benchSection(document: BenchDocument, id: string): Markup {
  const steps = document.steps.slice(0, STEP_LIMIT);
  const totalNs = document.steps.reduce((sum, { nsMedian }) => sum + nsMedian, 0);
  const largest = steps.reduce((most, { share }) => Math.max(most, share), 0) || 1;
  let at = 0;
  const segments = steps.map(({ share }, index) => {
    const from = at;
    at += share * 100;
    return html`<rect class="step-${index % 6}" x="${from.toFixed(2)}%" width="${Math.max(0, share * 100).toFixed(2)}%" height="100%"/>`;
  });
  return html`${verdictHeader(document, `${id}-title`, [['All steps', formatNs(totalNs)]])}
${notesPart(document.notes)}
${part(
  'Budget',
  `${id}-budget`,
  html`<svg class="bar budget" role="img" aria-label="Share of each step of the fast path">${segments}</svg>`,
  html`<div class="rows budget-rows">${steps.map(
    ({ name, nsMedian, share }, index) =>
      html`<div class="row"><span class="row-name"><svg class="mark" aria-hidden="true"><rect class="step-${index % 6}" width="10" height="10" x="3" y="3" rx="2"/></svg> ${shortText(name, 200)}</span><svg class="strip" aria-hidden="true"><rect class="step-${index % 6}" y="20%" height="60%" width="${((share / largest) * 100).toFixed(2)}%" rx="2"/></svg><span class="row-value">${formatNs(nsMedian)} · ${formatShare(share)}</span></div>`,
  )}</div>`,
)}`;
}
