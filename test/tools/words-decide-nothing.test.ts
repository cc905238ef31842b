import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOTS = ['src/conformance', 'src/app', 'src/cli', 'src/report', 'src/testing'];

/** The end of an expression whose value is words for a reader. */
const WORDS = String.raw`\b(?:purpose|reason)\)?`;

/** Ways to decide by words, but for whether there are any. */
const DECISIONS = [
  String.raw`${WORDS} [!=]==? (?!undefined|null|'')`,
  String.raw`(?<!typeof \w+|typeof [\w.]+) [!=]== [\w.]*${WORDS}(?![\w.(])`,
  String.raw`${WORDS}\??\.(?:includes|startsWith|endsWith|indexOf|match|matchAll|search)\(`,
  String.raw`\.(?:test|exec|includes|startsWith|has|get)\((?:[\w.]*\.)?${WORDS}\)`,
  String.raw`\bswitch \([\w.]*${WORDS}\)`,
].map((pattern) => new RegExp(pattern));

const decides = (line: string): boolean => DECISIONS.some((one) => one.test(line));

describe('the purpose of a request and the reason of a verdict', () => {
  it('decide nothing: they are read by readers only', () => {
    const files = ROOTS.flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(root, name)),
    );
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) => (decides(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it.each([
    "if (stored.purpose === 'a token') return;",
    'if (NO_PARTNER === reason) return;',
    'const isUnsent = NOT_SENT.test(reason);',
    "if (one.reason.startsWith('no ')) return;",
    'if (KNOWN.has(judgement.reason)) return;',
    'switch (exchange.purpose) {',
  ])('would be noticed in: %s', (line) => expect(decides(line)).toBe(true));

  it.each([
    'if (reason !== undefined) return reason;',
    "const words = reason === '' ? verdict : reason;",
    'labelled(cutText(one.reason, 80))',
  ])('may be looked for: %s', (line) => expect(decides(line)).toBe(false));
});
