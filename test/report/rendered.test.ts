import { expect, it } from 'vitest';
import { toConsole, toHtml, toJunit, toMarkdown } from '../../src/report/index.ts';
import { ALL_SAMPLES } from './samples/all-samples.ts';

/** Texts and names that a page shows, a line each; styles, scripts, charts and data left out. */
function textOf(page: string): string {
  const body = page.replace(/^.*<body[^>]*>/s, '');
  const shown = body.replace(/<(script|style|svg)\b.*?<\/\1>/gs, '');
  const texts = shown.replace(/<[^>]*>/g, '\n').split('\n');
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n');
}

/** Renderings of a document, by the ending of the file that has them. */
const RENDERINGS = {
  txt: (document: (typeof ALL_SAMPLES)[string]) => toConsole(document, { color: false }),
  md: toMarkdown,
  xml: toJunit,
  html: (document: (typeof ALL_SAMPLES)[string]) => textOf(toHtml([document])),
} as const;

// A change of a rendering shows as a change of these files; `npx vitest run FILE --update` writes them anew.
it.each(Object.entries(ALL_SAMPLES))('%s is rendered as it was', async (name, document) => {
  for (const [format, render] of Object.entries(RENDERINGS)) {
    const file = `rendered/${name.replaceAll(/[^\w-]+/g, '-')}.${format}.snap`;
    await expect(`${render(document).trimEnd()}\n`).toMatchFileSnapshot(file);
  }
});
