import { hash } from 'node:crypto';
import { explainSignature } from '../../../../interface/signature.ts';
import { inconclusive, pass, violated } from '../../../verdict.ts';
import { changeDigit, exchangeDigits, swapCase } from '../../contract/altered-text.ts';
import { type Check, type CheckContext, partsOf } from '../../contract/check.ts';
import { judgeRefusals } from '../../contract/judge.ts';
import {
  describeAnswer,
  type Fields,
  quoteAnswer,
  type TokenAttempt,
} from '../../contract/messages.ts';
import {
  exchangesOf,
  type Observation,
  ofServedPartners,
  type SeenToken,
} from '../../contract/observation.ts';
import { placeId } from '../../contract/parts.ts';
import { partOf, refusals, repeated, type Variant, withParts } from '../../contract/templates.ts';
import { mayBeLimitStatus } from '../../wire/rate-limit.ts';
import { isClustered } from './clusters.ts';
import { coversFields } from './covers-fields.ts';
import { leadingZeros } from './leading-zeros.ts';
import { TOKEN_FORMS } from './request-forms.ts';
import { checksOfSteps } from './steps.ts';
import { VALUES } from './texts.ts';

/** Refusals among successes, and their share, from which they have a cause that does not pass. */
const FEWEST_REFUSED = 3;
const LEAST_SHARE = 0.04;

/** Words of a refusal for the signature; one for the time is answered by other forms of it. */
const NAMES_CAUSE = /sign|签|time|date|iso.?8601|"_"|format|clock/i;

const isRefused = ({ answer }: SeenToken): boolean => answer.outcome === 'refused';

const inOrder = (requests: readonly SeenToken[]): SeenToken[] =>
  requests.toSorted((a, b) => a.answer.sentAtMs - b.answer.sentAtMs);

/** Any accepted well-formed request shows that a correct signature is accepted. */
const validAccepted: Observation = {
  rule: 'signature/valid-accepted',
  from: ['platform'],
  acceptance: 'demanded',
  overall: true,
  judge: (seen) => {
    const { requests, facts } = seen;
    // The interface leaves open whom a target grants which scope.
    const platform = requests.filter(
      ({ fields }) =>
        fields['grant_type'] === 'client_credentials' &&
        [undefined, 'public'].includes(fields['scope'] as string | undefined),
    );
    const refused = platform.filter(isRefused);
    const refusedFresh = refused.find(({ firstOfFresh }) => firstOfFresh);
    const succeeded = platform.filter(({ answer }) => answer.outcome === 'accepted');
    if (succeeded.length > 0 && !refusedFresh)
      return pass('correctly signed requests succeeded', exchangesOf(succeeded));
    const byUser = requests.find(
      ({ fields, answer }) =>
        fields['grant_type'] === 'authorization_code' && answer.outcome === 'accepted',
    );
    if (succeeded.length === 0 && byUser)
      return pass('a correctly signed exchange of an auth code succeeded', exchangesOf([byUser]));
    const [other] = refused;
    const { answer } = refusedFresh ?? ofServedPartners(refused, seen)[0] ?? {};
    if (!answer && other) {
      return inconclusive(
        `correctly signed requests were refused only as ${other.partnerId}, which the target accepts nothing of: its signing key in the profile may be wrong, or the partner banned`,
        [other.answer.exchange],
      );
    }
    // A few refusals among successes may be errors that pass: the interface does not exclude any.
    const times = refused.filter(({ firstOfFresh }) => firstOfFresh).length;
    const fewest = Math.max(FEWEST_REFUSED, LEAST_SHARE * platform.length);
    if (answer && succeeded.length > 0 && times < fewest) {
      return inconclusive(
        `${times} of ${platform.length} correctly signed requests refused (${quoteAnswer(answer)}), and the others succeeded`,
        [answer.exchange],
      );
    }
    if (answer && succeeded.length > 0 && isClustered(inOrder(platform).map(isRefused))) {
      return inconclusive(
        `${refused.length} of ${platform.length} correctly signed requests refused (${quoteAnswer(answer)}), in rows and not here and there: that is how a rate limit refuses, or an outage`,
        [answer.exchange],
      );
    }
    if (!answer) return inconclusive('no well-formed token request was answered');
    // Where nothing was ever accepted, only words tell the signature from other causes: where requests cost, few are
    // sent, and a limit of the rate may refuse all of them.
    const mayBeOther = facts.metered || mayBeLimitStatus(answer.status);
    if (succeeded.length === 0 && mayBeOther && !NAMES_CAUSE.test(answer.body)) {
      const ofProfile = facts.metered ? 'the signing key of the profile, a ban, ' : '';
      return inconclusive(
        `every well-formed request was refused (${describeAnswer(answer)}), and the response does not name the cause: the signature, ${ofProfile}a limit of the rate, or the form of the time "_"`,
        [answer.exchange],
      );
    }
    const which =
      succeeded.length > 0
        ? 'some correctly signed requests were'
        : 'every correctly signed request was';
    const hint = refusedFresh
      ? ''
      : '; if the signing key in the profile is wrong, or the partner is banned, fix that first';
    return violated(
      'status 200 for a correctly signed token request',
      `${which} refused (${describeAnswer(answer)})${hint}`,
      answer.exchange,
      [answer.exchange],
    );
  },
};

