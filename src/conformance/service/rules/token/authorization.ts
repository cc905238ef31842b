import { swapCase } from '../../contract/altered-text.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import type { TokenAttempt } from '../../contract/messages.ts';
import { refusals, repeated, type Variant } from '../../contract/templates.ts';
import { WRONG_SHAPES } from '../authorization-shapes.ts';

const unknownId = ({ id, random }: CheckContext): string => `${id}-${random.text(8)}`;

const withId = (
  wrong: string,
  idOf: (ctx: CheckContext) => string | null,
): Variant<TokenAttempt> => [
  wrong,
  (ctx) => {
    const partnerId = idOf(ctx);
    return partnerId === null || partnerId === ctx.id ? null : { partnerId };
  },
];

/**
 * Ids that differ a little from the partner's own. None may be the id of another partner, whom a
 * refused request might be counted for: numbered ids are not cut.
 */
const NEAR_IDS: readonly Variant<TokenAttempt>[] = [
  withId("the partner's id in other case", ({ id }) => swapCase(id)),
  withId("the partner's id with its last character changed", ({ id }) => `${id.slice(0, -1)}~`),
  withId("the partner's id with its first character changed", ({ id }) => `~${id.slice(1)}`),
  withId("the partner's id with others before it", ({ id, random }) => `${random.text(8)}-${id}`),
  withId("the partner's id with a % for its last character", ({ id }) => `${id.slice(0, -1)}%`),
  withId("the partner's id without its last character", ({ id }) =>
    /([a-z0-9]{6}|[-_.:][a-z0-9])$/i.test(id) ? id.slice(0, -1) : null,
  ),
];

/** Texts that languages make of a key that is not there. */
const NO_KEYS = ['null', 'undefined', 'None'];

/** Checks of the header Authorization of a token request (interface.md, "Authentication"). */
export const authorizationChecks: readonly Check[] = [
  refusals({
    rule: 'token/partner-unknown',
    baseRequest: 'platform',
    refusedAs: 'partner-unknown',
    // Counts for nobody: the request names no partner of the target.
    each: {},
    variants: [
      withId('an unknown partner id', unknownId),
      [
        'an unknown partner id, signed with the empty key',
        (ctx) => ({ partnerId: unknownId(ctx), signingKey: '' }),
      ],
      ...NO_KEYS.map(
        (word): Variant<TokenAttempt> => [
          `an unknown partner id, signed with the key ${word}`,
          (ctx) => ({ partnerId: unknownId(ctx), signingKey: word }),
        ],
      ),
      ...NEAR_IDS,
    ],
  }),
  refusals({
    rule: 'token/authorization-required',
    baseRequest: 'platform',
    refusedAs: 'authorization-missing',
    each: {},
    variants: [
      ['no Authorization', () => ({ authorization: null })],
      ['an empty Authorization', () => ({ authorization: () => '' })],
      ...repeated<TokenAttempt>(['no Authorization', () => ({ authorization: null })], 2),
    ],
  }),
  refusals({
    rule: 'token/authorization-shape',
    baseRequest: 'platform',
    alsoOn: ['refresh'],
    refusedAs: 'authorization-shape',
    variants: WRONG_SHAPES.map(([what, authorization]) => [
      `Authorization with ${what}`,
      () => ({ authorization }),
    ]),
  }),
];
