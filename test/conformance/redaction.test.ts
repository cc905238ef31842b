import { describe, expect, it } from 'vitest';
import { Redactor } from '../../src/conformance/redaction.ts';
import fc from '../support/property.ts';

const secret = fc
  .string({ minLength: 6, maxLength: 40, unit: 'binary' })
  .filter((text) => text.trim().length > 5);

describe('redaction', () => {
  it('leaves no form of a secret in a text', () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
        const redactor = new Redactor();
        redactor.add('access_token', hidden);
        for (const form of [
          hidden,
          JSON.stringify(hidden).slice(1, -1),
          encodeURIComponent(hidden),
        ]) {
          const redacted = redactor.redact(before + form + after, [hidden]);
          expect(redacted).toContain('[access_token 1]');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives one secret one pseudonym, and each its own', () => {
    const redactor = new Redactor();
    expect(redactor.add('access_token', 'first-one')).toBe('[access_token 1]');
    expect(redactor.add('access_token', 'second-one')).toBe('[access_token 2]');
    expect(redactor.add('access_token', 'first-one')).toBe('[access_token 1]');
    expect(redactor.add('signing_key', 'the-key', 'p-100')).toBe('[signing_key p-100]');
  });

  it('redacts a secret that holds another one whole', () => {
    const redactor = new Redactor();
    redactor.add('refresh_token', 'inner-secret');
    redactor.add('access_token', 'x-inner-secret-y');
    const redacted = redactor.redact('a x-inner-secret-y b', ['inner-secret', 'x-inner-secret-y']);
    expect(redacted).toBe('a [access_token 1] b');
  });
});
