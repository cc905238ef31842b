import { describe, expect, test } from 'vitest';
import {
  cutText,
  escapeAnnotation,
  escapeAnnotationProperty,
  escapeHtml,
  escapeJsonForScript,
  escapeMarkdown,
  escapeTerminal,
  escapeTerminalLine,
  escapeXml,
  escapeXmlAttribute,
  markdownBlock,
  markdownCode,
  visibleText,
} from '../../src/report/escape.ts';
import fc from '../support/property.ts';
import { hostileText } from './samples/hostile-text.ts';

const unseen =
  /[\p{Surrogate}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/u;

function holds(property: (text: string) => void): void {
  fc.assert(fc.property(hostileText, property), { numRuns: 400 });
}

test('invisible active characters are shown as their code', () => {
  expect(visibleText('a\u001b[2J\u202eb\ud800\u{e0041}\r\n\tc')).toBe(
    'a\\x1b[2J\\u202eb\ufffd\\u{e0041}\\x0d\n\tc',
  );
});

test('all scripts and joined emoji stay unchanged', () => {
  const text = '北京 → القاهرة, ไทย, 👩‍💻, naïve';
  expect(visibleText(text)).toBe(text);
});

test('a cut text ends on a whole character and says how much is left', () => {
  expect(cutText('abcdef', 6)).toBe('abcdef');
  expect(cutText('abcdef', 4)).toBe('abcd… [cut: 2 more characters]');
  expect(cutText('abc🔒def', 4)).toBe('abc… [cut: 5 more characters]');
});

describe('any text', () => {
  test('is inert in HTML, in elements and in quoted attributes', () => {
    holds((text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      expect(escaped).not.toMatch(unseen);
    });
  });

  test('is inert as JSON in a script element, and reads back unchanged', () => {
    holds((text) => {
      const escaped = escapeJsonForScript({ text });
      expect(escaped).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(escaped)).toEqual({ text });
    });
  });

  test('is inert in XML, and contains no character that XML forbids', () => {
    holds((text) => {
      for (const escaped of [escapeXml(text), escapeXmlAttribute(text)]) {
        expect(escaped).not.toMatch(/[<>"]|&(?!(amp|lt|gt|quot|#10|#9);)/);
        expect(escaped).not.toMatch(unseen);
      }
      expect(escapeXmlAttribute(text)).not.toMatch(/[\n\t]/);
    });
  });

  test('is inert in a line of Markdown', () => {
    holds((text) => {
      const escaped = escapeMarkdown(text);
      // A blank for each escape: what stands on its two sides is not side by side.
      const left = escaped.replaceAll(/\\[!-/:-@[-`{-~]|&(amp|lt|gt);/g, ' ');
      expect(left).not.toMatch(/[\\`*_{}[\]()#+\-!|~<>&$@\n]|:\/\/|www\./i);
      expect(escaped).not.toMatch(unseen);
    });
  });

  test('cannot leave a code span or a code block of Markdown', () => {
    holds((text) => {
      const span = markdownCode(text);
      const [, fence = '', inner = ''] = /^(`*)([\s\S]*?)\1$/.exec(span) ?? [];
      expect(span).not.toMatch(/\n|(?<!\\)\|/);
      if (span !== '') {
        expect(fence).not.toBe('');
        expect(inner.match(/`+/g) ?? []).not.toContain(fence);
      }
      const block = markdownBlock(text);
      const [open = ''] = /^`+/.exec(block) ?? [];
      const lines = block.trimEnd().split('\n');
      expect(lines.at(-1)).toBe(open);
      expect(lines.slice(1, -1).some((line) => line.trim().startsWith(open))).toBe(false);
    });
  });

  test('contains no terminal control', () => {
    holds((text) => {
      expect(escapeTerminal(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect(escapeTerminal(text)).not.toMatch(unseen);
      expect(escapeTerminalLine(text)).not.toContain('\n');
    });
  });

  test('is not read as a workflow command', () => {
    holds((text) => {
      const lines = escapeTerminal(text).split('\n');
      expect(lines.filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
      expect(lines.filter((line) => line.includes('##['))).toEqual([]);
    });
  });

  test('stays within one workflow command of GitHub', () => {
    holds((text) => {
      expect(escapeAnnotation(text)).not.toMatch(/[\r\n]|%(?!25|0A|0D)/);
      expect(escapeAnnotationProperty(text)).not.toMatch(/[\r\n:,]|%(?!25|0A|0D|3A|2C)/);
    });
  });
});
