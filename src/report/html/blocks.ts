import { cutText } from '../escape.ts';
import type { Cell, Column, TitledTable } from '../text/columns.ts';
import { capitalized, proseParts } from '../text/prose.ts';
import { TONE_SIGNS, type Tone } from '../text/tones.ts';
import { type Content, html, Markup } from './markup.ts';

/** A name and a value of a run. */
export type Fact = readonly [name: string, value: Content];

/** A list of facts; those without a value are left out. */
export function facts(list: readonly (Fact | false)[]): Content {
  const shown = list.filter(isShown);
  if (shown.length === 0) return null;
  return html`<dl class="facts">${shown.map(
    ([name, value]) => html`<div><dt>${capitalized(name)}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

function isShown(fact: Fact | false): fact is Fact {
  return fact !== false && fact[1] !== null && fact[1] !== '';
}

/** A cell of a table on a page. */
type PageCell = Cell | Markup | Content;

/**
 * A table; the first cell of each row is its heading.
 *
 * @param caption hidden, unless `showCaption` is true; screen readers read it anyway
 * @param isProse true for cells with sentences, which a narrow screen shows below each other
 */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row, PageCell>[],
  rows: readonly Row[],
  { showCaption = false, isProse = false }: { showCaption?: boolean; isProse?: boolean } = {},
): Markup {
  // Once for the table where it applies to all columns but the first: a class in each cell is bytes.
  const isNumeric = columns.slice(1).every(({ numeric }) => numeric === true);
  const classes = columns.map(({ numeric }) => numeric === true && !isNumeric && numberClass);
  const cellOf = (content: Content, at: number): Markup =>
    at === 0
      ? html`<th scope="row"${classes[at]}>${content}</th>`
      : html`<td${classes[at]}>${content}</td>`;
  return html`<div class="table-frame" tabindex="0" role="group" aria-label="${caption}">
    <table${isNumeric && numbersClass}${isProse && proseClass}>
    <caption${!showCaption && hiddenClass}>${caption}</caption>
    <thead><tr>${columns.map(
      ({ name }, at) => html`<th scope="col"${classes[at]}>${capitalized(name)}</th>`,
    )}</tr></thead>
    <tbody>${rows.map(
      (row, index) =>
        html`<tr>${columns.map(({ cell }, at) => cellOf(cellMarkup(cell(row, index)), at))}</tr>\n`,
    )}</tbody>
    </table></div>`;
}

/** A table under its title; null for none. */
export function titledTable<Row>(titled: TitledTable<Row> | null): Content {
  return titled && table(titled.title, titled.columns, titled.rows, { showCaption: true });
}

/** Says how many of a list are left out; nothing if all are shown. */
export function leftOutNote(left: number, words: string): Content {
  return left > 0 && html`<p class="meta">${left} more ${words} in run.json.</p>`;
}

const numberClass = html` class="number"`;
const numbersClass = html` class="numbers"`;
const proseClass = html` class="prose"`;
const hiddenClass = html` class="visually-hidden"`;

function cellMarkup(cell: PageCell): Content {
  if (typeof cell === 'string') return shortText(cell);
  if (typeof cell !== 'object' || cell === null || cell instanceof Markup) return cell;
  if ('code' in cell) return html`<code>${shortText(cell.code, 200)}</code>`;
  return 'tone' in cell ? badge(cell.tone, shortText(cell.words, 100)) : cell;
}

/** Key figures: each with its name, and what else is to be said of it. */
export function tiles(
  list: readonly (readonly [name: string, value: string, more?: string])[],
): Markup {
  const items = list.map(
    ([name, value, more = '']) => html`<div class="tile">
      <dt>${name}</dt><dd><b>${value}</b><span class="meta">${more}</span></dd>
      </div>`,
  );
  return html`<dl class="tiles">${items}</dl>`;
}

/** A part of a run under its own heading; null if it has no content. */
export function part(title: string, id: string, ...content: readonly Content[]): Content {
  if (content.every((item) => item === null || item === '' || item === false)) return null;
  return html`<section class="part"><h3 id="${id}">${title}</h3>${content}</section>`;
}

/** A verdict as sign and words. */
export function badge(tone: Tone, words: string): Markup {
  return signedBadge(tone, TONE_SIGNS[tone], words);
}

/** A badge with a sign of its own. */
export function signedBadge(cssClass: string, sign: string, words: string): Markup {
  const mark = html`<span aria-hidden="true">${sign}</span>`;
  return html`<span class="badge ${cssClass}">${mark} ${words}</span>`;
}

/** Characters of a command. */
const COMMAND_LIMIT = 4000;

/** A command to copy, with a button that the page's script shows. */
export function command(text: string): Markup {
  return html`<div class="command"><pre>${shortText(text, COMMAND_LIMIT)}</pre>
    <button type="button" class="copy" hidden>Copy</button></div>`;
}

/** Text of the catalogue, in which backticks mark code. */
export function prose(text: string): Content {
  return proseParts(shortText(text)).map((one) =>
    typeof one === 'string' ? one : html`<code>${one.code}</code>`,
  );
}

/** Text of a target, cut to what a reader takes in. */
export function shortText(text: string, limit = 2000): string {
  return cutText(text, limit);
}
