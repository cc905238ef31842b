import {
  OPTIONAL_ESTIMATE_PARAMETERS,
  type OptionalParameter,
} from '../../../../interface/limits.ts';
import { changeDigit, exchangeDigits } from '../../contract/altered-text.ts';
import { type Check, type CheckContext, placeOn } from '../../contract/check.ts';
import { accepted, judgeRefusals, type Negative } from '../../contract/judge.ts';
import { type EstimateAttempt, optionalParameters } from '../../contract/messages.ts';
import { partId } from '../../contract/parts.ts';
import {
  checkOf,
  estimateRefusals,
  partOf,
  type Variant,
  withParts,
} from '../../contract/templates.ts';
import { obtain } from '../lifecycle/lineage.ts';
import { ESTIMATE_FORMS } from '../signature/request-forms.ts';

const RULE = 'auth/user-signature';

type Query = Record<string, string>;

/** A query, signed otherwise than by the rules. */
const signedBy =
  (signatureOf: (right: string, ctx: CheckContext) => string) =>
  (ctx: CheckContext): Partial<EstimateAttempt> => {
    const query = ctx.query();
    return { query, signature: signatureOf(ctx.signEstimate(query), ctx) };
  };

/** A query that was altered after signing; null if the profile does not name a signed parameter. */
const signedAs =
  (
    name: string,
    signedQuery: (sent: Query, ctx: CheckContext) => Query,
    changes: (ctx: CheckContext) => Query = () => ({}),
  ): Variant<EstimateAttempt>[1] =>
  (ctx) => {
    const { estimateFields } = ctx.facts;
    if (estimateFields !== 'all' && !estimateFields.includes(name)) return null;
    const query = ctx.query(changes(ctx));
    return { query, signature: ctx.signEstimate(signedQuery(query, ctx)) };
  };

const without =
  (...names: readonly string[]) =>
  (query: Query): Query =>
    Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)));

const optional =
  (...names: readonly OptionalParameter[]) =>
  (ctx: CheckContext): Query => {
    const values = optionalParameters(ctx.now());
    return Object.fromEntries(names.map((name) => [name, values[name]]));
  };

const OTHER_VALUES: readonly (readonly [name: string, other: (value: string) => string])[] = [
  ['product_type', (value) => (value === 'private-car' ? 'express-car' : 'private-car')],
  ['ride_type', (value) => (value === 'compact' ? 'express' : 'compact')],
  ['start_lat', changeLast],
  ['end_lng', changeLast],
  ['start_lng', changeLast],
  ['end_lat', changeLast],
  ['from_name', (value) => `${value}-2`],
  ['to_name', (value) => `${value}-2`],
];

/** A coordinate with another last digit. */
function changeLast(value: string): string {
  const last = Number(value.at(-1));
  return value.slice(0, -1) + String((last + 1) % 10);
}

const VARIANTS: readonly Variant<EstimateAttempt>[] = [
  ['the right signature with its last digit changed', signedBy((right) => changeDigit(right, 31))],
  ['the right signature with its first digit changed', signedBy((right) => changeDigit(right, 0))],
  [
    'the right signature with a digit in its middle changed',
    signedBy((right) => changeDigit(right, 15)),
  ],
  ['the right signature with two digits exchanged', signedBy(exchangeDigits)],
  [
    'the right signature in capitals with a digit changed',
    signedBy((right) => changeDigit(right, 7).toUpperCase()),
  ],
  ...ESTIMATE_FORMS.map(
    ([form, change]): Variant<EstimateAttempt> => [
      `a random signature, with ${form}`,
      (ctx) => ({ ...change(ctx), signature: ctx.random.hex(32) }),
    ],
  ),
  ['the right signature with a digit after it', signedBy((right) => `${right}0`)],
  ['a random signature', signedBy((_right, { random }) => random.hex(32))],
  ['a signature of zeros', signedBy(() => '0'.repeat(32))],
  ['a signature made with another key', (ctx) => ({ signingKey: `${ctx.signingKey}x` })],
  ['a signature made with the empty key', () => ({ signingKey: '' })],
  ['an empty signature', signedBy(() => '')],
  [
    "a signature made with another partner's key",
    async (ctx) => {
      const other = await ctx.otherPartner();
      return { signingKey: other?.signingKey ?? ctx.id };
    },
  ],
  ['the right signature without its last digit', signedBy((right) => right.slice(0, -1))],
  ["a signature made with the partner's id as key", (ctx) => ({ signingKey: ctx.id })],
  ...OTHER_VALUES.map(
    ([name, other]): Variant<EstimateAttempt> => [
      `${name} altered after signing`,
      signedAs(name, (query) => ({ ...query, [name]: other(query[name] ?? '') })),
    ],
  ),
  [
    'the two names exchanged after signing',
    signedAs('from_name', (query) => ({
      ...query,
      from_name: query['to_name'] ?? '',
      to_name: query['from_name'] ?? '',
    })),
  ],
  ...OPTIONAL_ESTIMATE_PARAMETERS.map(
    (name): Variant<EstimateAttempt> => [
      `${name} added after signing`,
      signedAs(name, without(name), optional(name)),
    ],
  ),
  [
    'departure_time altered after signing',
    signedAs(
      'departure_time',
      (query) => ({ ...query, departure_time: String(Number(query['departure_time']) + 600) }),
      optional('departure_time'),
    ),
  ],
  [
    'all optional parameters added after signing',
    signedAs(
      'imei',
      without(...OPTIONAL_ESTIMATE_PARAMETERS),
      optional(...OPTIONAL_ESTIMATE_PARAMETERS),
    ),
  ],
  [
    'imei removed after signing',
    // Another one than a target that demands it is sent.
    signedAs('imei', (query) => ({ ...query, imei: '490154203237518' })),
  ],
  ['a signature over no parameter', signedAs('from_name', () => ({}))],
  [
    'a signature over the values in lower case',
    signedAs('from_name', (query) =>
      Object.fromEntries(Object.entries(query).map(([name, one]) => [name, one.toLowerCase()])),
    ),
  ],
  [
    'the signature of an earlier estimate',
    signedAs(
      'to_name',
      (_query, ctx) => ctx.query(),
      () => ({ to_name: 'Fragrant-Hills' }),
    ),
  ],
];

