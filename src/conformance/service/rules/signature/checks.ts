import { explainSignature } from '../../../../interface/signature.ts';
import { inconclusive, pass, violated } from '../../../verdict.ts';
import { changeDigit } from '../../contract/altered-text.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepted, judgeRefusals, type Negative, Untestable } from '../../contract/judge.ts';
import {
  type Answer,
  describeAnswer,
  type Fields,
  type TokenAttempt,
} from '../../contract/messages.ts';
import { exchangesOf, type Observation } from '../../contract/observation.ts';
import { checkOf, refusals } from '../../contract/templates.ts';
import { EXTRA } from './step.ts';
import { stepChecks } from './steps.ts';

/** Any accepted well-formed request shows that a correct signature is accepted. */
const validAccepted: Observation = {
  rule: 'signature/valid-accepted',
  from: ['platform'],
  overall: true,
  judge: ({ requests, tokens }) => {
    const platform = requests.filter(({ fields }) => fields['grant_type'] === 'client_credentials');
    const refused = platform.filter(({ answer }) => answer.outcome === 'refused');
    const refusedFresh = refused.find(({ firstOfFresh }) => firstOfFresh);
    const succeeded = platform.filter(({ answer }) => answer.outcome === 'accepted');
    if (succeeded.length > 0 && !refusedFresh)
      return pass('correctly signed requests succeeded', exchangesOf(succeeded));
    const byUser = tokens.find(({ fields }) => fields['grant_type'] === 'authorization_code');
    if (succeeded.length === 0 && byUser)
      return pass('a correctly signed exchange of an auth code succeeded', exchangesOf([byUser]));
    const { answer } = refusedFresh ?? refused[0] ?? {};
    if (!answer) return inconclusive('no well-formed token request was answered');
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

/** The fields of the base request with another signature than the right one. */
const signedBy =
  (signatureOf: (right: string, ctx: CheckContext, fields: Fields) => string) =>
  (ctx: CheckContext): Partial<TokenAttempt> => {
    const fields = ctx.base();
    return { fields, signature: signatureOf(ctx.sign(fields), ctx, fields) };
  };

const invalidRefused = refusals({
  rule: 'signature/invalid-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'signature-invalid',
  priority: 1,
  metered: 3,
  variants: [
    [
      'the right signature with its last digit changed',
      signedBy((right) => changeDigit(right, 31)),
    ],
    [
      'the right signature with its first digit changed',
      signedBy((right) => changeDigit(right, 0)),
    ],
    ['32 random hex digits for a signature', signedBy((_right, { random }) => random.hex(32))],
    ['a signature of zeros', signedBy(() => '0'.repeat(32))],
    [
      'the right signature with a digit in the middle changed',
      signedBy((right) => changeDigit(right, 16)),
    ],
    [
      'MD5(S), without the signing key, for a signature',
      signedBy((_right, ctx, fields) => explainSignature(ctx.signedPairs(fields), '').innerMd5),
    ],
  ],
});

/** The base request signed with another key; null if there is none, or it is the right one. */
const signedWith =
  (keyOf: (ctx: CheckContext) => string | undefined | Promise<string | undefined>) =>
  async (ctx: CheckContext): Promise<Partial<TokenAttempt> | null> => {
    const signingKey = await keyOf(ctx);
    return signingKey === undefined || signingKey === ctx.signingKey ? null : { signingKey };
  };

const wrongKeyRefused = refusals({
  rule: 'signature/wrong-key-refused',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'signature-invalid',
  priority: 1,
  metered: 2,
  variants: [
    [
      "a signature made with another partner's key",
      signedWith(async (ctx) => (await ctx.otherPartner())?.signingKey),
    ],
    ['a signature made with the empty key', signedWith(() => '')],
    ['a signature made with a random key', signedWith(({ random }) => random.text(32))],
    ['a signature made with the partner id for a key', signedWith(({ id }) => id)],
  ],
});

/** Alters each signed field by itself: a request that was signed as if that field had been another. */
const coversFields = checkOf({
  rule: 'signature/covers-fields',
  baseRequest: 'platform',
  priority: 1,
  spends: (facts) =>
    facts.metered ? { platform: 5, refresh: 1 } : { platform: 6, refresh: 2, user: 2, codes: 1 },
  run: async (ctx) => {
    const { tokenFields } = ctx.facts;
    const negatives: Negative[] = [];
    for await (const { field, what = field, fields, signed, sendUnaltered } of alterations(ctx)) {
      if (tokenFields === 'all' || tokenFields.includes(field)) {
        const wrong = `${what} altered after signing`;
        const answer = await ctx.token({ purpose: `negative: ${wrong}`, fields, signed });
        negatives.push({ wrong, answer });
        // One accepted is a violation; further requests would only cost.
        if (answer.outcome === 'accepted') break;
      }
      if (sendUnaltered)
        accepted(
          await sendUnaltered(),
          'the same request, signed as sent, was not accepted either',
        );
    }
    if (negatives.length === 0)
      throw new Untestable('the profile names no signed field that can be altered');
    return (baseline) => judgeRefusals(negatives, baseline);
  },
});

interface Alteration {
  readonly field: string;
  readonly what?: string;
  readonly fields: Fields;
  /** Fields that the signature is made of. */
  readonly signed: Fields;
  /** Sends the same request unaltered, if only its success shows that the alteration was refused. */
  readonly sendUnaltered?: () => Promise<Answer>;
}

async function* alterations(ctx: CheckContext): AsyncGenerator<Alteration> {
  const { metered, hasControl, tokenFields } = ctx.facts;
  const altered = (field: string, fields: Fields, before: unknown): Alteration => ({
    field,
    fields,
    signed: { ...fields, [field]: before },
  });
  yield altered('nostr', ctx.platform(), ctx.random.nostr());
  yield altered('_', ctx.platform(), ctx.timestamp(7));
  yield altered('scope', ctx.platform({ scope: 'public' }), 'public profile');
  yield altered('grant_type', ctx.platform(), 'refresh_token');
  const { scope, ...signed } = ctx.platform({ scope: 'public profile' });
  yield { field: 'scope', what: 'scope (added)', fields: { ...signed, scope }, signed };
  if (!metered && tokenFields === 'all')
    yield altered(EXTRA, ctx.platform({ [EXTRA]: 'sent' }), 'signed');
  const token = ctx.opening && 'refreshToken' in ctx.opening ? ctx.opening.refreshToken : null;
  if (token !== null) {
    const refresh = altered('refresh_token', ctx.refresh(token), `${token}x`);
    const purpose = 'baseline: the same refresh, signed as sent';
    yield metered ? refresh : { ...refresh, sendUnaltered: () => ctx.sendRefresh(token, purpose) };
  }
  if (metered || !hasControl) return;
  const code = await ctx.authCode();
  const purpose = 'baseline: the same exchange, signed as sent';
  yield {
    ...altered('auth_code', ctx.exchange(code), `${code}x`),
    sendUnaltered: () => ctx.token({ purpose, fields: ctx.exchange(code), wellFormed: true }),
  };
}

/** Checks of the area `signature` (interface.md, "Signature algorithm"). */
export const signatureChecks: readonly Check[] = [
  invalidRefused,
  wrongKeyRefused,
  coversFields,
  ...stepChecks,
];

/** Rules of the area that are judged over what was seen. */
export const signatureObservations: readonly Observation[] = [validAccepted];