/** MD5(S) of the fields. */
const innerOf = (ctx: CheckContext, fields: Fields): string =>
  explainSignature(ctx.signedPairs(fields), '').innerMd5;

/** The digits, each as a letter beyond f. */
const notHex = (signature: string): string =>
  signature.replace(/./g, (digit) => (Number.parseInt(digit, 16) + 16).toString(32));

/** The fields of the base request with another signature than the right one. */
const signedBy =
  (signatureOf: (right: string, ctx: CheckContext, fields: Fields) => string) =>
  (ctx: CheckContext): Partial<TokenAttempt> => {
    const fields = ctx.base();
    return { fields, signature: signatureOf(ctx.sign(fields), ctx, fields) };
  };

/** Alterations of the right signature, the most conclusive first. */
const WRONG_SIGNATURES: readonly (readonly [what: string, alter: (right: string) => string])[] = [
  ['the right signature with its last digit changed', (right) => changeDigit(right, 31)],
  ['the right signature with its first digit changed', (right) => changeDigit(right, 0)],
  ['the right signature with two digits exchanged', exchangeDigits],
  ['a signature of zeros', () => '0'.repeat(32)],
  [
    'the right signature in capitals with a digit changed',
    (right) => changeDigit(right, 7).toUpperCase(),
  ],
  ['the right signature with a digit in the middle changed', (right) => changeDigit(right, 16)],
  [
    'the right signature with its digits in reverse order',
    (right) => Array.from(right).reverse().join(''),
  ],
  ['the right signature with a suffix', (right) => `${right}0`],
  ['the right signature without its last digit', (right) => right.slice(0, -1)],
  ['32 letters that are no hex digits', notHex],
];

const altered = ([what, alter]: (typeof WRONG_SIGNATURES)[number]): Variant<TokenAttempt> => [
  what,
  signedBy(alter),
];

const INVALID = {
  rule: 'signature/invalid-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'signature-invalid',
  priority: { rank: 1 },
} as const;

/** Each digit changed: a comparison may leave one out. */
const everyDigit = refusals({
  ...INVALID,
  variants: Array.from({ length: 32 }, (_, at) => [
    `the right signature with digit ${at + 1} changed`,
    signedBy((right) => changeDigit(right, at)),
  ]),
});

/** A service may skip the signature of a request in another form. */
const inEachForm = TOKEN_FORMS.map(
  ([form, change]): Variant<TokenAttempt> => [
    `a random signature, with ${form}`,
    (ctx) => ({ ...change(ctx), signature: ctx.random.hex(32) }),
  ],
);

const spoiledSignatures = refusals({
  ...INVALID,
  variants: [
    ...WRONG_SIGNATURES.slice(0, 5).map(altered),
    ...inEachForm,
    ...WRONG_SIGNATURES.slice(5).map(altered),
    [
      'MD5(S) after the key, not before it, for a signature',
      signedBy((_right, ctx, fields) => hash('md5', ctx.signingKey + innerOf(ctx, fields))),
    ],
    [
      'MD5 of S and the key, hashed once, for a signature',
      signedBy((_right, ctx, fields) =>
        hash('md5', explainSignature(ctx.signedPairs(fields), '').canonical + ctx.signingKey),
      ),
    ],
    [
      'MD5(S), without the signing key, for a signature',
      signedBy((_right, ctx, fields) => innerOf(ctx, fields)),
    ],
    // What accepts these accepts most of the others too.
    ['32 random hex digits for a signature', signedBy((_right, { random }) => random.hex(32))],
  ],
});

