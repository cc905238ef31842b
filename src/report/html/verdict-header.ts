import type { RunDocument } from '../../documents/run-document.ts';
import { headlineOf, type Tone } from '../text/headline.ts';
import { formatInstant, formatSpan } from '../text/quantities.ts';
import { badge, type Fact, facts, shortText } from './blocks.ts';
import { type Content, html, type Markup } from './markup.ts';

const GLYPHS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  caution: '!',
  unknown: '?',
  neutral: '•',
};

/** The glyph of a tone, for the eye. */
export function glyphOf(tone: Tone): string {
  return GLYPHS[tone];
}

/** The head of a run: what was done, the verdict, and what it was held against. */
export function verdictHeader(
  document: RunDocument,
  headingId: string,
  more: readonly (Fact | false)[],
): Markup {
  const { title, verdict, tone, sentence } = headlineOf(document);
  return html`<header class="verdict tone-${tone}">
<h2 id="${headingId}">${shortText(title, 200)}</h2>
<p class="verdict-words"><span class="glyph" aria-hidden="true">${glyphOf(tone)}</span> ${shortText(verdict, 200)}</p>
<p class="sentence">${shortText(sentence)}</p>
${document.interrupted === true && html`<p>${badge('caution', '!', 'interrupted')} This is what was measured so far.</p>`}
${facts([
  ...more,
  ['Started', formatInstant(document.startedAt)],
  ['Took', formatSpan(document.startedAt, document.finishedAt)],
  ['Written by', `${document.tool.name} ${document.tool.version}`],
])}
</header>`;
}

/** Name and address of a target. */
export function targetFacts(target: {
  name: string;
  baseUrl: string;
  environment: string;
}): Fact[] {
  return [
    ['Target', html`${shortText(target.name, 200)} <code>${shortText(target.baseUrl, 300)}</code>`],
    ['Environment', shortText(target.environment, 100)],
  ];
}

/** What the run itself has to say to its reader. */
export function notesPart(notes: readonly string[] | undefined): Content {
  if (notes === undefined || notes.length === 0) return null;
  return html`<ul class="notes">${notes.slice(0, 50).map((note) => html`<li>${shortText(note)}</li>`)}</ul>`;
}
