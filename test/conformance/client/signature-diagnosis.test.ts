import { describe, expect, it } from 'vitest';
import { diagnoseSignature } from '../../../src/conformance/client/signature-diagnosis.ts';
import {
  fieldMistakes,
  RECIPE_MISTAKES,
} from '../../../src/conformance/client/signature-mistakes.ts';
import { DOCUMENTED_RECIPE, signBy } from '../../../src/conformance/client/signature-recipe.ts';
import { explainSignature } from '../../../src/interface/index.ts';
import fc from '../../property.ts';

/** Pairs on which each known mistake shows. */
const telling = {
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
};
const key = ' Secret Key ';
const sent = Object.entries(telling);

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
  it('finds a right one right, in either case of hex', () => {
    const { signature } = explainSignature(telling, key);
    expect(diagnoseSignature(telling, key, signature).verdict).toBe('right');
    expect(diagnoseSignature(telling, key, signature.toUpperCase()).verdict).toBe('right');
  });

  const context = {
    extraFields: { partner_id: 'p-1' },
    otherValues: { nostr: ['zzzzzz'], _: ['2026-03-01T08:29:59+08:00'] },
  };
  const mistakes = [...RECIPE_MISTAKES, ...fieldMistakes(sent, context)].filter(
    // Left out rightly, or by a mistake that has a name of its own.
    ({ id }) =>
      !['memo', 'count', 'blank', 'missing'].some((name) => id === `missing-field:${name}`),
  );

  it.each(mistakes.map((mistake) => [mistake.id, mistake] as const))('names %s', (id, mistake) => {
    // A key that is no hex decodes to nothing, which is a mistake of another name.
    const given = id === 'key-from-hex' ? '8f14e45fceea167a5a36dedd4bea2543' : key;
    const { signature, signedText } = signBy(mistake.apply(DOCUMENTED_RECIPE), sent, given);
    const diagnosis = diagnoseSignature(telling, given, signature, context);
    expect(diagnosis).toMatchObject({ verdict: 'explained', signedText });
    expect(diagnosis.mistakes.map((found) => found.id)).toEqual([id]);
  });

  it('names a pair of mistakes', () => {
    const [unsorted, upper] = ['order-unsorted', 'inner-upper-case'].map(
      (id) => RECIPE_MISTAKES.find((mistake) => mistake.id === id)!,
    );
    const recipe = upper!.apply(unsorted!.apply(DOCUMENTED_RECIPE));
    const diagnosis = diagnoseSignature(telling, key, signBy(recipe, sent, key).signature);
    expect(diagnosis.mistakes.map(({ id }) => id)).toEqual(['order-unsorted', 'inner-upper-case']);
  });

  it('does not explain what no known mistake gives', () => {
    const diagnosis = diagnoseSignature(telling, key, '0'.repeat(32));
    expect(diagnosis).toMatchObject({ verdict: 'unexplained', mistakes: [], signedText: null });
  });
});
