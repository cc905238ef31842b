import type { LoadSetDocument } from '../../../documents/load-set.ts';
import { headlineOf } from '../../text/headline.ts';
import { formatCount, formatRate, formatUs } from '../../text/quantities.ts';
import { badge, part, table } from '../blocks.ts';
import { html } from '../markup.ts';
import { glyphOf, notesPart, verdictHeader } from '../verdict-header.ts';
import { type ChartedSection, loadSection } from './load.ts';

/** Runs that are shown with their charts; the rest stand in the table. */
const CHARTED_RUNS = 10;

/** Several load runs of one command: a table of all, then each run. */
export function loadSetSection(document: LoadSetDocument, id: string): ChartedSection {
  const runs = document.runs
    .slice(0, CHARTED_RUNS)
    .map((run, at) => ({ run, section: loadSection(run, `${id}-${at}`) }));
  const markup = html`${verdictHeader(document, `${id}-title`, [['Runs', document.runs.length]])}
${notesPart(document.notes)}
${part(
  'Runs',
  `${id}-runs`,
  table(
    'Each run',
    [
      { name: 'Run' },
      { name: 'Verdict' },
      { name: 'Reached', numeric: true },
      { name: 'p50', numeric: true },
      { name: 'p99', numeric: true },
      { name: 'Max', numeric: true },
      { name: 'Failed', numeric: true },
    ],
    document.runs.map((run, at) => {
      const { tone, verdict } = headlineOf(run);
      const { p50, p99, max } = run.latencyUs.response;
      return [
        at < CHARTED_RUNS ? html`<a href="#${id}-run-${at}">${at + 1}</a>` : at + 1,
        badge(tone, glyphOf(tone), verdict),
        formatRate(run.achieved.rate),
        formatUs(p50),
        formatUs(p99),
        formatUs(max),
        formatCount(run.achieved.failed),
      ];
    }),
    { hideCaption: true },
  ),
)}
${runs.map(
  ({ run, section }, at) =>
    html`<details class="run" id="${id}-run-${at}"><summary class="opener run-head">Run ${at + 1}: ${headlineOf(run).verdict.toLowerCase()}, ${formatRate(run.achieved.rate)}, p99 ${formatUs(run.latencyUs.response.p99)}</summary>${section.markup}</details>`,
)}`;
  return { markup, charts: runs.flatMap(({ section }) => section.charts) };
}
