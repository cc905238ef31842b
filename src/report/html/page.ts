import type { ConformanceDocument } from '../../documents/conformance.ts';
import { ruleChanges } from '../../documents/rule-changes.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { column } from '../text/columns.ts';
import { headlineOf } from '../text/headline.ts';
import { formatInstant } from '../text/quantities.ts';
import { TONE_SIGNS } from '../text/tones.ts';
import { shortText, table } from './blocks.ts';
import { type CertificateSeal, certificateHead } from './certificate.ts';
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
 *
 * @param seal that of a certificate, which the page of its certification begins with
 */
export function toHtml(
  documents: readonly RunDocument[],
  seal: CertificateSeal | null = null,
): string {
  const runs = runsOf(documents);
  const sections = reportSections(documents);
  const [first] = documents;
  const headline = documents.length === 1 && first ? headlineOf(first) : null;
  const hasSeal = seal !== null && first?.kind === 'conformance';
  const body = hasSeal
    ? html`${certificateHead(first, seal)}
      <details class="run"><summary class="opener run-head">The certification in full</summary>
      ${sections.markup}</details>`
    : headline
      ? html`<h1 class="visually-hidden">Fareproof report</h1>${sections.markup}`
      : html`<h1>Report on ${documents.length} runs</h1>${overview(runs)}${sections.markup}`;
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
  const markup = html`${sections.map((section, at) => {
    const { id, document } = runs[at]!;
    // Runs of one target have one title.
    const label = `${shortText(nameOf(document), 200)}, run ${at + 1}, ${timeOf(document)}`;
    return html`<section class="run-section" id="${id}" aria-label="${label}">${section.markup}</section>
      `;
  })}`;
  return { markup, charts: sections.flatMap(({ charts }) => charts) };
}

function runsOf(documents: readonly RunDocument[]): Run[] {
  return documents.map((document, at) => ({ id: `run-${at + 1}`, document }));
}

function navigation(runs: readonly Run[]): Content {
  const links = runs.map(({ id, document }) => {
    const { tone } = headlineOf(document);
    const sign = html`<span class="${tone}" aria-hidden="true">${TONE_SIGNS[tone]}</span>`;
    return html`<a href="#${id}">${sign} ${shortText(nameOf(document), 40)}, ${timeOf(document)}</a>`;
  });
  return html`<nav aria-label="Runs">${links}</nav>`;
}

/** Time of day of a run's start. */
const timeOf = ({ startedAt }: RunDocument): string => formatInstant(startedAt).slice(11, 16);

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
      const started = html`<span class="meta flag">${formatInstant(document.startedAt)}</span>`;
      return html`<a href="#${id}">${shortText(nameOf(document), 200)}</a> ${started}`;
    }),
    column('summary', ({ document }: Run) => shortText(headlineOf(document).sentence, 400)),
  ];
  return html`<div class="overview">${table('Runs on this page', columns, runs, { isProse: true })}</div>`;
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
