import type { SeededRandom } from '../../seeded-random.ts';
import { FREQUENT_MISTAKES } from '../../signature/mistakes/frequent.ts';
import { LIST_MISTAKES } from '../../signature/mistakes/lists.ts';
import { TEXT_MISTAKES } from '../../signature/mistakes/texts.ts';
import { VALUE_MISTAKES } from '../../signature/mistakes/values.ts';
import { DOCUMENTED_RECIPE, type Mistake, signBy } from '../../signature/recipe.ts';
import { optionalParameters } from '../contract/messages.ts';
import { WRONG_KEYS } from '../rules/signature/checks.ts';
import { type Apply, adding, between, type Draft, pick, type Row, rightSignature } from './row.ts';
import { NAMES, TEXTS, VALUES } from './texts.ts';

/** Words of a signature that has nothing of the right one. */
export const DIGITS = 'a signature of other digits';

/** Rule of a misreading, by the part of the algorithm that it is in; other parts give other digits. */
const RULE_OF: Readonly<Partial<Record<keyof typeof DOCUMENTED_RECIPE, string>>> = {
  fields: 'covers-fields',
  order: 'key-order',
  empties: 'empty-skipped',
  zero: 'zero-kept',
  trimmed: 'trimmed',
  lists: 'array-json',
  charset: 'utf8',
  ends: 'ampersands-stripped',
  joint: 'ampersands-stripped',
};

/** Misreadings of the algorithm, and the step that each is of; the spelling of hex is left open. */
const MISREADINGS: readonly (readonly [mistake: Mistake, step: string])[] = [
  ...[...FREQUENT_MISTAKES, ...VALUE_MISTAKES, ...TEXT_MISTAKES]
    .filter(({ part }) => part !== 'notation')
    .map((mistake) => [mistake, RULE_OF[mistake.part] ?? 'invalid-refused'] as const),
  ...LIST_MISTAKES.map((mistake) => [mistake, 'array-json'] as const),
];

/** Groups of rows that are drawn as one. */
const [ALTERED, MISREAD] = ['altered', 'misread'];

/** A wrong signature of a user's estimate. */
const ofUser = (name: string, apply: Apply, group?: string): Row => ({
  name,
  on: 'user-estimate',
  is: 'wrong',
  rule: 'auth/user-signature',
  group,
  apply,
});

/** A wrong signature of a token request, and of a user's estimate. */
const ofBoth = (rule: string, name: string, apply: Apply, group?: string): Row[] => [
  { name, on: 'token', is: 'wrong', rule: `signature/${rule}`, group, apply },
  ofUser(name, apply, group),
];

/** Number of a misreading among those that are stated alike, such as ` (2)`; none for the first. */
function variantOf({ statement }: Mistake, at: number): string {
  const before = MISREADINGS.slice(0, at).filter(([one]) => one.statement === statement);
  return before.length === 0 ? '' : ` (${before.length + 1})`;
}

/**
 * Signs a draft by a misreading; null where that is the right signature, or may be: an estimate that is signed as it
 * is spelled is left open. Where the target does not sign all fields, a recipe that chooses some is left out.
 */
function signedBy(mistake: Mistake, draft: Draft): string | null {
  const { step, session, fields } = draft;
  const { tokenFields, estimateFields } = session.client.facts;
  const signed = step.do === 'token' ? tokenFields : estimateFields;
  if (mistake.part === 'fields' && signed !== 'all') return null;
  const names = Object.keys(fields).filter(
    (name) => signed === 'all' || signed.includes(name.trim()),
  );
  const sign = (by: typeof DOCUMENTED_RECIPE, spelled: (value: unknown) => unknown): string => {
    const pairs = names.map((name) => [name, spelled(fields[name])] as const);
    return signBy(by, pairs, session.partner.signingKey).signature;
  };
  const signature = sign(mistake.apply(DOCUMENTED_RECIPE), (value) => value);
  const open = sign(DOCUMENTED_RECIPE, (value) => encodeURIComponent(String(value)));
  return ['', open, rightSignature(draft)].includes(signature) ? null : signature;
}

/** Draws of further fields until a misreading shows. */
const MOST_DRAWS = 12;

