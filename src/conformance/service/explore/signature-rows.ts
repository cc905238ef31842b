import type { SeededRandom } from '../../seeded-random.ts';
import { FREQUENT_MISTAKES } from '../../signature/mistakes/frequent.ts';
import { LIST_MISTAKES } from '../../signature/mistakes/lists.ts';
import { TEXT_MISTAKES } from '../../signature/mistakes/texts.ts';
import { VALUE_MISTAKES } from '../../signature/mistakes/values.ts';
import { DOCUMENTED_RECIPE, type Mistake, signBy } from '../../signature/recipe.ts';
import { WRONG_KEYS } from '../rules/signature/checks.ts';
import { type Apply, between, type Draft, type Row, rightSignature } from './row.ts';

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

/** Misreadings of the algorithm; the spelling of hex is left open. */
const MISREADINGS: readonly Mistake[] = [
  ...FREQUENT_MISTAKES,
  ...VALUE_MISTAKES,
  ...TEXT_MISTAKES,
  ...LIST_MISTAKES,
].filter(({ part }) => part !== 'notation');

/** A wrong signature of a user's estimate. */
const ofUser = (name: string, apply: Apply): Row => ({
  name,
  on: 'user-estimate',
  is: 'wrong',
  rule: 'auth/user-signature',
  apply,
});

/** A wrong signature of a token request, and of a user's estimate. */
const ofBoth = (rule: string, name: string, apply: Apply): Row[] => [
  { name, on: 'token', is: 'wrong', rule: `signature/${rule}`, apply },
  ofUser(name, apply),
];

/** Number of a misreading among those that are stated alike, such as ` (2)`; none for the first. */
function variantOf({ statement }: Mistake, at: number): string {
  const before = MISREADINGS.slice(0, at).filter((one) => one.statement === statement);
  return before.length === 0 ? '' : ` (${before.length + 1})`;
}

/** Signs a draft by a recipe; null where the target does not sign all fields, and the recipe chooses some. */
function signedBy(mistake: Mistake, { step, session, fields }: Draft): string | null {
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
  // That an estimate is signed as it is spelled is left open.
  const open = sign(DOCUMENTED_RECIPE, (value) => encodeURIComponent(String(value)));
  return signature === '' || signature === open ? null : signature;
}

const misread = (mistake: Mistake, at: number): Row[] =>
  ofBoth(
    RULE_OF[mistake.part] ?? 'invalid-refused',
    `whose signature ${mistake.statement}${variantOf(mistake, at)}`,
    (draft) => {
      const signature = signedBy(mistake, draft);
      draft.parts.signature = signature ?? undefined;
      return signature !== null;
    },
  );

/** An alteration of the right signature. */
type Altered = readonly [what: string, alter: (right: string, random: SeededRandom) => string];

/** Signatures of which a part is right, which a lenient comparison takes. */
const PARTLY_RIGHT: readonly Altered[] = [
  [DIGITS, (_right, random) => random.hex(32)],
  ['a signature without its first digit', (right) => right.slice(1)],
  ['a signature without its first half', (right) => right.slice(16)],
  ['the start of a signature', (right, random) => right.slice(0, between(1, 30, random))],
  [
    'only the first half of a signature right',
    (right, random) => right.slice(0, 16) + random.hex(16),
  ],
  [
    'only the first 8 digits of a signature right',
    (right, random) => right.slice(0, 8) + random.hex(24),
  ],
  [
    'only the last 8 digits of a signature right',
    (right, random) => random.hex(24) + right.slice(24),
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

/** Ways in which a request is signed otherwise than its fields; a right signature is none, however it came. */
export const SIGNATURE_ROWS: readonly Row[] = [
  ...PARTLY_RIGHT.flatMap((one) => ofBoth('invalid-refused', `with ${one[0]}`, altering(one))),
  ...WRONG_KEYS.map(([what, keyOf]) =>
    ofUser(`signed with ${what}`, ({ parts }, { random, id, signingKey }) => {
      parts.signingKey = keyOf(signingKey, random, id);
    }),
  ),
  ...ofBoth('invalid-refused', 'with the signature of an earlier request', (draft, around) => {
    draft.parts.signature = around.sentSignature ?? undefined;
  }),
  ...MISREADINGS.flatMap(misread),
];
