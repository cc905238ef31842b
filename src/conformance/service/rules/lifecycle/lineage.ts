import type { Caller } from '../../contract/check.ts';
import { accepted, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type TokenAnswer } from '../../contract/messages.ts';

/** Origin of a token: the grant that began its chain, and the number of refreshes since. */
export interface Lineage {
  /** True for a user's token; left out, for a platform token. */
  readonly ofUser?: true;
  /** Number of refreshes by which it was got; default 0. */
  readonly refreshes?: number;
  /** Scope asked for; left out, none is named. */
  readonly scope?: string;
}

/** A successful token answer with both tokens. */
export type Issued = TokenAnswer & { readonly accessToken: string; readonly refreshToken: string };

/** Scope of a token that may do more than the default. */
export const WIDE_SCOPE = 'public rides.read rides.request';

/**
 * Obtains a token of that origin, by well-formed requests.
 *
 * @param what the token, for the purposes of the requests
 * @throws Inconclusive if it could not be had
 */
export async function obtain(caller: Caller, lineage: Lineage, what: string): Promise<Issued> {
  const { ofUser, refreshes = 0, scope } = lineage;
  const changes = scope === undefined ? {} : { scope };
  const fields = ofUser
    ? caller.exchange(await caller.authCode(), changes)
    : caller.platform(changes);
  let token = issuedBy(await caller.token({ purpose: what, fields, wellFormed: true }));
  for (let number = 1; number <= refreshes; number++)
    token = await refreshed(caller, token, `refresh ${number} of ${what}`);
  return token;
}

/**
 * Replaces a token by a well-formed refresh.
 *
 * @throws Inconclusive if it was not accepted
 */
async function refreshed(caller: Caller, token: Issued, purpose: string): Promise<Issued> {
  return issuedBy(await caller.sendRefresh(token.refreshToken, purpose));
}

/**
 * Tokens of a successful answer.
 *
 * @throws Inconclusive if it lacks one
 */
function issuedBy(answer: TokenAnswer): Issued {
  const { accessToken, refreshToken } = accepted(answer, 'no token could be had');
  if (accessToken !== null && refreshToken !== null)
    return { ...answer, accessToken, refreshToken };
  throw new Inconclusive(`no access_token and refresh_token came (${describeAnswer(answer)})`);
}

/**
 * Time at which a token expires, in ms of the target's clock.
 *
 * @throws Inconclusive if its answer has no expires_in_second
 */
export function expiryOf({ answeredAtMs, expiresInSeconds }: TokenAnswer): number {
  if (expiresInSeconds === null) throw new Inconclusive('no expires_in_second came with the token');
  return answeredAtMs + expiresInSeconds * 1000;
}