const OPTIONS = {
  rule: RULE,
  baseRequest: 'user-estimate',
  refusedAs: 'signature-invalid',
  priority: { rank: 2 },
} as const;

const onEach = estimateRefusals({ ...OPTIONS, variants: VARIANTS });

/** Each digit changed: a comparison may leave one out. */
const everyDigit: Check = {
  ...estimateRefusals({
    ...OPTIONS,
    variants: Array.from({ length: 32 }, (_, at) => [
      `the right signature with digit ${at + 1} changed`,
      signedBy((right) => changeDigit(right, at)),
    ]),
  }),
  id: `${partId(RULE, placeOn('user-estimate'))}:digits`,
};

const ofTokenRequest: Check = {
  ...checkOf({
    rule: RULE,
    baseRequest: 'user-estimate',
    spends: { platform: 1 },
    run: async (ctx) => {
      const fields = ctx.platform();
      const purpose = 'baseline: a token request whose signature is sent again';
      accepted(
        await ctx.token({ purpose, fields, expects: 'accepted' }),
        'a token request was not accepted',
      );
      const wrong = 'the signature of a token request';
      const query = ctx.query();
      const signature = ctx.sign(fields);
      const answer = await ctx.estimate({
        expects: 'refused',
        purpose: `negative: ${wrong}`,
        query,
        signature,
      });
      return (baseline) => judgeRefusals([{ wrong, answer }], baseline);
    },
  }),
  id: `${partId(RULE, placeOn('user-estimate'))}:token-signature`,
  priority: { stage: 'further', rank: 1 },
};

/**
 * Wrong signatures between right ones, on a connection that sees nothing else: a service may trust the
 * connection, or judge what it remembers of the request before.
 */
const betweenRightOnes: Check = {
  ...checkOf({
    rule: RULE,
    baseRequest: 'user-estimate',
    run: async (ctx) => {
      const connection = `${RULE} ${ctx.id}`;
      const query = ctx.query();
      const other = { ...query, end_lng: changeLast(query['end_lng'] ?? '') };
      const wrong = 'a wrong signature between right ones on its connection';
      const negatives: Negative[] = [];
      for (const [before, after] of [
        [query, other],
        [other, query],
      ] as const) {
        const right = await ctx.estimate({
          purpose: 'baseline: a right request before a wrong one',
          expects: 'accepted',
          query: before,
          connection,
        });
        accepted(right, 'the right request before a wrong one was not accepted');
        const signature = changeDigit(ctx.signEstimate(after), 15);
        const purpose = `negative: ${wrong}`;
        const answer = await ctx.estimate({
          purpose,
          expects: 'refused',
          query: after,
          signature,
          connection,
        });
        negatives.push({ wrong, answer });
      }
      return (baseline) => judgeRefusals(negatives, baseline);
    },
  }),
  id: `${partId(RULE, placeOn('user-estimate'))}:between-right-ones`,
  priority: { stage: 'further', rank: 1 },
};

/** A wrong signature on the first request of a token: a service may look at it from the second on. */
const firstOfToken: Check = partOf({
  rule: RULE,
  name: 'first-of-a-token',
  circumstance: 'the first request with a token',
  run: async (ctx) => {
    const { accessToken } = await obtain(ctx, { ofUser: true }, "a user's token");
    const wrong = 'a random signature';
    const attempt = { query: ctx.query(), accessToken, as: 'user' } as const;
    const answer = await ctx.estimate({
      ...attempt,
      expects: 'refused',
      purpose: `negative: ${wrong}`,
      signature: ctx.random.hex(32),
    });
    const closing = await ctx.sendEstimate(accessToken, 'baseline: the right signature', 'user');
    return judgeRefusals([{ wrong, answer }], { opening: null, closing });
  },
});

/** Parts that a metered target gets too: its estimates cost nothing; a further token would. */
const ESTIMATES = [everyDigit, betweenRightOnes, ofTokenRequest];

/** A user's estimate with another signature than the right one. */
export const userSignature = withParts(onEach, [...ESTIMATES, firstOfToken], ESTIMATES);
