import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withoutDescriptions } from '../../tools/without-descriptions.mjs';

const DOCUMENTS = fileURLToPath(new URL('../../src/documents/', import.meta.url));
const FILE = `${DOCUMENTS}made-up.ts`;

const inDocument = (...lines: string[]): string =>
  withoutDescriptions(FILE, ["import { group, oneOf } from './fields.ts';", ...lines].join('\n'))
    .split('\n')
    .slice(1)
    .join('\n');

describe('the published code', () => {
  it.each([
    ["const a = z.int().meta({ description: 'A.' }).optional();", 'const a = z.int().optional();'],
    ["const a = group('A.', { b });", 'const a = group({ b });'],
    ["const a = oneOf(['b'], 'A.').optional();", "const a = oneOf(['b']).optional();"],
    [
      'const a = (description: string) => group(description, { b });',
      'const a = () => group({ b });',
    ],
    [
      "const a = (description: string) => group(description, b);\na('A.',\n);",
      'const a = () => group(b);\na();',
    ],
  ])('has no description of %s', (line, rest) => {
    expect(inDocument(line)).toBe(rest);
  });

  it.each(readdirSync(DOCUMENTS))('has none of those in %s', (name) => {
    const text = readFileSync(`${DOCUMENTS}${name}`, 'utf8');
    expect(withoutDescriptions(`${DOCUMENTS}${name}`, text)).not.toMatch(
      /\.meta\(|(text|count|flag|number|measured|group|list)\(\s*['"`]/,
    );
  });

  it('keeps what OpenAPI shows', () => {
    const text = "const a = z.int().meta({ description: 'A.' });";
    expect(withoutDescriptions('/src/interface/token-messages.ts', text)).toBe(text);
  });

  it('cannot be made from a description that is used for something else', () => {
    const use = 'const a = (description: string) => b(description, { description });';
    expect(() => inDocument(use)).toThrow('a description is used for something else than .meta()');
  });
});
