import { type Asked, groupedBy, isBefore } from './asked.ts';
import type { Breach } from './breach.ts';
import { elapsed } from './elapsed.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time after the end of a token, and before it, in which clocks may disagree, ms; at most a quarter of its life. */
const LATE_MS = 9_900;
const EARLY_MS = 2_000;

/** Wall time after which most limits of the rate have room again, ms. */
const REST_MS = 900;

/** Tokens of one answer, and what a log shows of their life. */
interface Token {
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

/** One answer to each gap of the interface about the life of tokens, for a whole log. */
interface Reading {
  /** True if a refresh_token that is sent again ends all tokens of its chain. */
  readonly replayEndsFamily: boolean;
  /** True if the refresh of a platform token ends it. */
  readonly refreshEnds: boolean;
  /** True if a refused refresh uses its refresh_token up. */
  readonly refusalBurns: boolean;
}

const READINGS: readonly Reading[] = [false, true].flatMap((replayEndsFamily) =>
  [false, true].flatMap((refreshEnds) =>
    [false, true].map((refusalBurns) => ({ replayEndsFamily, refreshEnds, refusalBurns })),
  ),
);

/** Breaches of the rules on the life of tokens in a log, by the reading of the gaps that excuses most. */
export function tokenBreaches(log: readonly Asked[]): Breach[] {
  const tokens = tokensIn(log);
  const accepted = acceptedOf(tokens);
  const explained = READINGS.map((reading) => refusedOf(tokens, log, reading));
  const least = explained.reduce((a, b) => (b.cost < a.cost ? b : a));
  return [...accepted, ...least.breaches];
}

/** Tokens of a log in order of their issue; of a token that came twice, the first. */
function tokensIn(log: readonly Asked[]): Token[] {
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

const breachBy = (
  rule: string,
  reason: string,
  key: Asked,
  others: readonly Asked[],
  isLasting = true,
): Breach => ({
  rule: `lifecycle/${rule}`,
  reason,
  key: key.id,
  exchanges: [...others.map(({ id }) => id), key.id],
  place: 0,
  isLasting,
});

/** Requests that were accepted and must not be; no reading excuses them. */
function acceptedOf(tokens: readonly Token[]): Breach[] {
  const breaches: Breach[] = [];
  for (const token of tokens) {
    const [first, ...again] = token.refreshes.filter(({ outcome }) => outcome === 'accepted');
    for (const one of first ? again : []) {
      if (isSameAnswer(one, first!) || isSameToken(first!) || isSameToken(one)) continue;
      // Times are whole milliseconds: one that was sent to be refused came after the answer.
      const isAtOnce = !one.isWrong && one.sentMs < first!.answeredMs + 1;
      breaches.push(
        breachBy(
          isAtOnce ? 'refresh-single-use-concurrent' : 'refresh-single-use',
          `the service accepted a refresh_token ${isAtOnce ? 'in two refreshes sent at once' : `again, ${elapsed(one.sentMs - first!.sentMs)} after its use`}`,
          one,
          [first!],
        ),
      );
    }
    const { endMs, by, uses } = token;
    const used = uses.filter(({ outcome }) => outcome === 'accepted');
    const late = used.find(
      (one) =>
        endMs !== null && one.sentMs > by.answeredMs + lifeOf(token) + marginOf(token, LATE_MS),
    );
    if (late)
      breaches.push(
        breachBy(
          'access-token-expires',
          `the service accepted an access_token ${elapsed(late.sentMs - endMs!)} after its expires_in_second elapsed`,
          late,
          [by],
        ),
      );
    if (!token.isUser) continue;
    for (const newer of tokens) {
      if (
        !newer.isUser ||
        newer.by.partner !== by.partner ||
        newer.by.sentMs < by.answeredMs ||
        newer === token
      )
        continue;
      const old = used.find(
        (one) => isBefore(newer.by, one) && one.sentMs >= newer.by.answeredMs - 1,
      );
      if (!old) continue;
      breaches.push(
        breachBy(
          'user-token-newest-only',
          `the service accepted a user's access_token ${elapsed(old.sentMs - newer.by.sentMs)} after it had issued a newer one`,
          old,
          [by, newer.by],
        ),
      );
      break;
    }
  }
  return breaches;
}

/** Checks for the answer of the same request, which a service may take for one that was sent twice. */
function isSameAnswer(one: Asked, first: Asked): boolean {
  return (
    one.body === first.body &&
    one.got.accessToken === first.got.accessToken &&
    one.got.refreshToken === first.got.refreshToken
  );
}

/** Checks whether a refresh gave the refresh_token that was sent, which then is none that was used. */
function isSameToken({ sent, got }: Asked): boolean {
  return got.refreshToken === sent.refreshToken;
}

const lifeOf = ({ by }: Token): number => by.got.lifeMs ?? 0;
const marginOf = (token: Token, ms: number): number => Math.min(ms, lifeOf(token) / 4);

/** Requests that were refused and must not be, by a reading of the gaps. */
function refusedOf(
  tokens: readonly Token[],
  log: readonly Asked[],
  reading: Reading,
): { readonly breaches: readonly Breach[]; readonly cost: number } {
  const breaches: Breach[] = [];
  let contradictions = 0;
  const estimates = groupedBy(
    log.filter(({ kind }) => kind === null),
    ({ partner }) => partner,
  );
  const issued = groupedBy(tokens, ({ by }) => by.partner);
  for (const token of tokens) {
    const own = issued.get(token.by.partner) ?? [];
    const endedMs = endedBy(token, tokens, reading);
    for (const one of token.uses) {
      if (one.outcome === 'accepted' && one.sentMs > endedMs + SECOND_MS) contradictions++;
      if (one.outcome !== 'refused' || !one.isRight || isOfRate(one) || endedMs <= one.answeredMs)
        continue;
      if (token.endMs === null || one.answeredMs > token.endMs - marginOf(token, EARLY_MS))
        continue;
      const newer = own.filter(
        (other) =>
          other !== token &&
          (isBefore(token.by, other.by) || other.by.answeredMs >= token.by.sentMs) &&
          isBefore(other.by, one),
      );
      if (token.isUser && newer.some(({ isUser }) => isUser)) continue;
      if (goesAway(one, token.uses)) continue;
      const compared = comparedWith(one, token, own, estimates.get(one.partner) ?? []);
      if (!compared) continue;
      const isRefreshOfExpired =
        token.parent?.endMs != null &&
        token.by.sentMs > token.parent.endMs &&
        !token.uses.some((use) => use.outcome === 'accepted');
      const isOlderKept =
        token.isUser &&
        own.some(
          ({ by }) => by.got.accessToken === compared.sent.accessToken && isBefore(by, token.by),
        );
      const isNewer = !token.isUser && newer.length > 0;
      const rule = isRefreshOfExpired
        ? 'expired-replaced-by-refresh'
        : isOlderKept
          ? 'user-token-newest-only'
          : isNewer
            ? BY_NEWER
            : BY_TIME;
      const reason = `the service refused an access_token with status ${one.status}${isNewer ? ` once ${newer.length} newer came` : ''}, ${elapsed(token.endMs - one.sentMs)} before its expires_in_second elapsed`;
      breaches.push(breachBy(rule, reason, one, [token.by, compared], isAgain(one, token.uses)));
      break;
    }
    const firstUse = token.refreshes[0];
    const right = token.refreshes.find(
      (one, at) =>
        one.isRight &&
        one.outcome === 'refused' &&
        token.refreshes.slice(0, at).every(({ outcome }) => outcome === 'refused'),
    );
    if (!right || isOfRate(right) || endedMs <= right.answeredMs) continue;
    if (reading.refusalBurns && right !== firstUse) continue;
    if (
      token.isUser &&
      own.some((other) => other.isUser && isBefore(token.by, other.by) && isBefore(other.by, right))
    )
      continue;
    if (token.refreshes.some((one) => isBefore(right, one) && one.outcome === 'accepted')) continue;
    // A refresh of another token about then shows that refreshes are accepted.
    const compared = log.find(
      (one) =>
        one.kind === 'refresh' &&
        one.outcome === 'accepted' &&
        one.partner === right.partner &&
        isBefore(right, one) &&
        one.sentMs - right.sentMs < HOUR_MS,
    );
    if (!compared || token.endMs === null || right.sentMs < token.endMs) continue;
    const lateMs = right.sentMs - token.endMs;
    breaches.push(
      breachBy(
        lateMs < DAY_MS ? 'expired-replaced-by-refresh' : 'refresh-never-expires',
        `the service refused an unused refresh_token with status ${right.status} ${elapsed(lateMs)} after its access_token expired`,
        right,
        [token.by, compared],
        isAgain(right, token.refreshes),
      ),
    );
  }
  // Where tokens end early by themselves, newer ones are not the cause.
  const isEarly = breaches.some(({ rule }) => rule === `lifecycle/${BY_TIME}`);
  const named = breaches.map((one) =>
    isEarly && one.rule === `lifecycle/${BY_NEWER}`
      ? { ...one, rule: `lifecycle/${BY_TIME}` }
      : one,
  );
  return { breaches: confirmedIn(named, log), cost: breaches.length + contradictions };
}

const BY_TIME = 'access-token-valid-until-expiry';
const BY_NEWER = 'platform-tokens-coexist';

/** Breaches by a refusal, which last also where the check that met with one was repeated, and met with it again. */
function confirmedIn(breaches: readonly Breach[], log: readonly Asked[]): Breach[] {
  const repeated = new Set(log.filter(({ isRepeated }) => isRepeated).map(({ id }) => id));
  return breaches.map((one) => {
    const isMet = breaches.some(({ rule, key }) => rule === one.rule && repeated.has(key));
    return { ...one, isLasting: one.isLasting || isMet };
  });
}

/** Time at which a reading ends a token early, ms; infinite for never. */
function endedBy(token: Token, tokens: readonly Token[], reading: Reading): number {
  const ends: number[] = [];
  if (reading.replayEndsFamily) {
    const root = token.root ?? token;
    for (const one of tokens)
      if (one === root || one.root === root)
        ends.push(...one.refreshes.slice(1).map(({ sentMs }) => sentMs));
  }
  if (reading.refreshEnds && !token.isUser)
    ends.push(
      ...token.refreshes.filter(({ outcome }) => outcome !== 'refused').map(({ sentMs }) => sentMs),
    );
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** Checks for a refusal for the rate or the load. */
function isOfRate({ status, retryAfterS }: Asked): boolean {
  return status === 429 || status === 503 || retryAfterS !== null;
}

/** Checks whether a refusal went away by itself: the same token was accepted later, in any form. */
function goesAway(refused: Asked, uses: readonly Asked[]): boolean {
  return uses.some((one) => isBefore(refused, one) && one.outcome === 'accepted');
}

/** Checks whether the same was refused once more, after a rest. */
function isAgain(refused: Asked, uses: readonly Asked[]): boolean {
  return uses.some(
    (one) =>
      one.outcome === 'refused' &&
      !one.isWrong &&
      one.form === refused.form &&
      one.wallMs - refused.wallMs >= REST_MS,
  );
}

/** The accepted estimate with another token that is most like a refused one; undefined for none. */
function comparedWith(
  refused: Asked,
  token: Token,
  own: readonly Token[],
  estimates: readonly Asked[],
): Asked | undefined {
  const others = new Set(own.filter((one) => one !== token).map(({ by }) => by.got.accessToken));
  const alike = estimates.filter(
    (one) =>
      one.outcome === 'accepted' &&
      one.form === refused.form &&
      others.has(one.sent.accessToken) &&
      refused.sentMs - one.sentMs < 2 * HOUR_MS,
  );
  const after = alike.find((one) => isBefore(refused, one));
  // A service may lock a partner out that it refused.
  const isFirst = !estimates.some((one) => one.outcome === 'refused' && isBefore(one, refused));
  return after ?? (isFirst ? alike.at(-1) : undefined);
}
