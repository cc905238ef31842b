import type { CheckContext } from '../../contract/check.ts';
import { isSameRefusal } from './likeness.ts';

/**
 * Checks whether the target refuses all alike, by two estimates: they cost nothing. Without a token for
 * them it may.
 *
 * @param ofUser a user's token for them; null for the platform's
 */
export async function refusesAllAlike(
  ctx: CheckContext,
  ofUser: string | null = null,
): Promise<boolean> {
  const { opening, platformToken, random } = ctx;
  const ofOpening = opening && 'accessToken' in opening ? opening.accessToken : null;
  const accessToken = ofUser ?? ofOpening ?? platformToken;
  const as = ofUser === null ? undefined : 'user';
  if (accessToken === '') return true;
  const unknown = await ctx.estimate({
    expects: 'refused',
    purpose: 'negative: an access token that was never issued',
    query: ctx.query(),
    as,
    accessToken: `never-issued-${random.text(16)}`,
  });
  const incomplete = await ctx.estimate({
    expects: 'refused',
    purpose: 'negative: no from_name',
    query: ctx.query({ from_name: undefined }),
    as,
    accessToken,
  });
  return isSameRefusal(unknown, incomplete);
}
