import type { SeededRandom } from '../../seeded-random.ts';
import { FREQUENT_MISTAKES } from '../../signature/mistakes/frequent.ts';
import { LIST_MISTAKES } from '../../signature/mistakes/lists.ts';
import { TEXT_MISTAKES } from '../../signature/mistakes/texts.ts';
import { VALUE_MISTAKES } from '../../signature/mistakes/values.ts';
import { DOCUMENTED_RECIPE, type Mistake, signBy } from '../../signature/recipe.ts';
import { swapCase } from '../contract/altered-text.ts';
import { WRONG_KEYS, WRONG_SIGNATURES } from '../rules/signature/checks.ts';
import { CASES } from '../rules/token/fields.ts';
import {
  between,
  type Draft,
  isUserEstimate,
  pick,
  type Row,
  rightSignature,
  signNow,
} from './row.ts';

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

/** Names of fields that enter the signature of a draft. */
function signedNames({ step, session, fields }: Draft): string[] {
  const { tokenFields, estimateFields } = session.client.facts;
  const signed = step.do === 'token' ? tokenFields : estimateFields;
  return Object.keys(fields).filter((name) => signed === 'all' || signed.includes(name.trim()));
}

const isAllSigned = ({ step, session }: Draft): boolean => {
  const { tokenFields, estimateFields } = session.client.facts;
  return (step.do === 'token' ? tokenFields : estimateFields) === 'all';
};

/** A wrong signature, of a token request and of a user's estimate. */
const both = (rule: string, name: string, apply: Row['apply']): Row[] => [
  { name, on: 'token', is: 'wrong', rule: `signature/${rule}`, apply },
  {
    name,
    on: 'estimate',
    for: isUserEstimate,
    is: 'wrong',
    rule: 'auth/user-signature',
    apply,
  },
];

/** Number of a misreading among those that are stated alike, such as ` (2)`; none for the first. */
function variantOf({ statement }: Mistake, at: number): string {
  const before = MISREADINGS.slice(0, at).filter((one) => one.statement === statement);
  return before.length === 0 ? '' : ` (${before.length + 1})`;
}

const misread = (mistake: Mistake, at: number): Row[] =>
  both(
    RULE_OF[mistake.part] ?? 'invalid-refused',
    `whose signature ${mistake.statement}${variantOf(mistake, at)}`,
    (draft) => {
      if (mistake.part === 'fields' && !isAllSigned(draft)) return false;
      const { fields, session, parts } = draft;
      const names = signedNames(draft);
      const { signingKey } = session.partner;
      const sign = (by: typeof DOCUMENTED_RECIPE, values = fields): string => {
        const pairs = names.map((name) => [name, values[name]] as const);
        return signBy(by, pairs, signingKey).signature;
      };
      const signature = sign(mistake.apply(DOCUMENTED_RECIPE));
      const spelled = Object.entries(fields).map(([name, value]) => [
        name,
        encodeURIComponent(String(value)),
      ]);
      // That an estimate is signed as it is spelled is left open.
      const open = [
        rightSignature(draft),
        sign(DOCUMENTED_RECIPE, Object.fromEntries(spelled) as Draft['fields']),
      ];
      parts.signature = signature;
      return signature !== '' && !open.includes(signature);
    },
  );

/** A field that is changed once the request is signed. */
const changed = (name: string, apply: Row['apply']): Row[] =>
  both('covers-fields', `${name} after signing`, (draft, around) => {
    const before = { ...draft.fields };
    signNow(draft);
    const signed = draft.parts.signature ?? draft.session.signer.sign(before);
    const isApplied = apply(draft, around);
    return isApplied !== false && rightSignature(draft) !== signed;
  });

const withNostr = ([words, write]: (typeof CASES)[number]): Row => ({
  name: `with a nostr ${words} after signing`,
  on: 'token',
  is: 'wrong',
  rule: 'token/nostr-case',
  apply: (draft) => {
    const nostr = String(draft.fields['nostr']);
    draft.parts.signed = { ...draft.fields, nostr: write(nostr) };
    return write(nostr) !== nostr && signedNames(draft).includes('nostr');
  },
});

const COORDINATE = /_l(at|ng)$/;

