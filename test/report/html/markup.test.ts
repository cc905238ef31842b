import { expect, test } from 'vitest';
import { html } from '../../../src/report/html/markup.ts';

const text = `"a" & 'b' <c>`;
const whole = '&quot;a&quot; &amp; &#39;b&#39; &lt;c&gt;';

test('quotes stay in an element, and nowhere in a tag', () => {
  expect(html`<p title="${text}">${text}</p>`.text).toBe(
    `<p title="${whole}">"a" &amp; 'b' &lt;c&gt;</p>`,
  );
  expect(
    html`<p class="x ${text} ${text}"${html` id="${text}"`} lang="${text}">${[text]}`.text,
  ).toBe(`<p class="x ${whole} ${whole}" id="${whole}" lang="${whole}">"a" &amp; 'b' &lt;c&gt;`);
});

test('a template that begins in a tag is one of attributes', () => {
  expect(html` id="${text}"`.text).toBe(` id="${whole}"`);
});
