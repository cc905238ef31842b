import { swapCase } from '../../contract/altered-text.ts';
import type { Check, CheckContext, Spending } from '../../contract/check.ts';
import { accepts, Inconclusive } from '../../contract/judge.ts';
import type { Fields, TokenAttempt } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import {
  type CheckDefinition,
  partOf,
  refusals,
  repeated,
  type Traits,
  type Variant,
  withParts,
} from '../../contract/templates.ts';
import { requireSigned } from '../signed-text.ts';

/** A request that names no grant type counts, at worst, for each allowance. */
export const ANY_KIND = { platform: 1, user: 1, refresh: 1 } as const;

/** The base request with another nostr, its signature right for it. */
const withNostr = (
  words: string,
  nostrOf: (ctx: CheckContext) => string | number,
  traits?: Traits,
): Variant<TokenAttempt> => [
  words,
  (ctx) => ({ fields: ctx.base({ nostr: nostrOf(ctx) }) }),
  traits,
];

/** A required field, and a value of it that another rule forbids. */
interface RequiredField {
  readonly rule: string;
  readonly field: string;
  readonly baseRequest?: 'platform' | 'refresh' | 'user';
  readonly alsoOn?: CheckDefinition['alsoOn'];
  readonly each?: Spending;
  /** Wrong, but neither null nor empty; what accepts it accepts those for another reason. */
  readonly wrong: string;
  /** True for a target that may accept null and the empty text. */
  readonly mayBeEmpty?: (facts: Facts) => boolean;
}

/** Times that a field is left out again, by the number of base requests that its rule holds on. */
const LEFT_OUT_AGAIN = { platform: 2, refresh: 5, user: 9 } as const;

/** A check that a field is required: it is left out, null, and empty. */
export function requiredField({
  baseRequest = 'platform',
  wrong,
  mayBeEmpty,
  ...options
}: RequiredField): Check {
  const { field } = options;
  const without = (words: string, value: unknown, traits?: Traits): Variant<TokenAttempt> => [
    words,
    (ctx) => {
      const isOpen = value !== undefined && mayBeEmpty?.(ctx.facts);
      return isOpen ? null : { fields: baseWith(ctx, value) };
    },
    traits,
  ];
  /** The base request; where it lacks the field by its kind, an exchange. */
  const baseWith = (ctx: CheckContext, value: unknown): Fields => {
    const isExchange = field === 'auth_code';
    return isExchange ? ctx.exchange('', { [field]: value }) : ctx.base({ [field]: value });
  };
  const absent = `no ${field}`;
  const orAnyValue: Traits = {
    requireProof: async (ctx, _answer, words) => {
      const purpose = `whether any ${field} is accepted`;
      const other = await ctx.token({ purpose, fields: baseWith(ctx, wrong) });
      if (other.outcome === 'refused') return;
      throw new Inconclusive(`${words} was accepted, and so was ${JSON.stringify(wrong)}`);
    },
  };
  return refusals({
    ...options,
    baseRequest,
    refusedAs: 'field-missing',
    variants: [
      without(absent, undefined),
      without(`null for ${field}`, null, orAnyValue),
      without(`an empty ${field}`, '', orAnyValue),
      ...repeated(without(absent, undefined), LEFT_OUT_AGAIN[baseRequest]),
    ],
  });
}

/** Lengths that are not 6; the most likely mistakes first. */
const WRONG_LENGTHS = [5, 7, 8, 1, 12, 32];

/** Characters that a lenient reader counts as digits or letters, or does not look at. */
const STRANGE: readonly string[] = Array.from('-_é１ 中.+/=$😀\u{0000}ſ\t²я\'"&@*');

const nostrWith = (
  where: string,
  strange: string,
  write: (text: string) => string,
): Variant<TokenAttempt> =>
  withNostr(`a nostr of 6 characters, ${where} ${JSON.stringify(strange)}`, (ctx) =>
    write(ctx.random.nostr(5)),
  );

/** Changes of the case of a nostr, of which the algorithm keeps each letter. */
const CASES: readonly (readonly [words: string, write: (nostr: string) => string])[] = [
  ['whose letters changed their case', swapCase],
  ['that was in lower case', (nostr) => nostr.toLowerCase()],
  ['that was in upper case', (nostr) => nostr.toUpperCase()],
  ['whose first letter changed its case', (nostr) => nostr.replace(/[a-z]/i, swapCase)],
];

