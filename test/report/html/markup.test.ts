import { expect, test } from 'vitest';
import { visibleText } from '../../../src/report/escape.ts';
import { html, Markup } from '../../../src/report/html/markup.ts';
import fc from '../../support/property.ts';
import { hostileText } from '../samples/hostile-text.ts';

const text = `"a" & 'b' <c>`;
const escaped = '&quot;a&quot; &amp; &#39;b&#39; &lt;c&gt;';

function unescaped(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

test('a value is escaped alike in an element and in an attribute', () => {
  expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  expect(html`<p${html` id="${text}"`} lang="${text}">${[text, 1]}`.text).toBe(
    `<p id="${escaped}" lang="${escaped}">${escaped}1`,
  );
});

test('a value stays in its place whatever it says, and is read back as it was', () => {
  fc.assert(
    fc.property(hostileText, (value) => {
      const page = html`<p title="a > ${value}" lang='${value}'>b "${value}</p>`.text;
      const [, title, lang, words] =
        /^<p title="a > ([^"<>]*)" lang='([^'<>]*)'>b "([^<>]*)<\/p>$/.exec(page) ?? [];
      for (const found of [title, lang, words]) {
        expect(found === undefined ? found : unescaped(found)).toBe(visibleText(value));
      }
    }),
    { numRuns: 400 },
  );
});

test('markup goes in as it is, and nothing goes in for null, undefined and false', () => {
  expect(html`<p>${html`<b>${text}</b>`}${new Markup('<i>')}${null}${undefined}${false}</p>`.text) //
    .toBe(`<p><b>${escaped}</b><i></p>`);
});

test('the indentation of a template is left out, that of a value is not', () => {
  expect(
    html`<pre>
    ${'  a\n  b'}
  </pre>`.text,
  ).toBe('<pre>\n  a\n  b\n</pre>');
});
