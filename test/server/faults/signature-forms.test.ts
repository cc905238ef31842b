import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGNATURE_SETTINGS, sign } from '../../../src/interface/index.ts';
import type { FaultForms } from '../../../src/server/faults/fault.ts';
import { SIGNATURE_STEP_FORMS } from '../../../src/server/faults/signature/steps.ts';
import type { Signer } from '../../../src/server/service/signature-check.ts';

const KEY = 'aB3dE6gH9jK2mN5p';
type Pairs = Parameters<Signer>[0];

const md5 = (bytes: string | Uint8Array): string => hash('md5', bytes);
const signatureOf = (text: string | Uint8Array): string => md5(md5(text) + KEY);

/** A form, the pairs of a request, the text that the form signs, and the one that is right. */
type Row = readonly [form: string, pairs: Pairs, signed: string | Uint8Array, sound: string];

const KEYS = { _: 1, B: 2, a: 3, ab: 4 };
const EMPTY = { a: '', scope: '', z: 'x' };
const SPACED = { ' a ': '  b c ', scope: ' d ' };

const ROWS: readonly Row[] = [
  ['key-order#case-folded', KEYS, '_=1&a=3&ab=4&B=2', 'B=2&_=1&a=3&ab=4'],
  ['key-order#natural', { a10: 1, a9: 2 }, 'a9=2&a10=1', 'a10=1&a9=2'],
  [
    'key-order#whole-numbers-first',
    { 10: 'a', 9: 'b', '8x': 'c' },
    '9=b&10=a&8x=c',
    '10=a&8x=c&9=b',
  ],
  ['key-order#by-term', { a: 1, 'a.': 2 }, 'a.=2&a=1', 'a=1&a.=2'],
  ['key-order#by-value', { a: 'z', b: 'y' }, 'b=y&a=z', 'a=z&b=y'],
  ['key-order#descending', KEYS, 'ab=4&a=3&_=1&B=2', 'B=2&_=1&a=3&ab=4'],
  ['key-order#by-length', { ab: 1, z: 2 }, 'z=2&ab=1', 'ab=1&z=2'],
  ['key-order#underscore-first', KEYS, '_=1&B=2&a=3&ab=4', 'B=2&_=1&a=3&ab=4'],
  ['key-order#underscore-last', KEYS, 'B=2&a=3&ab=4&_=1', 'B=2&_=1&a=3&ab=4'],
  ['key-order#first-letter', { b: 0, az: 1, ab: 2 }, 'az=1&ab=2&b=0', 'ab=2&az=1&b=0'],
  ['key-order#known-first', { a: 1, scope: 's' }, 'scope=s&a=1', 'a=1&scope=s'],
  ['key-order#accents-folded', { é: 1, f: 2 }, 'é=1&f=2', 'f=2&é=1'],
  ['key-order#trimmed-first', { ' z': 1, a: 2 }, 'a=2&z=1', 'z=1&a=2'],
  ['empty-skipped#unknown-fields-kept', EMPTY, 'a=&z=x', 'z=x'],
  ['empty-skipped#text-kept', { ...EMPTY, n: null }, 'a=&scope=&z=x', 'z=x'],
  ['empty-skipped#name-kept', EMPTY, 'a&scope&z=x', 'z=x'],
  ['empty-skipped#scope-kept', EMPTY, 'scope=&z=x', 'z=x'],
  ['zero-kept#as-empty', { a: 0, b: 1 }, 'a=&b=1', 'a=0&b=1'],
  ['zero-kept#as-float', { a: 0, b: 1 }, 'a=0.0&b=1', 'a=0&b=1'],
  ['zero-kept#as-false', { a: 0, b: 1 }, 'a=false&b=1', 'a=0&b=1'],
  ['zero-kept#numbers-skipped', { a: 0, b: 'c' }, 'b=c', 'a=0&b=c'],
  ['trimmed#left-only', SPACED, 'a =b c &scope=d ', 'a=b c&scope=d'],
  ['trimmed#right-only', SPACED, ' a=  b c&scope= d', 'a=b c&scope=d'],
  ['trimmed#one-character', SPACED, 'a= b c&scope=d', 'a=b c&scope=d'],
  ['trimmed#names-stay', SPACED, ' a =b c&scope=d', 'a=b c&scope=d'],
  ['trimmed#values-stay', SPACED, 'a=  b c &scope= d ', 'a=b c&scope=d'],
  ['trimmed#known-fields-only', SPACED, 'a=  b c &scope=d', 'a=b c&scope=d'],
  ['trimmed#inner-too', SPACED, 'a=bc&scope=d', 'a=b c&scope=d'],
  ['trimmed#quotes-too', { a: ` "b'" ` }, 'a=b', `a="b'"`],
  ['array-json#spaced', { a: ['b', 'c'] }, 'a=["b", "c"]', 'a=["b","c"]'],
  ['array-json#escaped', { a: ['é😀/'] }, 'a=["\\u00e9\\ud83d\\ude00\\/"]', 'a=["é😀\\/"]'],
  ['array-json#latin-1-escaped', { a: ['é天'] }, 'a=["\\u00e9天"]', 'a=["é天"]'],
  ['array-json#beyond-bmp-escaped', { a: ['é😀'] }, 'a=["é\\ud83d\\ude00"]', 'a=["é😀"]'],
  ['array-json#sorted', { a: ['c', 'b'] }, 'a=["b","c"]', 'a=["c","b"]'],
  ['array-json#reversed', { a: ['b', 'c'] }, 'a=["c","b"]', 'a=["b","c"]'],
  ['array-json#deduplicated', { a: ['b', 'b'] }, 'a=["b"]', 'a=["b","b"]'],
  ['array-json#flattened', { a: [['b', ['c']]] }, 'a=["b","c"]', 'a=[["b",["c"]]]'],
  ['array-json#numbers-as-text', { a: [1, 'b'] }, 'a=["1","b"]', 'a=[1,"b"]'],
  ['array-json#texts-as-numbers', { a: ['1', '1b'] }, 'a=[1,"1b"]', 'a=["1","1b"]'],
  ['array-json#first-only', { a: ['b', 'c'] }, 'a=b', 'a=["b","c"]'],
  ['array-json#word', { a: ['b'] }, 'a=Array', 'a=["b"]'],
  ['array-json#without-quotes', { a: ['b', 1] }, 'a=[b,1]', 'a=["b",1]'],
  ['array-json#joined-by-spaces', { a: ['b', 1] }, 'a=b 1', 'a=["b",1]'],
  ['array-json#skipped', { a: ['b'], c: 'd' }, 'c=d', 'a=["b"]&c=d'],
  ['array-json#elements-trimmed', { a: [' b ', 1] }, 'a=["b",1]', 'a=[" b ",1]'],
  ['array-json#empty-elements-dropped', { a: ['', 0, null] }, 'a=[0]', 'a=["",0,null]'],
  ['array-json#one-element-bare', { a: ['b'], c: [1, 2] }, 'a=b&c=[1,2]', 'a=["b"]&c=[1,2]'],
  ['utf8#latin-1', { a: 'é' }, Buffer.from('a=é', 'latin1'), 'a=é'],
  ['utf8#utf-16', { a: 'é' }, Buffer.from('a=é', 'utf16le'), 'a=é'],
  ['utf8#composed', { a: 'e\u0301ﬁ' }, 'a=éﬁ', 'a=e\u0301ﬁ'],
  ['utf8#decomposed', { a: 'éﬁ' }, 'a=e\u0301ﬁ', 'a=éﬁ'],
  ['utf8#compatible', { a: 'e\u0301ﬁ' }, 'a=éfi', 'a=e\u0301ﬁ'],
  ['utf8#three-bytes-at-most', { a: '天😀' }, 'a=天\ufffd', 'a=天😀'],
  ['utf8#dropped', { a: 'bé' }, 'a=b', 'a=bé'],
  ['utf8#escaped', { a: 'bé' }, 'a=b\\u00e9', 'a=bé'],
  ['utf8#percent-encoded', { a: 'b é' }, 'a=b %C3%A9', 'a=b é'],
  ['utf8#twice', { a: 'é' }, 'a=Ã©', 'a=é'],
  ['utf8#lower-case', { a: 'BÉ' }, 'a=Bé', 'a=BÉ'],
  ['ampersands-stripped#leading-only', { '&&a': 'b&&' }, 'a=b&&', 'a=b'],
  ['ampersands-stripped#trailing-only', { '&&a': 'b&&' }, '&&a=b', 'a=b'],
  ['ampersands-stripped#one-at-each-end', { '&&a': 'b&&' }, '&a=b&', 'a=b'],
  ['ampersands-stripped#doubled-inside', { a: 'b&&c&' }, 'a=b&c', 'a=b&&c'],
  ['ampersands-stripped#of-each-term', { a: 'b&', c: 'd' }, 'a=b&c=d', 'a=b&&c=d'],
  ['ampersands-stripped#encoded-inside', { a: 'b&c&&' }, 'a=b%26c', 'a=b&c'],
  ['valid-accepted#plus-as-space', { a: 'b+c' }, 'a=b c', 'a=b+c'],
  ['valid-accepted#percent-decoded', { a: '%2b%e9' }, 'a=+%e9', 'a=%2b%e9'],
  ['valid-accepted#html-escaped', { a: '<"' }, 'a=&lt;&quot;', 'a=<"'],
  ['valid-accepted#cut-at-equals', { a: 'b=c' }, 'a=b', 'a=b=c'],
  ['valid-accepted#cut-at-hash', { a: 'b#c' }, 'a=b', 'a=b#c'],
  ['valid-accepted#backslashes-doubled', { a: 'b\\c' }, 'a=b\\\\c', 'a=b\\c'],
  ['valid-accepted#lower-case', { A: 'B' }, 'A=b', 'A=B'],
  ['valid-accepted#integers-of-32-bits', { a: 2 ** 32 + 1 }, 'a=1', 'a=4294967297'],
  ['valid-accepted#numbers-as-floats', { a: 1, b: 0 }, 'a=1.0&b=0', 'a=1&b=0'],
  [
    'valid-accepted#cut-at-255',
    { a: 'b'.repeat(256) },
    `a=${'b'.repeat(255)}`,
    `a=${'b'.repeat(256)}`,
  ],
];

describe('a form of a fault in a step of the signature', () => {
  it.each(ROWS)('%s', (name, pairs, signed, sound) => {
    const { replace } = SIGNATURE_STEP_FORMS[`signature/${name}` as keyof FaultForms]!;
    const signer = replace.tokenSigner!(sign, undefined as never);
    expect(signer(pairs, KEY, DEFAULT_SIGNATURE_SETTINGS)).toBe(signatureOf(signed));
    expect(sign(pairs, KEY, DEFAULT_SIGNATURE_SETTINGS)).toBe(signatureOf(sound));
  });

  it('is in the table above', () => {
    const listed = ROWS.map(([name]) => `signature/${name}`);
    expect(Object.keys(SIGNATURE_STEP_FORMS).filter((id) => !listed.includes(id))).toEqual([]);
  });
});
