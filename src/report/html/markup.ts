import { escapeHtml } from '../escape/html.ts';

/** HTML that is safe to put into a page: made by {@link html} and by nothing else. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a place in a template takes: text is escaped, null and false are nothing, a list is joined. */
export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** A template whose values are escaped, for elements and for attributes in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const text = parts.map((part, at) => (at === 0 ? part : render(values[at - 1]) + part));
  return new Markup(text.join(''));
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'object') return content.map(render).join('');
  return escapeHtml(String(content));
}
