import { cutText } from '../escape/visible-text.ts';
import { type Content, html, type Markup } from './markup.ts';

/** Names and values of a run. */
export type Fact = readonly [name: string, value: Content];

/** A list of facts; those without a value are left out. */
export function facts(list: readonly (Fact | false)[]): Content {
  const shown = list.filter(isShown);
  if (shown.length === 0) return null;
  return html`<dl class="facts">${shown.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

function isShown(fact: Fact | false): fact is Fact {
  return fact !== false && fact[1] !== null && fact[1] !== '';
}

/** A column of a table: numbers stand to the right. */
export interface Column {
  name: string;
  numeric?: boolean;
}

/** A table with a caption; the first cell of each row is its heading. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  options: { hideCaption?: boolean } = {},
): Markup {
  // Said once where it holds for every column but the first: a class in each cell would be half of it.
  const isNumeric = columns.slice(1).every(({ numeric }) => numeric === true);
  const cssClass = (at: number): Content =>
    columns[at]?.numeric === true && !isNumeric && numberClass;
  const hidden = options.hideCaption === true && unseenClass;
  return html`<div class="table-frame" tabindex="0" role="group" aria-label="${caption}"><table${isNumeric && numbersClass}>
<caption${hidden}>${caption}</caption>
<thead><tr>${columns.map((column, at) => html`<th scope="col"${cssClass(at)}>${column.name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => tableCell(cell, at, cssClass(at)))}</tr>\n`)}</tbody>
</table></div>`;
}

function tableCell(cell: Content, at: number, cssClass: Content): Markup {
  return at === 0
    ? html`<th scope="row"${cssClass}>${cell}</th>`
    : html`<td${cssClass}>${cell}</td>`;
}

const numberClass = html` class="number"`;
const numbersClass = html` class="numbers"`;
const unseenClass = html` class="unseen"`;

/** A part of a run under a heading of its own; null where there is nothing in it. */
export function part(title: string, id: string, ...content: readonly Content[]): Content {
  if (content.every((item) => item === null || item === '' || item === false)) return null;
  return html`<section class="part"><h3 id="${id}">${title}</h3>${content}</section>`;
}

/** A badge: a glyph for the eye beside the word. */
export function badge(kind: string, glyph: string, words: string): Markup {
  return html`<span class="badge ${kind}"><span aria-hidden="true">${glyph}</span> ${words}</span>`;
}

/** The catalogue's own words, in which backticks mark what is code. */
export function prose(text: string): Content {
  const parts = shortText(text).split('`');
  if (parts.length % 2 === 0) return parts.join('`');
  return parts.map((words, at) => (at % 2 === 0 ? words : html`<code>${words}</code>`));
}

/** Text of a target, cut to what a reader takes in. */
export function shortText(text: string, limit = 2000): string {
  return cutText(text, limit);
}
