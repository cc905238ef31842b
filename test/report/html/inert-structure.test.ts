import { expect, test } from 'vitest';
import type { RunDocument } from '../../../src/documents/run-document.ts';
import {
  toConsole,
  toGithubAnnotations,
  toHtml,
  toJunit,
  toMarkdown,
} from '../../../src/report/index.ts';
import fc from '../../support/property.ts';
import { hostileText, withText } from '../samples/hostile-text.ts';
import { SMALL_SAMPLES } from '../samples/small-samples.ts';

/** The tags of HTML or XML without what their attributes say: what a parser would build. */
function structureOf(markup: string): string {
  const tags = markup
    .replace(/<style>[\s\S]*?<\/style>/, '<style></style>')
    .replaceAll(/<script([^>]*)>[\s\S]*?<\/script>/g, '<script$1></script>')
    .match(/<[^>]*>/g);
  return (tags ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""')).join('\n');
}

/** Markdown without what its cells and lines say. */
function linesOf(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => {
      if (line.startsWith('|')) return `|${line.match(/(?<!\\)\|/g)?.length}`;
      return line.slice(0, 2).replaceAll(/\w/g, 'w');
    })
    .join('\n');
}

/** Holds for every small document that the rendering has the same structure whatever the text is. */
function expectSameStructure(render: (document: RunDocument) => string, numRuns: number): void {
  const plain = SMALL_SAMPLES.map((sample) => render(withText(sample, 'text')));
  fc.assert(
    fc.property(fc.nat(SMALL_SAMPLES.length - 1), hostileText, (at, text) => {
      expect(render(withText(SMALL_SAMPLES[at]!, text))).toBe(plain[at]);
    }),
    { numRuns },
  );
}

test('the structure of a page does not depend on the text of a target', () => {
  expectSameStructure((document) => structureOf(toHtml([document])), 150);
});

test('the structure of JUnit does not depend on the text of a target', () => {
  expectSameStructure((document) => structureOf(toJunit(document)), 150);
});

test('the structure of a Markdown summary does not depend on the text of a target', () => {
  expectSameStructure((document) => {
    const fenced = toMarkdown(document).replaceAll(/^(`{3,})sh\n[\s\S]*?\n\1$/gm, 'fenced');
    return linesOf(fenced);
  }, 150);
});

test('annotations are one line each, whatever the text of a target', () => {
  expectSameStructure(
    (document) => toGithubAnnotations(document).replaceAll(/^::(\w+) title=.*$/gm, '$1'),
    150,
  );
});

test('a terminal gets only our colour sequences, whatever the text of a target', () => {
  fc.assert(
    fc.property(fc.nat(SMALL_SAMPLES.length - 1), hostileText, (at, text) => {
      const document = withText(SMALL_SAMPLES[at]!, text);
      const plain = toConsole(document, { color: false });
      expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      const colored = toConsole(document, { color: true });
      expect(colored.replaceAll(/\u001b\[(1|2|22|3[1236]|39)m/g, '')).toBe(plain);
    }),
    { numRuns: 150 },
  );
});

test('output is UTF-8 and reads back unchanged', () => {
  for (const sample of SMALL_SAMPLES) {
    const document = withText(sample, '\ud800 and \udc00');
    for (const text of [toHtml([document]), toJunit(document), toMarkdown(document)]) {
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
    }
  }
});
