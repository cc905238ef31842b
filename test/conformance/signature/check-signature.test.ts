import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  candidateLimit,
  checkSignature,
  diagnoseSignature,
} from '../../../src/conformance/signature/check-signature.ts';
import { fieldMistakes } from '../../../src/conformance/signature/mistakes/fields.ts';
import { FREQUENT_MISTAKES } from '../../../src/conformance/signature/mistakes/frequent.ts';
import { rareMistakes } from '../../../src/conformance/signature/mistakes/rare.ts';
import {
  DOCUMENTED_RECIPE,
  type Pairs,
  signBy,
} from '../../../src/conformance/signature/recipe.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';
import { explainSignature } from '../../../src/interface/index.ts';
import { DEFAULT_SIGNATURE_SETTINGS } from '../../../src/interface/signature.ts';
import fc from '../../support/property.ts';

/** Pairs on which each known mistake shows. */
const revealing = {
  nostr: 'a1B2c3',
  Zone: 'b',
  _: '2026-03-01T08:30:00+08:00',
  scope: 'public rides.read',
  memo: '',
  count: 0,
  padded: '  x ',
  blank: '   ',
  ' edge ': 'k',
  lat: '39.90',
  places: ['北京', 'a/b'],
  from_name: '天安门 Münster',
  émail: 'ends&',
  marks: "~a/b!*(c)'",
  missing: null,
  gate: 'Gate #5 & Co.',
  fresh: true,
  forms: 'e\u0301 \u00e9 \ufb01',
};
const key = ' Secret Key ';
const sent = Object.entries(revealing);
/** Keys that can be decoded. */
const KEYS: Readonly<Record<string, string>> = {
  'key-from-hex': '8f14e45fceea167a5a36dedd4bea2543',
  'key-from-base64': 'U2VjcmV0IEtleQ==',
};
const md5 = (text: string | Uint8Array): string => hash('md5', text);

describe('the recipe', () => {
  it('is the documented algorithm when nothing is changed', () => {
    const pairs = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(pairs, fc.string(), (given, signingKey) => {
        fc.pre(Object.values(given).every((value) => value !== true));
        const { canonical, signature } = explainSignature(given, signingKey);
        expect(signBy(DOCUMENTED_RECIPE, Object.entries(given), signingKey)).toEqual({
          signedText: canonical,
          signature,
        });
      }),
    );
  });
});

