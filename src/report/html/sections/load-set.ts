import type { LoadDocument, LoadSetDocument } from '../../../documents/load.ts';
import { headlineOf } from '../../text/headline.ts';
import { formatRate, formatUs } from '../../text/quantities.ts';
import { RUN_COLUMNS } from '../../text/tables/runs.ts';
import { part, table } from '../blocks.ts';
import { html } from '../markup.ts';
import { notesList, verdictHeader } from '../verdict-header.ts';
import { type ChartedSection, loadSection } from './load.ts';

/** Runs that are shown with their charts; the others are in the table only. */
const CHARTED_RUNS = 10;

/** Several load runs of one command: a table of all, then each run. */
export function loadSetSection(document: LoadSetDocument, id: string): ChartedSection {
  const runs = document.runs
    .slice(0, CHARTED_RUNS)
    .map((run, at) => ({ run, section: loadSection(run, `${id}-${at}`) }));
  const { verdict, achieved, p50, p99, max, failed } = RUN_COLUMNS;
  const link = {
    name: 'run',
    cell: (_: LoadDocument, at: number) =>
      at < CHARTED_RUNS ? html`<a href="#${id}-run-${at}">${at + 1}</a>` : at + 1,
  };
  const columns = [link, verdict, achieved, p50, p99, max, failed];
  const markup = html`${verdictHeader(document, `${id}-title`, [['runs', document.runs.length]])}
    ${notesList(document)}
    ${part('Runs', `${id}-runs`, table('Runs', columns, document.runs))}
    ${runs.map(
      ({ run, section }, at) => html`<details class="run" id="${id}-run-${at}">
        <summary class="opener run-head">Run ${at + 1}: ${runWords(run)}</summary>
        ${section.markup}
        </details>`,
    )}`;
  return { markup, charts: runs.flatMap(({ section }) => section.charts) };
}

function runWords(run: LoadDocument): string {
  const verdict = headlineOf(run).verdict.toLowerCase();
  const p99 = formatUs(run.latencyUs.response.p99);
  return `${verdict}, ${formatRate(run.achieved.rate)}, p99 ${p99}`;
}
