import { escapeHtml } from '../escape.ts';

/** HTML that goes into a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Value of a template: text is escaped, null and false are nothing, lists are joined. */
export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/**
 * Template of HTML. Values are escaped for elements and for attributes in quotes alike, whichever
 * they stand in; only {@link Markup} goes in as it is. The indentation of the template is left out.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const raw = parts.map((part) => part.replaceAll(/\n\s+/g, '\n'));
  return new Markup(String.raw({ raw }, ...values.map(render)));
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'object') return content.map(render).join('');
  return escapeHtml(String(content));
}
