import { html, type Markup } from '../markup.ts';

/** Legend of dots: a dot of each class, and its words. */
export function legend(entries: readonly (readonly [cssClass: string, words: string])[]): Markup {
  const marks = entries.map(
    ([cssClass, words]) => html`<svg class="mark" aria-hidden="true">
      <circle class="${cssClass}" cx="50%" cy="50%" r="5"/></svg> ${words} `,
  );
  return html`<p class="key">${marks}</p>`;
}

/** CSS class of rows; names of steps are longer than those of quantiles. */
export function rowsClass(steps: readonly unknown[] | undefined): string {
  return steps ? 'rows budget-rows' : 'rows';
}
