/**
 * An element that the page has.
 *
 * @throws Error where it has none: page and script are of different minds
 */
export function elementOf(selector: string, within: ParentNode = document): HTMLElement {
  const element = within.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  return element;
}

/** A new element with text in it, which stays text whatever it says. */
export function make(tag: string, cssClass: string, ...content: (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  if (cssClass !== '') element.className = cssClass;
  element.append(...content);
  return element;
}

/** A badge: a glyph for the eye beside the word. */
export function badge(tone: string, glyph: string, words: string): HTMLElement {
  const mark = make('span', '', glyph);
  mark.ariaHidden = 'true';
  return make('span', `badge ${tone}`, mark, ` ${words}`);
}

/** Puts a figure, and what is said beside it, into its tile. */
export function setFigure(id: string, figure: string, more = ''): void {
  elementOf(`[data-figure=${id}]`).textContent = figure;
  elementOf(`[data-more=${id}]`).textContent = more;
}
