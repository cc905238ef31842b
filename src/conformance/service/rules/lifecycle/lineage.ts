import type { Caller, CheckContext } from '../../contract/check.ts';
import { accepted, Inconclusive } from '../../contract/judge.ts';
import { requireLasting } from '../../contract/lasting.ts';
import { describeAnswer, type EstimateAnswer, type TokenAnswer } from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';

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
export async function refreshed(caller: Caller, token: Issued, purpose: string): Promise<Issued> {
  return issuedBy(await caller.sendRefresh(token.refreshToken, purpose));
}

/**
 * Tokens of a successful answer.
 *
 * @throws Inconclusive if it lacks one
 */
export function issuedBy(answer: TokenAnswer): Issued {
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

/** Kind of estimate that a token of that origin is for. */
export function headerOf({ ofUser }: Lineage): 'platform' | 'user' {
  return ofUser ? 'user' : 'platform';
}

/** Sends an estimate of one shape that must be accepted. */
export function askShape(
  ctx: CheckContext,
  accessToken: string,
  purpose: string,
  as: 'platform' | 'user',
  shape?: Shape,
): Promise<EstimateAnswer> {
  const query = ctx.query({}, shape);
  return ctx.estimate({ purpose, query, accessToken, as, shape, wellFormed: true });
}

/**
 * Sends an estimate that must be accepted; a refused one is sent again a moment later.
 *
 * @throws Inconclusive if only the first was refused
 */
export async function askLasting(
  ctx: CheckContext,
  accessToken: string,
  purpose: string,
  as: 'platform' | 'user' = 'platform',
  shape?: Shape,
): Promise<EstimateAnswer> {
  const answer = await askShape(ctx, accessToken, purpose, as, shape);
  const query = ctx.query({}, shape);
  if (answer.outcome === 'refused')
    await requireLasting(purpose, answer, 'second', (again) =>
      ctx.estimate({ ...again, query, accessToken, as, shape }),
    );
  return answer;
}

/** A shape at the end of a purpose; empty for the plainest. */
export function inShape(shape: Shape | undefined): string {
  return shape === undefined ? '' : `, shape ${shape}`;
}