/** Another right value of a field. */
function otherValue(name: string, draft: Draft, around: Parameters<Row['apply']>[1]): unknown {
  const { random, nowMs } = around;
  const value = draft.fields[name];
  if (name === '_')
    return draft.session.client.stamp.textOf(nowMs - between(2, 500, random) * 1000);
  if (name === 'nostr') return random.nostr();
  if (name === 'scope') return value === 'public' ? 'public rides.read' : 'public';
  if (name === 'refresh_token') return around.credential('refreshToken', 'own') ?? value;
  if (name === 'departure_time')
    return String(Math.floor(nowMs / 1000) + between(1_000, 9_000, random));
  if (COORDINATE.test(name)) return (Number(value) + 0.001).toFixed(4);
  if (name === 'imei') return '356938035643809';
  if (name === 'from_name' || name === 'to_name')
    return pick([swapCase(String(value)), 'Elsewhere'], random);
  return typeof value === 'string' && !name.endsWith('type') ? `${value}x` : value;
}

const CHANGED: readonly Row[] = [
  ...changed('with a field changed', (draft, around) => {
    const names = signedNames(draft);
    if (names.length === 0) return false;
    const name = pick(names, around.random);
    draft.fields[name] = otherValue(name, draft, around);
    return true;
  }),
  ...changed('with a scope added', (draft, { random }) => {
    const isToken = draft.step.do === 'token';
    if (!isToken || 'scope' in draft.fields) return false;
    draft.fields['scope'] = pick(['public', 'public profile', 'public rides.read'], random);
    return isAllSigned(draft) || signedNames(draft).includes('scope');
  }),
  ...changed('with a further field added', (draft, { random }) => {
    const isToken = draft.step.do === 'token';
    const name = isToken ? pick(['remark', 'auth_code', 'refresh_token', 'zz'], random) : 'remark';
    if (name in draft.fields) return false;
    draft.fields[name] = random.text(8);
    return isAllSigned(draft);
  }),
  ...changed('with an optional parameter added', (draft, around) => {
    const name = pick(['imei', 'map_type', 'departure_time'], around.random);
    if (draft.step.do === 'token' || name in draft.fields) return false;
    draft.fields[name] = name === 'map_type' ? 'soso' : otherValue(name, draft, around);
    return isAllSigned(draft) || signedNames(draft).includes(name);
  }),
  ...changed('with an optional field left out', (draft, { random }) => {
    const optional = ['scope', 'imei', 'map_type', 'departure_time', 'remark'];
    const names = signedNames(draft).filter((name) => optional.includes(name));
    if (names.length === 0) return false;
    delete draft.fields[pick(names, random)];
    return true;
  }),
];

/** Signatures of which a part is right, which a lenient comparison takes. */
const PARTLY_RIGHT: readonly (readonly [
  what: string,
  alter: (right: string, random: SeededRandom) => string,
])[] = [
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
];

/** Ways in which a request is signed otherwise than its fields. */
export const SIGNATURE_ROWS: readonly Row[] = [
  ...[...WRONG_SIGNATURES, ...PARTLY_RIGHT].flatMap(([what, alter]) =>
    both('invalid-refused', `with ${what}`, (draft, { random }) => {
      const right = rightSignature(draft);
      const wrong = alter(right, random);
      draft.parts.signature = wrong;
      return wrong !== right;
    }),
  ),
  ...both('invalid-refused', 'with the signature of an earlier request', (draft, around) => {
    draft.parts.signature = around.sentSignature ?? undefined;
    return around.sentSignature !== null && around.sentSignature !== rightSignature(draft);
  }),
  ...[...WRONG_KEYS, ['the empty key', () => ''] as const].flatMap(([what, keyOf]) =>
    both('wrong-key-refused', `signed with ${what}`, ({ parts, session }, { random }) => {
      const { id, signingKey } = session.partner;
      parts.signingKey = keyOf(signingKey, random, id);
      return parts.signingKey !== signingKey;
    }),
  ),
  ...both(
    'wrong-key-refused',
    "signed with another partner's key",
    async ({ parts }, { other }) => {
      parts.signingKey = (await other()).partner.signingKey;
    },
  ),
  ...MISREADINGS.flatMap(misread),
  ...CASES.map(withNostr),
  ...CHANGED,
];
