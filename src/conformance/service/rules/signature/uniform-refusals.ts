import type { CheckContext } from '../../contract/check.ts';
import { isSameRefusal } from './likeness.ts';

/**
 * Checks whether the target refuses all alike, by two estimates: they cost nothing. Without a token for
 * them it may.
 */
export async function refusesAllAlike(ctx: CheckContext): Promise<boolean> {
  const { opening, platformToken, random } = ctx;
  const ofOpening = opening && 'accessToken' in opening ? opening.accessToken : null;
  const accessToken = ofOpening ?? platformToken;
  if (accessToken === '') return true;
  const unknown = await ctx.estimate({
    purpose: 'negative: an access token that was never issued',
    query: ctx.query(),
    accessToken: `never-issued-${random.text(16)}`,
  });
  const incomplete = await ctx.estimate({
    purpose: 'negative: no from_name',
    query: ctx.query({ from_name: undefined }),
    accessToken,
  });
  return isSameRefusal(unknown, incomplete);
}