/** A nostr that is signed in another case than it is sent in. */
const signedInCase = ([words, write]: (typeof CASES)[number]): Variant<TokenAttempt> => [
  `a nostr ${words} after signing`,
  (ctx) => {
    const fields = ctx.base();
    return { fields, signed: { ...fields, nostr: write(String(fields['nostr'])) } };
  },
];

/** Traits of a nostr that has 6 characters once it is trimmed. */
const UNLESS_TRIMMED: Traits = {
  isOpen: true,
  requireProof: async (ctx, _answer, words) => {
    const fields = ctx.base({ nostr: `${ctx.random.nostr()} ` });
    const other = await ctx.token({ purpose: 'whether a nostr is trimmed', fields });
    if (other.outcome === 'refused') return;
    throw new Inconclusive(`${words} was accepted, and so was one with a space after it`);
  },
};

/** Alphabets of a right nostr that a reader may take for a number, or for too simple. */
const ONE_KIND: readonly (readonly [words: string, alphabet: string])[] = [
  ['digits only', '123456789'],
  ['zeros only', '0'],
  ['lower-case letters only', 'abcdefghijklmnopqrstuvwxyz'],
  ['upper-case letters only', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
];

/** A nostr of digits or letters alone, which must be accepted. */
const ofOneKind = partOf({
  rule: 'token/nostr-alphabet',
  name: 'one-kind',
  circumstance: 'of digits or letters alone',
  acceptance: 'demanded',
  run: async (ctx) => {
    const opening = await ctx.sendPlatform('baseline: a nostr of digits and letters');
    let last = opening;
    for (const [words, alphabet] of ONE_KIND) {
      const right = `a nostr of 6 ${words}`;
      const nostr = ctx.random.text(6, alphabet);
      const expects = 'accepted';
      const fields = ctx.platform({ nostr });
      last = await ctx.token({ purpose: `positive: ${right}`, expects, fields });
      if (last.outcome === 'accepted') continue;
      const purpose = `a further field in place of ${right}`;
      if (ctx.facts.tokenFields === 'all')
        await requireSigned(right, nostr, (note) =>
          ctx.token({ purpose, fields: ctx.platform({ note }) }),
        );
      const closing = await ctx.sendPlatform('baseline: a nostr of digits and letters again');
      return accepts(right, last, { opening, closing });
    }
    const all = ONE_KIND.map(([words]) => words).join('; ');
    return accepts(`a nostr of ${all}`, last, { opening, closing: null });
  },
});

/** Checks of the field `nostr` (interface.md, "Token request body"). */
export const nostrChecks: readonly Check[] = [
  requiredField({
    rule: 'token/nostr-required',
    field: 'nostr',
    alsoOn: ['refresh'],
    wrong: 'A1b2C',
  }),
  refusals({
    rule: 'token/nostr-length',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'field-invalid',
    variants: [
      ...WRONG_LENGTHS.map((length) =>
        withNostr(`a nostr of ${length} characters`, ({ random }) => random.nostr(length)),
      ),
      withNostr('a nostr that is a number of 5 digits', () => 12_345),
      // The end of a pattern matches before a line break too.
      withNostr(
        'a nostr of 6 characters and a line break',
        ({ random }) => `${random.nostr()}\n`,
        UNLESS_TRIMMED,
      ),
    ],
  }),
  withParts(
    refusals({
      rule: 'token/nostr-alphabet',
      baseRequest: 'platform',
      alsoOn: ['refresh'],
      refusedAs: 'field-invalid',
      variants: [
        ...STRANGE.map((strange) =>
          nostrWith('one of them', strange, (text) => text.slice(0, 3) + strange + text.slice(3)),
        ),
        // The end of a pattern matches before a line break too.
        nostrWith('the last of them', '\n', (text) => `${text}\n`),
        nostrWith('the last of them', ' ', (text) => `${text} `),
      ],
    }),
    [ofOneKind],
  ),
  refusals({
    rule: 'token/nostr-case',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    needs: {
      missing: ({ tokenFields }) =>
        tokenFields === 'all' || tokenFields.includes('nostr')
          ? undefined
          : 'the profile leaves nostr out of the signed fields, so its change of case does not show',
    },
    variants: [...CASES.map(signedInCase), ...repeated(signedInCase(CASES[0]!), 2)],
  }),
];
