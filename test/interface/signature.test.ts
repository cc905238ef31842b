import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGNATURE_SETTINGS, explainSignature, sign } from '../../src/interface/index.ts';
import fc from '../support/property.ts';

interface Vector {
  name: string;
  pairs: Record<string, unknown>;
  signingKey: string;
  expect: { canonical: string; innerMd5: string; signature: string } | null;
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/signature.json', import.meta.url), 'utf8'),
) as Vector[];

describe('the signature matches the vectors of an independent oracle', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    if (vector.expect === null) {
      expect(() => sign(vector.pairs, vector.signingKey)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^SIGNATURE_/) as string }) as Error,
      );
      return;
    }
    const { canonical, innerMd5, signature } = explainSignature(vector.pairs, vector.signingKey);
    expect({ canonical, innerMd5, signature }).toEqual(vector.expect);
  });
});

describe('signature settings', () => {
  it('skips the text "0" if set to', () => {
    const settings = { ...DEFAULT_SIGNATURE_SETTINGS, textZero: 'skipped' as const };
    expect(explainSignature({ a: '0', b: 'x' }, 'k', settings).canonical).toBe('b=x');
  });

  it('leaves slashes in a list unescaped if set to', () => {
    const settings = { ...DEFAULT_SIGNATURE_SETTINGS, slashInList: 'plain' as const };
    expect(explainSignature({ a: ['x/y'] }, 'k', settings).canonical).toBe('a=["x/y"]');
  });

  it('writes booleans as numbers or as literals', () => {
    const literal = { ...DEFAULT_SIGNATURE_SETTINGS, booleans: 'literal' as const };
    expect(explainSignature({ a: true, b: false, c: 1 }, 'k').canonical).toBe('a=1&c=1');
    expect(explainSignature({ a: true, b: false, c: 1 }, 'k', literal).canonical).toBe(
      'a=true&b=false&c=1',
    );
  });

  it.each([
    // Characters that are trimmed, in code points, and some that are not.
    ['ascii', [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20], [0x00, 0x08, 0x0e, 0x1f, 0x21, 0xa0, 0x3000]],
    ['php', [0x00, 0x09, 0x0a, 0x0b, 0x0d, 0x20], [0x08, 0x0c, 0x0e, 0x1f, 0x21, 0xa0, 0x3000]],
    ['unicode', [0x09, 0x0c, 0x20, 0xa0, 0x2028, 0x3000, 0xfeff], [0x00, 0x08, 0x21, 0x200b]],
  ] as const)('trims the whitespace of %s at both ends', (whitespace, trimmed, kept) => {
    const settings = { ...DEFAULT_SIGNATURE_SETTINGS, whitespace };
    const termOf = (text: string) => explainSignature({ a: text }, 'k', settings).terms[0];
    for (const unit of trimmed) {
      const blank = String.fromCharCode(unit);
      expect(termOf(`${blank}${blank}x${blank}y${blank}`)).toBe(`a=x${blank}y`);
      expect(termOf(blank)).toBe('a=');
    }
    for (const unit of kept) {
      const other = String.fromCharCode(unit);
      expect(termOf(`${other}x${other}`)).toBe(`a=${other}x${other}`);
    }
  });

  it.each([
    ['skipped', 'd=[0]', ['a', 'b', 'c', 'e', 'f']],
    ['lists', 'b=[]&c={}&d=[0]', ['a', 'e', 'f']],
    ['both', 'a=null&b=[]&c={}&d=[0]', ['e', 'f']],
  ] as const)('with empty values %s, the text is %s', (emptyValues, canonical, skippedKeys) => {
    const settings = { ...DEFAULT_SIGNATURE_SETTINGS, emptyValues };
    const pairs = { a: null, b: [], c: {}, d: [0], e: '', f: undefined };
    expect(explainSignature(pairs, 'k', settings)).toMatchObject({ canonical, skippedKeys });
  });

  it('strips ampersands at both ends only, and all of them', () => {
    expect(explainSignature({ '&&a': '&', b: 'x&&' }, 'k').canonical).toBe('a=&&b=x');
    expect(explainSignature({ '&a': 'x&' }, 'k').canonical).toBe('a=x');
  });

  it.each([
    ['a bigint', 12345678901234567890n, 'a=12345678901234567890'],
    ['a number', 1e21, 'a=1e+21'],
  ])('writes %s in digits', (_, value, canonical) => {
    expect(explainSignature({ a: value }, 'k').canonical).toBe(canonical);
  });

  it('names the key of a value that JSON lacks', () => {
    expect(() => sign({ a: Symbol('x') }, 'k')).toThrow(
      'The value of "a" is a symbol; only JSON values can be signed.',
    );
  });
});

describe('for any pairs, the signature', () => {
  const pairs = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1 });

  it('does not depend on the order in which pairs are given', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const reversed = Object.fromEntries(Object.entries(given).reverse());
        expect(sign(reversed, 'key')).toBe(sign(given, 'key'));
      }),
    );
  });

  it('sorts by UTF-8 bytes', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const { sortedKeys } = explainSignature(given, 'key');
        for (let i = 1; i < sortedKeys.length; i++) {
          const before = Buffer.from(sortedKeys[i - 1] as string);
          expect(Buffer.compare(before, Buffer.from(sortedKeys[i] as string))).toBeLessThanOrEqual(
            0,
          );
        }
      }),
    );
    const values = { '\u{1F600}': '1', '\uE000': '2', a: '3' };
    expect(explainSignature(values, 'k').canonical).toBe('a=3&\uE000=2&\u{1F600}=1');
  });

  it('is two rounds of MD5 over the canonical text and the key', () => {
    const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
    fc.assert(
      fc.property(pairs, fc.string({ unit: 'binary' }), (given, key) => {
        const { canonical, innerMd5, signature } = explainSignature(given, key);
        expect(innerMd5).toBe(md5(canonical));
        expect(signature).toBe(md5(innerMd5 + key));
      }),
    );
  });

  it('trims only ASCII whitespace', () => {
    expect(explainSignature({ a: ' \t\n\v\f\rx\r\f\v\n\t ' }, 'k').canonical).toBe('a=x');
    expect(explainSignature({ a: '\u00a0x\u3000' }, 'k').canonical).toBe('a=\u00a0x\u3000');
  });

  it('takes linear time on hostile text', () => {
    const hostile = `x${' '.repeat(60_000)}x`;
    expect(explainSignature({ a: hostile, b: `${'&'.repeat(60_000)}x` }, 'k').terms).toHaveLength(
      2,
    );
  });
});