/**
 * A wrong signature on the first request of a partner, whose key a service may not have read yet: one of a
 * special channel, which a service may trust.
 */
const firstOfPartner = partOf({
  rule: INVALID.rule,
  name: 'first-of-a-partner',
  circumstance: 'the first request of a partner with a long lock',
  run: async (ctx) => {
    const partner = await ctx.freshPartner({ longLock: true });
    const wrong = '32 random hex digits for a signature';
    const answer = await partner.token({
      expects: 'refused',
      purpose: `negative: ${wrong}`,
      fields: partner.platform(),
      signature: ctx.random.hex(32),
    });
    const closing = await partner.sendPlatform('baseline: a right signature');
    return judgeRefusals([{ wrong, answer }], { opening: null, closing });
  },
});

const invalidRefused: Check = {
  ...spoiledSignatures,
  parts: (facts) => {
    const parts = partsOf(spoiledSignatures, facts);
    if (facts.metered) return parts;
    const digits = partsOf(everyDigit, facts)
      .filter(({ places: [place] }) => placeId(place) === 'platform')
      .map((check) => ({ ...check, id: `${check.id}:digits` }));
    return [...parts, ...digits, firstOfPartner];
  },
};

/** The base request signed with another key; null if there is none, or it is the right one. */
const signedWith =
  (keyOf: (ctx: CheckContext) => string | undefined | Promise<string | undefined>) =>
  async (ctx: CheckContext): Promise<Partial<TokenAttempt> | null> => {
    const signingKey = await keyOf(ctx);
    return signingKey === undefined || signingKey === ctx.signingKey ? null : { signingKey };
  };

/** Keys that come of the right one, or of its partner's id, where it is read, stored or compared wrongly. */
export const WRONG_KEYS: readonly (readonly [
  what: string,
  keyOf: (key: string, random: CheckContext['random'], partnerId: string) => string,
])[] = [
  ['the partner id for a key', (_key, _random, partnerId) => partnerId],
  ['the key in the other case', swapCase],
  ['the key without its last character', (key) => key.slice(0, -1)],
  ['the key and a space', (key) => `${key} `],
  ['the first 8 characters of the key', (key) => key.slice(0, 8)],
  ['the first 16 characters of the key', (key) => key.slice(0, 16)],
  ['the key in lower case', (key) => key.toLowerCase()],
  ['the key in upper case', (key) => key.toUpperCase()],
  ['the key and another character', (key, random) => key + random.text(1)],
  ['the key without its first character', (key) => key.slice(1)],
  ['a space and the key', (key) => ` ${key}`],
  ['the key and a line break', (key) => `${key}\n`],
  ['the key and a zero character', (key) => `${key}\0`],
  ['the key twice', (key) => key + key],
  ['the key and another after it', (key, random) => key + random.text(8)],
  ['the reversed key', (key) => Array.from(key).reverse().join('')],
  ['the first 12 characters of the key', (key) => key.slice(0, 12)],
  ['a random key', (_key, random) => random.text(32)],
];

const withEmptyKey: Variant<TokenAttempt> = [
  'a signature made with the empty key',
  signedWith(() => ''),
];

const wrongKeyRefused = refusals({
  rule: 'signature/wrong-key-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'signature-invalid',
  priority: { rank: 1 },
  variants: [
    [
      "a signature made with another partner's key",
      signedWith(async (ctx) => (await ctx.otherPartner())?.signingKey),
    ],
    withEmptyKey,
    ...WRONG_KEYS.map(
      ([what, keyOf]): Variant<TokenAttempt> => [
        `a signature made with ${what}`,
        signedWith(({ signingKey, random, id }) => keyOf(signingKey, random, id)),
      ],
    ),
    ...repeated(withEmptyKey, 3),
  ],
});

/** Checks of the area `signature` (interface.md, "Signature algorithm"). */
export const signatureChecks: readonly Check[] = [
  invalidRefused,
  wrongKeyRefused,
  coversFields,
  ...checksOfSteps.map((check) =>
    check.id === VALUES.rule ? withParts(check, [leadingZeros]) : check,
  ),
];

/** Rules of the area that are judged over what was seen. */
export const signatureObservations: readonly Observation[] = [validAccepted];
