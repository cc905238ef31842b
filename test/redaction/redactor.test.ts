import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Redactor, type StreamPiece } from '../../src/redaction/index.ts';
import { layersOf } from '../../src/redaction/layers.ts';
import fc from '../support/property.ts';
import { SPELLINGS } from '../support/spellings.ts';

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
        for (const { text: shown } of layersOf(redacted)) {
          for (let at = 0; at + 8 <= kept.length; at++) {
            expect(shown).not.toContain(kept.slice(at, at + 8));
          }
        }
        expect(redacted).toMatch(/\[(part of )?access_token 1\]/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves nothing of a secret that comes in pieces, whatever other streams write between them', () => {
    const piece = fc.record({ size: fc.integer({ min: 1, max: 9 }), other: fc.string() });
    const pieces = fc.array(piece, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(token, spelling, pieces, (hidden, spell, cuts) => {
        const redactor = new Redactor();
        redactor.add('access_token', hidden);
        const text = `before ${spell(hidden)} after`;
        const written: StreamPiece[] = [];
        let at = 0;
        for (const { size, other } of cuts) {
          written.push({ stream: 'stdout', text: text.slice(at, (at += size)) });
          written.push({ stream: 'stderr', text: other });
        }
        written.push({ stream: 'stdout', text: text.slice(at) });
        const only = written.filter(({ stream }) => stream === 'stdout');
        expect(redactor.redactPieces(only)).toBe(redactor.redact(text));
        const letters = (from: string): string[] => Array.from(from).toSorted();
        const others = cuts.map(({ other }) => other).join('');
        expect(letters(redactor.redactPieces(written))).toEqual(
          letters(redactor.redact(text) + others),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what streams write where it is, and hides a secret that several write together', () => {
    const redactor = new Redactor();
    redactor.add('signing_key', 'key-0123456789');
    const out = (text: string) => ({ stream: 'stdout', text });
    const error = (text: string) => ({ stream: 'stderr', text });
    const redacted = redactor.redactPieces([
      out('a key-0'),
      error('warning\n'),
      out('123456789 b\n'),
      error('key-012'),
      out('3456789, k'),
    ]);
    expect(redacted).toBe('a [signing_key 1]warning\n b\n[signing_key 1], k');
  });

  it('keeps the id of a partner, and no part of a secret that goes beyond it', () => {
    const redactor = new Redactor();
    redactor.add('auth_code', 'demo-partner-code-1');
    expect(redactor.redact('Bearer demo-partner|x')).toBe('Bearer [part of auth_code 1]|x');
    redactor.keep('demo-partner');
    expect(redactor.redact('Bearer demo-partner|x')).toBe('Bearer demo-partner|x');
    expect(redactor.redact('demo-partne')).toBe('demo-partne');
    expect(redactor.redact('demo-partner-c')).toBe('[part of auth_code 1]');
    expect(redactor.redact('demo-partner-code-1')).toBe('[auth_code 1]');
    redactor.add('signing_key', 'key-of-fresh-partner-7', 'fresh-partner-7');
    expect(redactor.redact('Bearer fresh-partner-7|x')).toBe('Bearer fresh-partner-7|x');
  });

  it('keeps the words of the catalogue, unless they are a whole secret', () => {
    const redactor = new Redactor();
    redactor.add('signing_key', 'my-client_credentials-key', 'p-100');
    redactor.add('access_token', 'private-car');
    expect(redactor.redact('"client_credentials" in private-car')).toBe(
      '"client_credentials" in [access_token 1]',
    );
    expect(redactor.redact('my-client_credentials')).toBe('[part of signing_key p-100]');
  });

  it('keeps what two secrets share, and hides what each has alone', () => {
    const redactor = new Redactor();
    redactor.add('access_token', 'tok_live_7Qw9Zx4mRt8vB2');
    redactor.add('access_token', 'tok_live_Lm4Kd8Yb2LcVh0');
    expect(redactor.redact('a tok_live_ of tok_live_Lm4Kd8Yb2LcVh0')).toBe(
      'a tok_live_ of [access_token 2]',
    );
    expect(redactor.redact('9Zx4mRt8v Lm4Kd8Yb')).toBe(
      '[part of access_token 1] [part of access_token 2]',
    );
  });

  it('finds secrets whole that have no part of their own', () => {
    const redactor = new Redactor();
    for (const one of ['at-000012', 'rt-000012', 'at-000013', 'rt-000013', 'at-0000123'])
      redactor.add('access_token', one);
    expect(redactor.redact('at-000012 rt-000013 at-0000123 at-00001')).toBe(
      '[access_token 1] [access_token 4] [access_token 5] at-00001',
    );
  });

  it('lets no answer make a part of a given secret public', () => {
    const redactor = new Redactor();
    redactor.addGiven([{ kind: 'signing_key', text: 'given-by-the-user-7Qw9Zx4m', label: 'p' }]);
    redactor.add('access_token', 'Rt8vB2Kd8Yb2-given-by-the-user');
    redactor.keep('the-user');
    expect(redactor.redact('given-by-the')).toBe('[part of signing_key p]');
    expect(redactor.redact('Rt8vB2Kd8')).toBe('[part of access_token 1]');
    expect(redactor.redact('the-user')).toBe('the-user');
  });

  it('names a secret that another one contains', () => {
    const redactor = new Redactor();
    redactor.add('header', 'Bearer 7Qw9Zx4mRt8vB2');
    redactor.add('header', '7Qw9Zx4mRt8vB2');
    expect(redactor.redact('Bearer 7Qw9Zx4mRt8vB2,7Qw9Zx4mRt8vB2,w9Zx4mRt')).toBe(
      '[header 1],[header 2],[part of header 2]',
    );
    expect(redactor.redact('er 7Qw9Zx4mRt8vB2')).toBe('[header 2]');
  });

  it('hides the tail of a secret that overlaps another one', () => {
    const redactor = new Redactor();
    redactor.add('access_token', 'first-7Qw9Zx4m');
    redactor.add('access_token', 'Zx4m-second-Rt8vB2');
    expect(redactor.redact('<first-7Qw9Zx4m-second-Rt8vB2>')).toBe('<[access_token 1]>');
  });

  it('hides short secrets whole', () => {
    const redactor = new Redactor();
    redactor.add('header', 'k3y!');
    const spelled = ['k3y!', 'k3y%21', 'k3y&#33;', 'azN5IQ==', '6b337921', '6B:33:79:21'];
    for (const one of spelled) expect(redactor.redact(`<${one}>`)).toMatch(/^<\[header 1\]=*>$/);
    expect(redactor.redact('k3y?')).toBe('k3y?');
  });

  it('hides hexadecimal digits in either case', () => {
    const redactor = new Redactor();
    redactor.add('signature', '4E1243BD22C66E76C2BA9EDDC1F91394');
    expect(redactor.redact('<4e1243bd22c66e76c2ba9eddc1f91394>')).toBe('<[signature 1]>');
  });

  it('does not take a number for a part of a learned secret of digits', () => {
    const redactor = new Redactor();
    redactor.add('signature', '4e1243bd22c66e76c2ba9eddc1f91394');
    redactor.add('access_token', '0b6f5c3a-8f3e-4c57-9d0e-2a4f1c7b6d95');
    redactor.addGiven([{ kind: 'signing_key', text: '8843d7f92416211d', label: 'p' }]);
    const kept = '4e1243bd-0000, 8f3e-4c57, 22c66e76c2b';
    expect(redactor.redact(kept)).toBe(kept);
    expect(redactor.redact('22c66e76c2ba, 8f3e-4c57-9d0e, d7f92416')).toBe(
      '[part of signature 1], [part of access_token 1], [part of signing_key p]',
    );
  });

  it('reads percents that are not UTF-8 as Latin-1', () => {
    const redactor = new Redactor();
    redactor.add('signing_key', 'schlüssel-größe', 'p');
    expect(redactor.redact('schl%FCssel-gr%F6%DFe')).toBe('[signing_key p]');
    expect(redactor.redact('schl%C3%BCssel-gr%C3%B6%C3%9Fe')).toBe('[signing_key p]');
  });

  it('hides a secret across the end of a cut text', () => {
    const redactor = new Redactor();
    redactor.add('access_token', '7Qw9Zx4mRt8vB2');
    expect(redactor.redact('abc 7Qw9Zx4mRt8vB2 def', 8)).toBe('abc [access_token 1]');
    expect(redactor.redact('abc 7Qw9Zx4mRt8vB2 def', 3)).toBe('abc');
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

  it('finds each part of more tokens, and of longer ones, than a check receives', {
    tags: ['long'],
  }, () => {
    const redactor = new Redactor();
    const tokenOf = (number: number, length: number): string =>
      Array.from({ length: Math.ceil(length / 64) }, (_, at) =>
        hash('sha256', `${number} ${at}`).slice(0, 62).replace('a', 'Z'),
      ).join('_Q');
    const tokens = [
      ...Array.from({ length: 1000 }, (_, at) => tokenOf(at, 1500)),
      tokenOf(-1, 9000),
    ];
    for (const one of tokens) redactor.add('access_token', one);
    for (const one of [tokens[703]!, tokens[999]!, tokens[1000]!]) {
      for (const part of [one.slice(700, 716), one.slice(-17, -1)])
        expect(redactor.redact(`<${part}>`)).toMatch(/^<\[part of access_token \d+\]>$/);
    }
  });

  it('hides more, not less, once it cannot search for each part of a secret', () => {
    const redactor = new Redactor(undefined, undefined, 20);
    redactor.keep('p-100-of-a-partner');
    redactor.add('access_token', 'Qw9Zx4mRt8vB2Kd8Yb2');
    redactor.add('access_token', 'Lm4Kd8Yb2LcVh0Rt7Pq3');
    expect(redactor.redact('<Qw9Zx4mRt8vB2Kd8Yb2>')).toBe('<[access_token 1]>');
    expect(redactor.redact('Bearer p-100-of-a-partner|h0Rt7Pq3 {"error":"not-found","a":17}')).toBe(
      'Bearer p-100-of-a-partner|[hidden] {"error":"not-found","a":17}',
    );
    expect(redactor.redact('Lm4Kd8Yb2LcVh0Rt7Pq3')).toBe('[access_token 2]');
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

  it('changes nothing but secrets', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...Array.from('ab4%&#;\\u0x6+/=ä中😀')) });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 3 }), anyText, spelling, (secrets, noise, spell) => {
        const redactor = new Redactor();
        for (const one of secrets) redactor.add('access_token', one);
        const text = `${noise}${secrets.map(spell).join(noise)}${noise}`;
        const pieces = redactor.redact(text).split(/\[(?:part of )?access_token \d\]/);
        let at = 0;
        for (const piece of pieces) {
          expect(text.indexOf(piece, at)).toBeGreaterThanOrEqual(at);
          at = text.indexOf(piece, at) + piece.length;
        }
        expect(text.startsWith(pieces[0] ?? '')).toBe(true);
        expect(text.endsWith(pieces.at(-1) ?? '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

const MEBIBYTE = 1 << 20;

/** Bodies of a megabyte that are made to take long. */
const HOSTILE: Readonly<Record<string, string>> = {
  'of one letter': 'a'.repeat(MEBIBYTE),
  'of a secret without end': 'abcdefghijklmnopqrstuvwxyz'.repeat(MEBIBYTE / 26),
  'of percents': '%25'.repeat(MEBIBYTE / 3),
  'of percents of percents': '%2525252525'.repeat(MEBIBYTE / 11),
  'of backslashes': '\\'.repeat(MEBIBYTE),
  'of ampersands': '&'.repeat(MEBIBYTE),
  'of references': '&#38;'.repeat(MEBIBYTE / 5),
  'of all escapes in each other': '%5Cu0026#x25;25\\x26amp;&#92;'.repeat(MEBIBYTE / 30),
  'of UTF-8 read as Latin-1 again and again': 'ÃÂ¤'.repeat(MEBIBYTE / 3),
  'of hexadecimal digits': '61:62:'.repeat(MEBIBYTE / 6),
  'of characters beyond the basic plane': '😀'.repeat(MEBIBYTE / 2),
};

describe('a body of a megabyte', () => {
  const redactor = new Redactor();
  redactor.add('access_token', 'a'.repeat(64));
  redactor.add('access_token', 'abcdefghijklmnopqrstuvwxyz'.repeat(40));
  redactor.add('header', 'aaaa');

  it.each(Object.entries(HOSTILE))(
    '%s is read in a bounded number of layers',
    { tags: ['long'] },
    (_, body) => {
      const read = layersOf(body).reduce((sum, { text }) => sum + text.length, 0);
      expect(read).toBeLessThan(12 * MEBIBYTE);
      expect(redactor.redact(body, 1000).length).toBeLessThan(2000);
    },
  );
});
