import { type Asked, isBefore, sinceAnswer } from './asked.ts';

/** Tokens of one answer, and what a log shows of their life. */
export interface Token {
  /** The request that it came by. */
  readonly by: Asked;
  /** Token that was refreshed for it; null for none. */
  readonly parent: Token | null;
  readonly root: Token | null;
  readonly isUser: boolean;
  readonly endMs: number | null;
  /** Requests with its refresh_token, and estimates with its access_token. */
  readonly refreshes: Asked[];
  readonly uses: Asked[];
}

/** Tokens of a log in order of their issue; of a token that came twice, the first. */
export function tokensIn(log: readonly Asked[]): Token[] {
  const byRefresh = new Map<string, Token>();
  const byAccess = new Map<string, Token>();
  const tokens: Token[] = [];
  for (const by of log) {
    const { accessToken, refreshToken, lifeMs } = by.got;
    if (by.kind === null || by.outcome !== 'accepted') continue;
    const parent =
      by.sent.refreshToken === null ? null : (byRefresh.get(by.sent.refreshToken) ?? null);
    const token: Token = {
      by,
      parent,
      root: parent?.root ?? parent,
      isUser: by.kind === 'user' || (parent?.isUser ?? false),
      endMs: lifeMs === null ? null : by.sentMs + lifeMs,
      refreshes: [],
      uses: [],
    };
    tokens.push(token);
    // A token that is given again has two ends, and neither can be told.
    if (refreshToken !== null && !byRefresh.has(refreshToken)) byRefresh.set(refreshToken, token);
    if (accessToken !== null && !byAccess.has(accessToken)) byAccess.set(accessToken, token);
  }
  const again = new Set(
    tokens
      .filter(({ by }) => byAccess.get(by.got.accessToken ?? '')?.by !== by)
      .map(({ by }) => by.got.accessToken),
  );
  for (const asked of log) {
    const { refreshToken, accessToken } = asked.sent;
    if (refreshToken !== null) byRefresh.get(refreshToken)?.refreshes.push(asked);
    if (accessToken !== null && !again.has(accessToken))
      byAccess.get(accessToken)?.uses.push(asked);
  }
  return tokens;
}

/** Checks whether a refresh gave the refresh_token that was sent, which then is none that was used. */
export function isSameToken({ sent, got }: Asked): boolean {
  return got.refreshToken === sent.refreshToken;
}

/** Checks whether the later of two requests was sent before the earlier was answered. */
export const areAtOnce = (one: Asked, other: Asked): boolean =>
  !other.isWrong && isBefore(one, other) && sinceAnswer(one, other) < 0;

/** Checks whether a token was surely the newest one when a request was sent. */
export const isNewerFor = (newer: Asked, older: Asked, asked: Asked): boolean =>
  sinceAnswer(older, newer) >= 1 && sinceAnswer(newer, asked) >= 1;
