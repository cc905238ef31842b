import type { RunDocument } from '../../documents/run-document.ts';
import { headlineOf } from '../text/headline.ts';
import { formatInstant } from '../text/quantities.ts';
import { badge, shortText, table } from './blocks.ts';
import { type EvidenceRoom, evidenceRoom } from './evidence/evidence.ts';
import { type Content, html } from './markup.ts';
import { benchSection } from './sections/bench.ts';
import { comparisonSection } from './sections/comparison.ts';
import { conformanceSection } from './sections/conformance.ts';
import { findMaxSection } from './sections/find-max.ts';
import { type ChartedSection, loadSection } from './sections/load.ts';
import { loadSetSection } from './sections/load-set.ts';
import { pageShell } from './shell.ts';
import { glyphOf } from './verdict-header.ts';

/**
 * Run documents as one self-contained page, worst taken as they come: no network, a content
 * security policy, text of targets inert.
 */
export function toHtml(documents: readonly RunDocument[]): string {
  const judged = documents.filter(({ kind }) => kind === 'conformance').length;
  const room = evidenceRoom(judged);
  const sections = documents.map((document, at) => ({
    id: `run-${at + 1}`,
    document,
    section: sectionOf(document, `run-${at + 1}`, room),
  }));
  const [first] = documents;
  const headline = first && headlineOf(first);
  const title =
    headline && documents.length === 1
      ? `${headline.verdict}: ${headline.title}`
      : `${documents.length} runs`;
  const body = html`<a class="skip" href="#main">Skip to the report</a>
<header class="top"><p class="brand">Fareproof</p>${documents.length > 1 && navigation(sections)}<button type="button" id="theme" hidden></button></header>
<main id="main"><h1 class="${documents.length === 1 ? 'unseen' : ''}">${documents.length === 1 ? 'Fareproof report' : `Report on ${documents.length} runs`}</h1>
${documents.length > 1 && overview(sections)}
${sections.map(({ id, section }) => html`<section class="run-section" id="${id}" aria-labelledby="${id}-title">${section.markup}</section>`)}
<noscript><p class="notes">The charts, the search and the filters need scripts, which are off here. Every figure stands in the tables.</p></noscript>
</main>`;
  return pageShell({
    title: `${shortText(title, 200)} · Fareproof`,
    tone: documents.length === 1 && headline ? headline.tone : 'neutral',
    body,
    charts: sections.flatMap(({ section }) => section.charts),
  });
}

interface Section {
  id: string;
  document: RunDocument;
}

function navigation(sections: readonly Section[]): Content {
  return html`<nav aria-label="Runs">${sections.map(({ id, document }) => html`<a href="#${id}">${shortText(headlineOf(document).title, 60)}</a>`)}</nav>`;
}

function overview(sections: readonly Section[]): Content {
  return html`<div class="overview">${table(
    'Runs of this page',
    [{ name: 'Run' }, { name: 'Verdict' }, { name: 'In a sentence' }, { name: 'Started' }],
    sections.map(({ id, document }) => {
      const { title, tone, verdict, sentence } = headlineOf(document);
      return [
        html`<a href="#${id}">${shortText(title, 200)}</a>`,
        badge(tone, glyphOf(tone), shortText(verdict, 100)),
        shortText(sentence, 400),
        formatInstant(document.startedAt),
      ];
    }),
    { hideCaption: true },
  )}</div>`;
}

function sectionOf(document: RunDocument, id: string, room: EvidenceRoom): ChartedSection {
  switch (document.kind) {
    case 'conformance':
      return { markup: conformanceSection(document, id, room), charts: [] };
    case 'load':
      return loadSection(document, id);
    case 'load-set':
      return loadSetSection(document, id);
    case 'find-max':
      return { markup: findMaxSection(document, id), charts: [] };
    case 'comparison':
      return { markup: comparisonSection(document, id), charts: [] };
    case 'bench':
      return { markup: benchSection(document, id), charts: [] };
  }
}
