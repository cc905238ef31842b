import { describe, expect, it } from 'vitest';
import { decodeEscapes } from '../../../src/conformance/redaction/escapes.ts';
import { Redactor } from '../../../src/conformance/redaction/redactor.ts';
import fc from '../../support/property.ts';
import { SPELLINGS } from '../../support/spellings.ts';

const secret = fc
  .string({ minLength: 6, maxLength: 40, unit: 'binary' })
  .filter((text) => text.trim().length > 5);

const token = fc.string({
  minLength: 8,
  maxLength: 40,
  unit: fc.constantFrom(...Array.from('abcXYZ0189-._~+/=&<>"\'\\|%{}ä中😀')),
});

const spelling = fc.constantFrom(...SPELLINGS);

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
          const redacted = redactor.redact(before + form + after);
          expect(redacted).toContain('[access_token 1]');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no part of 8 characters of it, however it is spelled, escaped and cut', () => {
    fc.assert(
      fc.property(token, spelling, spelling, fc.nat(), (hidden, inner, outer, cut) => {
        const redactor = new Redactor();
        redactor.add('access_token', hidden);
        const characters = Array.from(hidden);
        const kept = characters.slice(0, Math.max(8, characters.length - (cut % 32))).join('');
        const redacted = redactor.redact(`<${outer(inner(kept))}>`);
        let shown = redacted;
        for (let layer = 0; layer < 3; layer++) {
          for (let at = 0; at + 8 <= kept.length; at++) {
            expect(shown).not.toContain(kept.slice(at, at + 8));
          }
          shown = decodeEscapes(shown)?.text ?? shown;
        }
        expect(redacted).toMatch(/\[(part of )?access_token 1\]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps the id of a partner where a secret begins with it, and nothing beyond', () => {
    const redactor = new Redactor();
    redactor.add('auth_code', 'demo-partner-code-1');
    expect(redactor.redact('Bearer demo-partner|x')).toBe('Bearer [part of auth_code 1]|x');
    redactor.keep('demo-partner');
    expect(redactor.redact('Bearer demo-partner|x')).toBe('Bearer demo-partner|x');
    expect(redactor.redact('demo-partner-c')).toBe('[part of auth_code 1]');
    expect(redactor.redact('demo-partne')).toBe('[part of auth_code 1]');
    expect(redactor.redact('demo-partner-code-1')).toBe('[auth_code 1]');
  });

  it.each([
    ['Gson', 'tok/en+1=abc', '{"t":"tok/en+1\\u003dabc"}'],
    ['System.Text.Json', 'tok/en+1=abc', '{"t":"tok/en\\u002B1=abc"}'],
    ['PHP', 'tok/en+1=abc', '{"t":"tok\\/en+1=abc"}'],
    ['JSON within JSON', 'tok/en+1=abc', '{"t":"{\\"u\\":\\"tok/en+1\\\\u003dabc\\"}"}'],
    ['a doubly encoded URL', 'tok/en+1=abc', 'https://x/?t=tok%252Fen%252B1%253Dabc'],
    ['a header', 'tok/en ä中 abc', Buffer.from('tok/en ä中 abc').toString('latin1')],
    [
      'a header of Node',
      'ä中 abc',
      Buffer.from(Buffer.from('ä中 abc').toString('latin1')).toString('latin1'),
    ],
    ['HTML', 'tok&en<1>abc', '<p>tok&amp;en&#x3C;1&#62;abc</p>'],
    ['Base64', 'tok/en+1=abc', `Basic ${Buffer.from('tok/en+1=abc').toString('base64')}`],
    ['hex', 'tok/en+1=abc', Buffer.from('tok/en+1=abc').toString('hex').toUpperCase()],
    [
      'an upper-cased signature',
      '0123456789abcdef0123456789abcdef',
      '0123456789ABCDEF0123456789ABCDEF',
    ],
  ])('finds a secret as %s writes it', (_, hidden, text) => {
    const redactor = new Redactor();
    redactor.add('access_token', hidden);
    expect(redactor.redact(text)).toContain('[access_token 1]');
  });

  it('distinguishes a secret from a prefix of it', () => {
    const redactor = new Redactor();
    redactor.add('access_token', 'abcdefgh-12345678');
    expect(redactor.redact('abcdefgh-1234567 abcdefgh-12345678 abcdefg')).toBe(
      '[part of access_token 1] [access_token 1] abcdefg',
    );
  });

  it('keeps our own sentences if a key is an ordinary word', () => {
    const redactor = new Redactor();
    redactor.add('signing_key', 'wrong', 'p-100');
    redactor.add('access_token', 'letters');
    expect(redactor.redactSentence('a wrong signature for letters')).toBe(
      'a wrong signature for [access_token 1]',
    );
    expect(redactor.redact('key=wrong')).toBe('key=[signing_key p-100]');
  });

  it('gives each secret its own pseudonym', () => {
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
    expect(redactor.redact('a x-inner-secret-y b')).toBe('a [access_token 1] b');
  });
});
