import { type Asked, isBefore, sinceAnswer } from './asked.ts';
import { areAtOnce, isNewerFor, isSameToken, type Token, tokensIn } from './issued.ts';
import { EARLY_MS, endsOf, LATE_MS, lifeOf, marginOf, READINGS } from './token-life.ts';

/** Rule that an acceptance would break, undefined where it breaks none; and whether a refusal would be right. */
export interface TokenOutlook {
  readonly refusedBy: string | undefined;
  readonly mayBeRefused: boolean;
}

const OPEN: TokenOutlook = { refusedBy: undefined, mayBeRefused: true };
const RIGHT: TokenOutlook = { refusedBy: undefined, mayBeRefused: false };
const wrongBy = (rule: string): TokenOutlook => ({
  refusedBy: `lifecycle/${rule}`,
  mayBeRefused: true,
});

/**
 * Outlook of a request with an issued token, by all readings of the gaps.
 *
 * @param asked an estimate with its access_token, or a refresh with its refresh_token
 */
export function tokenOutlook(asked: Asked, log: readonly Asked[]): TokenOutlook {
  const tokens = tokensIn(log);
  const isRefresh = asked.kind === 'refresh';
  const having = tokens.filter(({ by: { got } }) =>
    isRefresh
      ? got.refreshToken === asked.sent.refreshToken
      : got.accessToken === asked.sent.accessToken,
  );
  const [token] = having;
  // Of a token that came twice, neither life can be told.
  if (!token || having.length > 1) return OPEN;
  const newer = tokens.filter(
    ({ isUser, by }) => token.isUser && isUser && by !== token.by && !isBefore(by, token.by),
  );
  const older = tokens.filter(
    ({ isUser, by }) => token.isUser && isUser && areAtOnce(by, token.by) && by !== token.by,
  );
  const rivals = [...newer, ...older].filter(({ by }) => by.partner === token.by.partner);
  const isEnded = READINGS.some((reading) => endsOf(token, tokens, reading).length > 0);
  if (isRefresh) {
    const used = token.refreshes.find(({ outcome }) => outcome === 'accepted');
    if (used && isSameToken(used)) return OPEN;
    if (used) return sinceAnswer(used, asked) < 1 ? OPEN : wrongBy('refresh-single-use');
    return token.refreshes.length > 0 || rivals.length > 0 || isEnded ? OPEN : RIGHT;
  }
  const endMs = token.by.answeredMs + lifeOf(token);
  if (token.endMs === null) return OPEN;
  if (asked.sentMs > endMs + marginOf(token, LATE_MS)) return wrongBy('access-token-expires');
  const isSurelyNewer = rivals.some(
    ({ by }) => userOf(by, tokens) === userOf(token.by, tokens) && isNewerFor(by, token.by, asked),
  );
  if (isSurelyNewer) return wrongBy('user-token-newest-only');
  const isNearEnd = asked.sentMs > token.endMs - marginOf(token, EARLY_MS);
  return isNearEnd || rivals.length > 0 || isEnded ? OPEN : RIGHT;
}

/** User of a token: a refresh is that of the token that it began with. */
function userOf(by: Asked, tokens: readonly Token[]): string | undefined {
  const token = tokens.find((one) => one.by === by);
  return (token?.root?.by ?? by).user;
}