describe('the diagnosis of a wrong signature', () => {
  it('accepts a right one, with hex digits in either case', () => {
    const { signature } = explainSignature(revealing, key);
    expect(diagnoseSignature(revealing, key, signature).verdict).toBe('right');
    expect(diagnoseSignature(revealing, key, signature.toUpperCase()).verdict).toBe('right');
  });

  const context = {
    extraFields: { partner_id: 'p-1' },
    otherValues: { nostr: ['zzzzzz'], _: ['2026-03-01T08:29:59+08:00'] },
    bodyText: '{ "nostr" : "a1B2c3" }',
  };
  const mistakes = [...FREQUENT_MISTAKES, ...fieldMistakes(sent, context)].filter(
    // Left out rightly, or by a mistake that has a name of its own.
    ({ id }) =>
      ![
        'missing-field:memo',
        'missing-field:count',
        'missing-field:blank',
        'missing-field:missing',
        'field-twice:memo',
        'field-twice:missing',
      ].includes(id),
  );

  it.each(mistakes.map((mistake) => [mistake.id, mistake] as const))('names %s', (id, mistake) => {
    const given = KEYS[id] ?? key;
    const { signature, signedText } = signBy(mistake.apply(DOCUMENTED_RECIPE), sent, given);
    const diagnosis = diagnoseSignature(revealing, given, signature, context);
    expect(diagnosis).toMatchObject({ verdict: 'explained', signedText });
    expect(diagnosis.mistakes.map((found) => found.id)).toEqual([id]);
  });

  it('names a pair of mistakes', () => {
    const [unsorted, upper] = ['order-unsorted', 'inner-upper-case'].map(
      (id) => FREQUENT_MISTAKES.find((mistake) => mistake.id === id)!,
    );
    const recipe = upper!.apply(unsorted!.apply(DOCUMENTED_RECIPE));
    const diagnosis = diagnoseSignature(revealing, key, signBy(recipe, sent, key).signature);
    expect(diagnosis.mistakes.map(({ id }) => id)).toEqual(['order-unsorted', 'inner-upper-case']);
  });

  it('blames no order where the pairs were sent in order', () => {
    const sortedPairs = { a: '1', b: '2' };
    const signature = md5(`a=1&b=2${key}`);
    const likely = [['order-unsorted', 'single-md5']];
    const found = diagnoseSignature(sortedPairs, key, signature, {}, 'combined', likely);
    expect(found.mistakes.map(({ id }) => id)).toEqual(['single-md5']);
  });

  const small = { a: '1', B: 'x', c: '' };
  const text = 'B=x&a=1';
  const secret = '8f14e45fceea167a5a36dedd4bea254g';
  const right = md5(md5(text) + secret);
  it.each([
    ['MD5(S), the key left out', md5(text), ['single-md5', 'key-missing']],
    ['MD5(MD5(S)), the key left out', md5(md5(text)), ['key-missing']],
    ['MD5(S + key)', md5(text + secret), ['single-md5']],
    ['MD5(S + "&key=" + key)', md5(`${text}&key=${secret}`), ['single-md5', 'key-separator-name']],
    ['MD5(key + S + key)', md5(secret + text + secret), ['single-md5', 'key-both-ends']],
    ['MD5(MD5(S + key))', md5(md5(text + secret)), ['key-inside']],
    [
      'MD5(MD5(S + "&key=" + key))',
      md5(md5(`${text}&key=${secret}`)),
      ['key-inside', 'key-separator-name'],
    ],
    ['Base64 of the digest', Buffer.from(right, 'hex').toString('base64'), ['base64']],
    ['Base64 of the digits', Buffer.from(right).toString('base64'), ['base64-of-hex']],
    ['its first 16 digits', right.slice(0, 16), ['first-half']],
    ['its middle 16 digits', right.slice(8, 24).toUpperCase(), ['middle-half']],
    ['HMAC-MD5', createHmac('md5', secret).update(text).digest('hex'), ['hmac-md5']],
    [
      'HMAC-SHA-256 in Base64',
      createHmac('sha256', secret).update(text).digest('base64'),
      ['hmac-sha256', 'base64'],
    ],
    [
      'HMAC-MD5 of MD5(S)',
      createHmac('md5', secret).update(md5(text)).digest('hex'),
      ['hmac-md5-of-inner'],
    ],
    ['SHA-256 twice', hash('sha256', hash('sha256', text) + secret), ['sha256']],
    ['values alone', md5(md5('x&1') + secret), ['values-only']],
    ['keys alone', md5(md5('B&a') + secret), ['keys-only']],
    ['JSON as JavaScript writes it', md5(md5('{"a":"1","B":"x","c":""}') + secret), ['json-body']],
    [
      'JSON as Python writes it',
      md5(md5('{"a": "1", "B": "x", "c": ""}') + secret),
      ['json-body-spaced'],
    ],
    [
      'sorted JSON of Python',
      md5(md5('{"B": "x", "a": "1", "c": ""}') + secret),
      ['json-sorted-spaced'],
    ],
    ['the key in upper case', md5(md5(text) + secret.toUpperCase()), ['key-upper-case']],
    ['unsorted pairs', md5(md5('a=1&B=x') + secret), ['order-unsorted']],
    ['& at the end', md5(md5(`${text}&`) + secret), ['trailing-ampersand']],
    ['& at the start', md5(md5(`&${text}`) + secret), ['leading-ampersand']],
  ])('names %s', (_words, signature, ids) => {
    const found = diagnoseSignature(small, secret, signature);
    expect(found.mistakes.map(({ id }) => id)).toEqual(ids);
    const all = [...FREQUENT_MISTAKES, ...fieldMistakes(Object.entries(small), {})];
    const recipe = ids.reduce(
      (before, id) => all.find((mistake) => mistake.id === id)!.apply(before),
      DOCUMENTED_RECIPE,
    );
    expect(signBy(recipe, Object.entries(small), secret).signature.toLowerCase()).toBe(
      signature.toLowerCase(),
    );
  });

  it('decodes only keys in hex or Base64', () => {
    const withoutKey = md5(text);
    for (const given of ['', 'no hex', 'abc', 'a b=']) {
      const { mistakes: found } = diagnoseSignature(small, given, withoutKey);
      expect(found.map(({ id }) => id)).not.toContain('key-from-hex');
      expect(found.map(({ id }) => id)).not.toContain('key-from-base64');
    }
  });

  it('names only mistakes that produce the signature', { tags: ['long'] }, () => {
    const pairs = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), {
      minKeys: 1,
      maxKeys: 3,
    });
    const one = fc.constantFrom(...FREQUENT_MISTAKES);
    fc.assert(
      fc.property(
        pairs,
        fc.string({ minLength: 1 }),
        one,
        one,
        (given, signingKey, first, second) => {
          const made = signBy(
            second.apply(first.apply(DOCUMENTED_RECIPE)),
            Object.entries(given),
            signingKey,
          );
          const found = diagnoseSignature(given, signingKey, made.signature);
          if (found.verdict !== 'explained') return;
          const all = [
            ...FREQUENT_MISTAKES,
            ...fieldMistakes(Object.entries(given), {}),
            ...rareMistakes(signingKey, {}),
          ];
          const recipe = found.mistakes.reduce(
            (before, { statement }) =>
              all.find((mistake) => mistake.statement === statement)!.apply(before),
            DOCUMENTED_RECIPE,
          );
          const again = signBy(recipe, Object.entries(given), signingKey);
          expect(again.signature).toBe(made.signature);
          expect(again.signedText).toBe(found.signedText);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('does not explain what no known mistake produces', { tags: ['long'] }, () => {
    const diagnosis = diagnoseSignature(revealing, key, '0'.repeat(32));
    expect(diagnosis).toMatchObject({ verdict: 'unexplained', mistakes: [], signedText: null });
  });
});

describe('the check of a request', () => {
  const partner = { id: 'p', signingKey: 'k' };
  const request = { partner, token: 't', earlier: { _: [], nostr: [] }, signedFields: ALL_FIELDS };
  const signedAs = (pairs: Record<string, unknown>, settings = {}) =>
    explainSignature(pairs, 'k', { ...DEFAULT_SIGNATURE_SETTINGS, ...settings }).signature;

  it.each([
    [{ a: true }, { booleans: 'literal' }, 'signed-booleans-and-objects'],
    [{ a: ['b/c'] }, { slashInList: 'plain' }, 'slash-in-list'],
    [{ a: '0', b: 1 }, { textZero: 'skipped' }, 'text-zero-signed'],
  ])('names the gap that a right signature of %j answers otherwise', (pairs, settings, gap) => {
    const signature = signedAs(pairs, settings);
    expect(checkSignature({ ...request, kind: 'token', pairs, signature })).toMatchObject({
      verdict: 'right',
      gaps: [gap],
    });
    const byDefault = signedAs(pairs);
    expect(
      checkSignature({ ...request, kind: 'token', pairs, signature: byDefault }),
    ).not.toHaveProperty('gaps');
  });

  it.each([
    ['Gate A', 'Gate%20A'],
    ['外', '%E5%A4%96'],
    ['é', '\u00c3\u00a9'],
    ['外', '&#22806;'],
    ['外', '&#x5916;'],
    ['外', '\\u5916'],
  ])('takes the signature of %j for that of %j, encoded twice', (text, value) => {
    const sentPairs = { pairs: { name: value }, encodedPairs: { name: value } };
    const diagnosis = checkSignature({
      ...request,
      ...sentPairs,
      kind: 'estimate',
      signature: signedAs({ name: text }),
    });
    expect(diagnosis).toMatchObject({ verdict: 'right', encodedTwice: true });
  });
});

describe('the search for mistakes', () => {
  const fields = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`f${(at * 7) % count}`, `${at} é`]),
    );

  it('tries every pair of mistakes in a request of usual length', () => {
    expect(candidateLimit(11, 'x'.repeat(400))).toBeGreaterThan(30_000);
  });

  it('tries fewer candidates the longer a request is', () => {
    expect(candidateLimit(11, 'x'.repeat(60_000))).toBeLessThan(500);
    expect(candidateLimit(6000, 'x'.repeat(40_000))).toBeLessThan(200);
  });

  // Without a limit this takes minutes.
  it('ends for a request of thousands of fields', { tags: ['long'] }, () => {
    const wrong = '0123456789abcdef0123456789abcdef';
    expect(diagnoseSignature(fields(5000), 'k', wrong).verdict).toBe('unexplained');
  });

  it('finds a single mistake in a request of thousands of fields', () => {
    const recipe = { ...DOCUMENTED_RECIPE, order: (pairs: Pairs) => pairs };
    const { signature } = signBy(recipe, Object.entries(fields(5000)), 'k');
    expect(diagnoseSignature(fields(5000), 'k', signature)).toMatchObject({
      verdict: 'explained',
      mistakes: [{ id: 'order-unsorted' }],
    });
  });
});
