import { describe, expect, it } from 'vitest';
import { Masker } from '../../src/conformance/redaction.ts';
import fc from '../support/property.ts';

const secret = fc
  .string({ minLength: 6, maxLength: 40, unit: 'binary' })
  .filter((text) => text.trim().length > 5);

describe('masking', () => {
  it('leaves no form of a secret in a text', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
        const masker = new Masker();
        masker.add('access_token', hidden);
        for (const form of [
          hidden,
          JSON.stringify(hidden).slice(1, -1),
          encodeURIComponent(hidden),
        ]) {
          const masked = masker.mask(before + form + after, [hidden]);
          expect(masked).toContain('[access_token 1]');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives one secret one pseudonym, and each its own', () => {
    const masker = new Masker();
    expect(masker.add('access_token', 'first-one')).toBe('[access_token 1]');
    expect(masker.add('access_token', 'second-one')).toBe('[access_token 2]');
    expect(masker.add('access_token', 'first-one')).toBe('[access_token 1]');
    expect(masker.add('signing_key', 'the-key', 'p-100')).toBe('[signing_key p-100]');
  });

  it('masks a secret that holds another one whole', () => {
    const masker = new Masker();
    masker.add('refresh_token', 'inner-secret');
    masker.add('access_token', 'x-inner-secret-y');
    const masked = masker.mask('a x-inner-secret-y b', ['inner-secret', 'x-inner-secret-y']);
    expect(masked).toBe('a [access_token 1] b');
  });
});
