import { explainSignature } from '../../../../interface/signature.ts';
import { inconclusive, pass, violated } from '../../../verdict.ts';
import { type Answer, describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import { judgeRefusals, type Negative } from '../../contract/judge.ts';
import { exchangesOf, type Observation } from '../../contract/observation.ts';
import type { Fields, TokenAttempt } from '../../contract/request.ts';
import { checkOf, refusals } from '../../contract/templates.ts';
import { accepted, Untestable } from '../../contract/undecided.ts';
import { changeDigit } from '../altered-text.ts';
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

/** Each signed field by itself: a well-formed request, signed as if that field had been another. */
const coversFields = checkOf({
  rule: 'signature/covers-fields',
  baseRequest: 'platform',
  priority: 1,
  spends: (facts) =>
    facts.metered ? { platform: 5, refresh: 1 } : { platform: 6, refresh: 2, user: 2, codes: 1 },
  run: async (ctx) => {
    const alterations = new Alterations(ctx);
    await alterations.sendPlatform();
    await alterations.sendRefresh();
    await alterations.sendExchange();
    if (alterations.negatives.length === 0)
      throw new Untestable('the profile names no signed field that can be altered');
    return (baseline) => judgeRefusals(alterations.negatives, baseline);
  },
});

/** Requests with a field altered after signing, until one is accepted. */
class Alterations {
  readonly negatives: Negative[] = [];
  readonly #ctx: CheckContext;

  constructor(ctx: CheckContext) {
    this.#ctx = ctx;
  }

  async sendPlatform(): Promise<void> {
    const ctx = this.#ctx;
    const { metered, tokenFields } = ctx.facts;
    await this.#alter('nostr', ctx.platform(), ctx.random.nostr());
    await this.#alter('_', ctx.platform(), ctx.timestamp(7));
    await this.#alter('scope', ctx.platform({ scope: 'public' }), 'public profile');
    await this.#alter('grant_type', ctx.platform(), 'refresh_token');
    const { scope, ...signed } = ctx.platform({ scope: 'public profile' });
    await this.#send('scope', 'scope (added)', { ...signed, scope }, signed);
    if (!metered && tokenFields === 'all')
      await this.#alter(EXTRA, ctx.platform({ [EXTRA]: 'sent' }), 'signed');
  }

  /** @throws Inconclusive where the same refresh unaltered is not accepted after it */
  async sendRefresh(): Promise<void> {
    const ctx = this.#ctx;
    const { opening } = ctx;
    const refreshToken = opening && 'refreshToken' in opening ? opening.refreshToken : null;
    if (refreshToken === null || this.#isOver) return;
    await this.#alter('refresh_token', ctx.refresh(refreshToken), `${refreshToken}x`);
    if (this.#isOver || ctx.facts.metered) return;
    acceptedUnaltered(
      await ctx.sendRefresh(refreshToken, 'baseline: the same refresh, signed as sent'),
    );
  }

  /** @throws Inconclusive where the same exchange unaltered is not accepted after it */
  async sendExchange(): Promise<void> {
    const ctx = this.#ctx;
    if (ctx.facts.metered || !ctx.facts.hasControl || this.#isOver) return;
    const code = await ctx.authCode();
    await this.#alter('auth_code', ctx.exchange(code), `${code}x`);
    if (this.#isOver) return;
    const purpose = 'baseline: the same exchange, signed as sent';
    acceptedUnaltered(await ctx.token({ purpose, fields: ctx.exchange(code), wellFormed: true }));
  }

  /** One accepted is a violation; further requests would only cost. */
  get #isOver(): boolean {
    return this.negatives.at(-1)?.answer.outcome === 'accepted';
  }

  #alter(name: string, fields: Fields, before: unknown): Promise<void> {
    return this.#send(name, name, fields, { ...fields, [name]: before });
  }

  async #send(field: string, what: string, fields: Fields, signed: Fields): Promise<void> {
    const { tokenFields } = this.#ctx.facts;
    const isSigned = tokenFields === 'all' || tokenFields.includes(field);
    if (!isSigned || this.#isOver) return;
    const wrong = `${what} altered after signing`;
    const purpose = `negative: ${wrong}`;
    this.negatives.push({ wrong, answer: await this.#ctx.token({ purpose, fields, signed }) });
  }
}

/** Only where the same request unaltered succeeds was the alteration the cause of its refusal. */
function acceptedUnaltered(answer: Answer): void {
  accepted(answer, 'the same request, signed as sent, was not accepted either');
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
