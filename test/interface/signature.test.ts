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
    expect(explainSignature({ '\u{1F600}': '1', '\uE000': '2' }, 'k').canonical).toBe(
      '\uE000=2&\u{1F600}=1',
    );
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
