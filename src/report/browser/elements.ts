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
