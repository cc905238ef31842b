/** Finds an element of the page; throws an Error if there is none, which is a bug. */
export function elementOf(selector: string, within: ParentNode = document): HTMLElement {
  const element = within.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  return element;
}

/** Makes an element; strings become text, never markup. */
export function make(tag: string, cssClass: string, ...content: (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  if (cssClass !== '') element.className = cssClass;
  element.append(...content);
  return element;
}

/** Makes a badge: a sign and words. */
export function badge(cssClass: string, sign: string, words: string): HTMLElement {
  const mark = make('span', '', sign);
  mark.ariaHidden = 'true';
  return make('span', `badge ${cssClass}`, mark, ` ${words}`);
}

/** Sets the value of a tile, and the words under it. */
export function setFigure(id: string, figure: string, more = ''): void {
  elementOf(`[data-figure=${id}]`).textContent = figure;
  elementOf(`[data-more=${id}]`).textContent = more;
}
