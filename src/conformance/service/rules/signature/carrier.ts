import type { BaseRequest, Caller, CheckContext, Setting } from '../../contract/check.ts';
import { Inconclusive } from '../../contract/judge.ts';
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
  /** Sends the same pairs where no signature is asked for; undefined where one always is. */
  readonly sendUnsigned?: (purpose: string, pairs: Fields) => Promise<Answer>;
}

/** Sends a token request as a partner. */
export const sendAs =
  (caller: Caller): Carrier['send'] =>
  (purpose, fields, signedText, expects = signedText === undefined ? 'accepted' : 'refused') =>
    caller.token({ purpose, expects, fields, signedText });

/** The base request of a check, sent as its own partner. */
export function ownCarrier(ctx: CheckContext, baseRequest: BaseRequest): Carrier {
  if (baseRequest === 'user-estimate') {
    return {
      pairs: (changes) => ctx.query(changes as Record<string, string> | undefined),
      // Only a text at random is signed in place of a query: it is as wrong as a signature.
      send: (purpose, pairs, signedText) =>
        ctx.estimate({
          purpose,
          expects: signedText === undefined ? 'accepted' : 'refused',
          query: pairs as Record<string, string>,
          as: 'user',
          signature: signedText,
        }),
      sendUnsigned: async (purpose, pairs) => {
        const accessToken = ctx.facts.metered
          ? ctx.platformToken
          : (await ctx.issued('a token for an estimate without a signature')).accessToken;
        const query = pairs as Record<string, string>;
        return ctx.estimate({ purpose, query, accessToken, as: 'platform' });
      },
    };
  }
  return {
    pairs: (changes) => ctx.base(changes),
    send: sendAs(ctx),
  };
}

/**
 * The same base request as a fresh partner, for one request: a refusal may use up what it needs.
 *
 * @throws Inconclusive if the partner could not get what it needs
 */
export async function freshCarrier(
  ctx: CheckContext,
  baseRequest: BaseRequest,
  setting: Setting | undefined,
): Promise<Carrier> {
  if (baseRequest === 'user-estimate') return ownCarrier(ctx, baseRequest);
  const other = await ctx.freshPartner();
  const send = sendAs(other);
  if (baseRequest === 'platform') return { pairs: (changes) => other.platform(changes), send };
  if (baseRequest === 'user') {
    const code = await other.authCode();
    return { pairs: (changes) => other.exchange(code, changes), send };
  }
  const purpose = 'a token to refresh';
  const fields = setting?.ofUser ? other.exchange(await other.authCode()) : other.platform();
  const issued = await other.token({ purpose, fields, wellFormed: true });
  const { refreshToken } = issued;
  if (refreshToken === null)
    throw new Inconclusive(`no refresh_token could be had (${describeAnswer(issued)})`);
  return { pairs: (changes) => other.refresh(refreshToken, changes), send };
}
