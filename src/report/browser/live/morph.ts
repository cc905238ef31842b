/** Elements that the page's scripts fill. */
const FILLED = '.plot, .figures';
/** Attributes that scripts and visitors change. */
const KEPT = new Set(['hidden', 'open']);

/**
 * Makes an element like another one. What is the same in both is left alone, and with it the focus,
 * a selection, the place that is scrolled to, and what is expanded. Children with an id keep their
 * element wherever they are.
 */
export function morph(element: Element, next: Element): void {
  if (element.matches(FILLED)) return;
  for (const name of new Set([...element.getAttributeNames(), ...next.getAttributeNames()])) {
    const value = next.getAttribute(name);
    if (KEPT.has(name) || value === element.getAttribute(name)) continue;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
  const byId = new Map([...element.children].map((child) => [child.id, child]));
  let at = element.firstChild;
  for (const fresh of Array.from(next.childNodes)) {
    const id = fresh instanceof Element ? fresh.id : '';
    const known: Node | null = id === '' ? at : (byId.get(id) ?? null);
    if (!known || !isAlike(known, fresh)) {
      element.insertBefore(fresh, at);
      continue;
    }
    if (known !== at) element.insertBefore(known, at);
    at = known.nextSibling;
    if (known instanceof Element && fresh instanceof Element) morph(known, fresh);
    else if (known.nodeValue !== fresh.nodeValue) known.nodeValue = fresh.nodeValue;
  }
  while (at) {
    const after: ChildNode | null = at.nextSibling;
    at.remove();
    at = after;
  }
}

function isAlike(a: Node, b: Node): boolean {
  const [idOfA, idOfB] = [a, b].map((node) => (node instanceof Element ? node.id : ''));
  return a.nodeName === b.nodeName && idOfA === idOfB;
}
