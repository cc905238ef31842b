import type { ConformanceDocument } from '../../documents/conformance.ts';
import { ruleChanges } from '../../documents/rule-changes.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { column } from '../text/columns.ts';
import { headlineOf } from '../text/headline.ts';
import { formatInstant } from '../text/quantities.ts';
import { shortText, table } from './blocks.ts';
import { renderReport } from './document.ts';
import { type EvidenceBudget, evidenceBudget } from './evidence/evidence.ts';
import { type Content, html } from './markup.ts';
import { benchSection } from './sections/bench.ts';
import { comparisonSection } from './sections/comparison.ts';
import { conformanceSection } from './sections/conformance/conformance.ts';
import type { RuleSection } from './sections/conformance/rules.ts';
import { findMaxSection } from './sections/find-max.ts';
import { type ChartedSection, loadSection, loadSetSection } from './sections/load.ts';
import { ruleComparisonSection } from './sections/rule-changes.ts';

/** A document and the id of its section. */
interface Run {
  readonly id: string;
  readonly document: RunDocument;
}

/**
 * Renders run documents as one self-contained page: no request to the network, a content security
 * policy, and text from targets escaped.
 */
export function toHtml(documents: readonly RunDocument[]): string {
  const runs = runsOf(documents);
  const sections = reportSections(documents);
  const headline = documents.length === 1 && documents[0] ? headlineOf(documents[0]) : null;
  const body = html`<h1 class="${headline ? 'visually-hidden' : ''}">
    ${headline ? 'Fareproof report' : `Report on ${documents.length} runs`}
    </h1>
    ${!headline && overview(runs)}
    ${sections.markup}`;
  const title = headline ? `${headline.verdict}: ${headline.title}` : `${documents.length} runs`;
  return renderReport(
    {
      title: shortText(title, 200),
      tone: headline?.tone ?? 'neutral',
      body,
      charts: sections.charts,
    },
    !headline && navigation(runs),
  );
}

/** The sections of run documents, one each; those of the live page too, once a command has ended. */
export function reportSections(documents: readonly RunDocument[]): ChartedSection {
  const runs = runsOf(documents);
  const budget = evidenceBudget(documents.filter(({ kind }) => kind === 'conformance').length);
  const sections = runs.map((run, at) => sectionOf(run, budget, runs.slice(0, at)));
  const markup = html`${sections.map(
    (section, at) => html`
      <section class="run-section" id="${runs[at]?.id}" aria-labelledby="${runs[at]?.id}-title">${section.markup}</section>
    `,
  )}`;
  return { markup, charts: sections.flatMap(({ charts }) => charts) };
}

function runsOf(documents: readonly RunDocument[]): Run[] {
  return documents.map((document, at) => ({ id: `run-${at + 1}`, document }));
}

function navigation(runs: readonly Run[]): Content {
  const links = runs.map(
    ({ id, document }) => html`<a href="#${id}">${shortText(nameOf(document), 60)}</a>`,
  );
  return html`<nav aria-label="Runs">${links}</nav>`;
}

/** Short name of a run: a certification without a name of the client has a whole command line as its title. */
function nameOf(document: RunDocument): string {
  const isUnnamed =
    document.kind === 'conformance' && document.side === 'client' && !document.client?.name;
  return isUnnamed ? 'Certification' : headlineOf(document).title;
}

function overview(runs: readonly Run[]): Content {
  const columns = [
    column('verdict', ({ document }: Run) => {
      const { tone, verdict } = headlineOf(document);
      return { tone, words: verdict };
    }),
    column('run', ({ id, document }: Run) => {
      return html`<a href="#${id}">${shortText(nameOf(document), 200)}</a>`;
    }),
    column('summary', ({ document }: Run) => shortText(headlineOf(document).sentence, 400)),
    column('started', ({ document }: Run) => formatInstant(document.startedAt)),
  ];
  return html`<div class="overview">${table('Runs on this page', columns, runs)}</div>`;
}

/** Ids of the rules of some documents. */
function rulesOf(runs: readonly Run[]): ReadonlySet<string> {
  return new Set(
    runs.flatMap(({ document }) =>
      document.kind === 'conformance' ? document.rules.map(({ id }) => id) : [],
    ),
  );
}

/** Changes since the run of `--against`, or since the run before it on the page. */
function changesOf(document: ConformanceDocument, runs: readonly Run[]): RuleSection['changes'] {
  const { against, side } = document;
  if (against !== undefined) return { title: `Changes since ${against.run}`, ...against };
  const before = runs.findLast(
    (run) => run.document.kind === 'conformance' && run.document.side === side,
  );
  if (before?.document.kind !== 'conformance') return null;
  const started = formatInstant(before.document.startedAt);
  return {
    title: `Changes since the run of ${started}`,
    ...ruleChanges(before.document, document),
  };
}

/** @param before runs above it on the page */
function sectionOf(
  { document, id }: Run,
  budget: EvidenceBudget,
  before: readonly Run[],
): ChartedSection {
  switch (document.kind) {
    case 'conformance': {
      const section = { id, earlierRules: rulesOf(before), changes: changesOf(document, before) };
      return { markup: conformanceSection(document, section, budget), charts: [] };
    }
    case 'load':
      return loadSection(document, id);
    case 'load-set':
      return loadSetSection(document, id);
    case 'find-max':
      return findMaxSection(document, id);
    case 'comparison':
      return { markup: comparisonSection(document, id), charts: [] };
    case 'rule-comparison':
      return { markup: ruleComparisonSection(document, id), charts: [] };
    case 'bench':
      return { markup: benchSection(document, id), charts: [] };
  }
}
