import type { CheckContext, Place } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import { type Answer, describeAnswer, type Expects, type Fields } from '../../contract/messages.ts';

/** A base request whose signed pairs can be changed. */
export interface Carrier {
  /** Its pairs, some of them changed or added. */
  readonly pairs: (changes?: Fields) => Fields;
  /** Sends it; `signedText` is signed in place of the pairs, and then it is to be refused. */
  readonly send: (
    purpose: string,
    pairs: Fields,
    signedText?: string,
    expects?: Expects,
  ) => Promise<Answer>;
}

/**
 * The base request of a check; a standalone one exchanges an auth code.
 *
 * @param isFresh true for one of a fresh partner: a refusal may use up what it needs
 * @throws Inconclusive if the fresh partner could not get what it needs
 */
export async function carrierOn(
  ctx: CheckContext,
  { baseRequest, setting }: Place,
  isFresh: boolean,
): Promise<Carrier> {
  if (baseRequest === 'user-estimate') return ofEstimate(ctx);
  const caller = isFresh ? await ctx.freshPartner() : ctx;
  const send: Carrier['send'] = (purpose, fields, signedText, expects) =>
    caller.token({ purpose, expects: expects ?? expectedOf(signedText), fields, signedText });
  if (baseRequest === 'standalone' || (isFresh && baseRequest === 'user')) {
    const code = await caller.authCode();
    return { pairs: (changes) => caller.exchange(code, changes), send };
  }
  if (!isFresh) return { pairs: (changes) => ctx.base(changes), send };
  if (baseRequest === 'platform') return { pairs: (changes) => caller.platform(changes), send };
  const fields = setting.ofUser ? caller.exchange(await caller.authCode()) : caller.platform();
  const issued = await caller.token({ purpose: 'a token to refresh', fields, wellFormed: true });
  const { refreshToken } = issued;
  if (refreshToken === null)
    throw new Inconclusive(`no refresh_token could be had (${describeAnswer(issued)})`);
  return { pairs: (changes) => caller.refresh(refreshToken, changes), send };
}

const expectedOf = (signedText: string | undefined): Expects =>
  signedText === undefined ? 'accepted' : 'refused';

const ofEstimate = (ctx: CheckContext): Carrier => ({
  pairs: (changes) => ctx.query(changes as Record<string, string> | undefined),
  send: (purpose, pairs, signedText, expects) =>
    ctx.estimate({
      purpose,
      expects: expects ?? expectedOf(signedText),
      query: pairs as Record<string, string>,
      as: 'user',
      signedText,
    }),
});

/** Checks whether a query is refused where no signature is asked for. */
export async function isRefusedUnsigned(
  ctx: CheckContext,
  what: string,
  changes: Fields,
): Promise<boolean> {
  const accessToken = ctx.facts.metered
    ? ctx.platformToken
    : (await ctx.issued('a token for an estimate without a signature')).accessToken;
  const purpose = `the same, without a signature: ${what}`;
  const query = ctx.query(changes as Record<string, string>);
  const answer = answered(await ctx.estimate({ purpose, query, accessToken, as: 'platform' }));
  return answer.outcome === 'refused';
}
