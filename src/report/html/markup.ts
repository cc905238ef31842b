import { escapeHtml, escapeHtmlText } from '../escape/html.ts';

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
  let text = parts[0] ?? '';
  let isInTag = endsInTag(text, false);
  for (const [at, value] of values.entries()) {
    const part = parts[at + 1] ?? '';
    text += render(value, isInTag ? escapeHtml : escapeHtmlText) + part;
    isInTag = endsInTag(part, isInTag);
  }
  return new Markup(text);
}

/** Whether what follows a part of a template stands in a tag, or in an attribute that it begins. */
function endsInTag(part: string, before: boolean): boolean {
  const [open, close] = [part.lastIndexOf('<'), part.lastIndexOf('>')];
  return open === close ? before || /="[^"]*$/.test(part) : open > close;
}

function render(content: Content, escaped: (text: string) => string): string {
  if (content instanceof Markup) return content.text;
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'object') return content.map((item) => render(item, escaped)).join('');
  return escaped(String(content));
}