/** Signs a draft by a misreading; further fields are added where it does not show without them. */
function misreading(mistake: Mistake, draft: Draft, random: SeededRandom): string | null {
  const classes = draft.step.do === 'token' ? [...TEXTS, ...VALUES] : TEXTS;
  const names = Object.values(NAMES);
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const fields = { ...draft.fields };
    const further = { ...draft, fields };
    for (let number = 0; number < Math.min(draw, 2); number++) {
      const name = pick(random.next() < 0.6 ? NAMES.words : pick(names, random), random);
      adding(further, name, pick(pick(classes, random)[2], random));
    }
    const signature = signedBy(mistake, further);
    if (signature === null) continue;
    draft.fields = fields;
    return signature;
  }
  return null;
}

const misread = ([mistake, step]: (typeof MISREADINGS)[number], at: number): Row[] =>
  ofBoth(
    step,
    `whose signature ${mistake.statement}${variantOf(mistake, at)}`,
    (draft, around) => {
      const signature = misreading(mistake, draft, around.random);
      draft.parts.signature = signature ?? undefined;
      return signature !== null;
    },
    MISREAD,
  );

/** An alteration of the right signature. */
type Altered = readonly [what: string, alter: (right: string, random: SeededRandom) => string];

/** A part of a signature: its start, its end, or somewhere in it. */
function partOf(random: SeededRandom): [from: number, to: number] {
  const length = pick([1, 2, 8, 16, 24, 31, between(1, 31, random)], random);
  const from = pick([0, 32 - length, between(0, 32 - length, random)], random);
  return [from, from + length];
}

/** Signatures of which a part is right, which a lenient comparison takes. */
const PARTLY_RIGHT: readonly Altered[] = [
  [DIGITS, (_right, random) => random.hex(32)],
  [
    'a part of a signature',
    (right, random) => {
      const [from, to] = partOf(random);
      return right.slice(from, to);
    },
  ],
  [
    'a signature with other digits in a part of it',
    (right, random) => {
      const [from, to] = partOf(random);
      const other = (digit: string): string =>
        ((parseInt(digit, 16) + between(1, 15, random)) % 16).toString(16);
      return (
        right.slice(0, from) + Array.from(right.slice(from, to), other).join('') + right.slice(to)
      );
    },
  ],
  ['the digits of a signature sorted', (right) => Array.from(right).sort().join('')],
  ['the digits of a signature backwards', (right) => Array.from(right).reverse().join('')],
  ['a signature whose digits are letters beyond f', (right) => right.replaceAll(/\d/g, 'g')],
];

const altering =
  ([, alter]: Altered): Apply =>
  (draft, { random }) => {
    draft.parts.signature = alter(rightSignature(draft), random);
  };

/** Digits, which may stand in any value. */
const DIGITS_OF_TEXTS = '0123456789';

/** Alters one field after signing, or an optional parameter that it adds first; false where it is not signed, or no text. */
const alteredAfterSigning: Apply = (draft, around) => {
  const { random } = around;
  const isEstimate = draft.step.do === 'estimate';
  const optional = isEstimate ? optionalParameters(around.now()) : {};
  const [name, value] = pick(Object.entries({ ...optional, ...draft.fields }), random);
  draft.fields = { ...draft.fields, [name]: value };
  const signature = rightSignature(draft);
  const text = String(value);
  const at = between(0, Math.max(0, text.length - 1), random);
  const other = pick(Array.from(DIGITS_OF_TEXTS.replace(text[at] ?? '', '')), random);
  draft.fields = { ...draft.fields, [name]: text.slice(0, at) + other + text.slice(at + 1) };
  draft.parts.signature = signature;
  return typeof value === 'string' && rightSignature(draft) !== signature;
};

/** Ways in which a request is signed otherwise than its fields; a right signature is none, however it came. */
export const SIGNATURE_ROWS: readonly Row[] = [
  ...PARTLY_RIGHT.flatMap((one) =>
    ofBoth('invalid-refused', `with ${one[0]}`, altering(one), ALTERED),
  ),
  ...WRONG_KEYS.map(([what, keyOf]) =>
    ofUser(`signed with ${what}`, ({ parts }, { random, id, signingKey }) => {
      parts.signingKey = keyOf(signingKey, random, id);
    }),
  ),
  ...ofBoth('invalid-refused', 'with the signature of an earlier request', (draft, around) => {
    draft.parts.signature = around.sentSignature ?? undefined;
  }),
  ...ofBoth('covers-fields', 'with a field altered after signing', alteredAfterSigning, ALTERED),
  ...MISREADINGS.flatMap(misread),
];
