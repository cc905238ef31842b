import { type Asked, groupedBy, isBefore, isOfRate, mayPrecede, sinceAnswer } from './asked.ts';
import type { Breach } from './breach.ts';
import { elapsed } from './elapsed.ts';
import { isEndedByOthers } from './ended-by-others.ts';
import { areAtOnce, isNewerFor, isSameToken, type Token, tokensIn } from './issued.ts';
import { lateCause, newerCause, olderCause, replacedCause, replayCause } from './token-causes.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time after the end of a token, and before it, in which clocks may disagree, ms; at most a quarter of its life. */
const LATE_MS = 9_900;
const EARLY_MS = 2_000;

/** Wall time after which most rate limits have reset, ms. */
const REST_MS = 900;

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

/**
 * Breaches of the rules on the life of tokens in a log, by the reading of the gaps that excuses most.
 *
 * @param all requests that show what the target accepts at all; left out, the log
 */
export function tokenBreaches(log: readonly Asked[], all: readonly Asked[] = log): Breach[] {
  const tokens = tokensIn(log);
  const ofAll = tokensIn(all);
  const works = worksIn(ofAll);
  const isOfAll = isEndedByOthers(ofAll);
  const accepted = [
    ...acceptedOf(tokens, acceptsAny(log, tokens), ofAll),
    ...raced(tokens, log, works),
  ];
  const explained = READINGS.map((reading) => refusedOf(tokens, log, reading, works, isOfAll));
  const least = explained.reduce((a, b) => (b.cost < a.cost ? b : a));
  return [...accepted, ...least.breaches];
}

/**
 * Checks whether a refreshed token like one was ever refreshed, or used. A service may accept none at all, which
 * other rules say.
 */
type Works = (what: 'refreshes' | 'uses', like: Token) => boolean;

function worksIn(tokens: readonly Token[]): Works {
  const refreshed = tokens.filter(({ parent }) => parent !== null);
  return (what, { parent, isUser }) =>
    parent === null ||
    refreshed.some(
      (one) => one.isUser === isUser && one[what].some(({ outcome }) => outcome === 'accepted'),
    );
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
function acceptedOf(
  tokens: readonly Token[],
  acceptsAnyToken: boolean,
  ofAll: readonly Token[],
): Breach[] {
  const breaches: Breach[] = [];
  for (const token of tokens) {
    const [first, ...again] = token.refreshes.filter(({ outcome }) => outcome === 'accepted');
    for (const one of first ? again : []) {
      if (isSameAnswer(one, first!) || isSameToken(first!) || isSameToken(one)) continue;
      // Times are whole milliseconds: one that was sent to be refused came after the answer.
      const isAtOnce = !one.isWrong && sinceAnswer(first!, one) < 1;
      const sinceMs = one.sentMs - first!.sentMs;
      const words = `again, ${elapsed(sinceMs)} after its use${replayCause(token, first!, one, ofAll)}`;
      breaches.push({
        ...breachBy(
          isAtOnce ? 'refresh-single-use-concurrent' : 'refresh-single-use',
          `the service accepted a refresh_token ${isAtOnce ? 'in two refreshes sent at once' : words}`,
          one,
          [first!],
        ),
        sinceMs,
      });
    }
    const { endMs, by, uses } = token;
    const used = uses.filter(({ outcome }) => outcome === 'accepted');
    const late = used.find(
      (one) =>
        endMs !== null && one.sentMs > by.answeredMs + lifeOf(token) + marginOf(token, LATE_MS),
    );
    // A service that forgets tokens may take an old one for one that was never issued.
    if (late && !acceptsAnyToken)
      breaches.push(
        breachBy(
          'access-token-expires',
          `the service accepted an access_token ${elapsed(late.sentMs - endMs!)} after its expires_in_second elapsed${lateCause(token, late, ofAll)}`,
          late,
          [by],
        ),
      );
    if (!token.isUser) continue;
    for (const newer of tokens) {
      if (
        !newer.isUser ||
        newer.by.partner !== by.partner ||
        !isBefore(by, newer.by) ||
        sinceAnswer(by, newer.by) < 0
      )
        continue;
      const old = used.find((one) => isBefore(newer.by, one) && sinceAnswer(newer.by, one) >= -1);
      if (!old) continue;
      const sinceMs = old.sentMs - newer.by.sentMs;
      breaches.push({
        ...breachBy(
          'user-token-newest-only',
          `the service accepted a user's access_token ${elapsed(sinceMs)} after it had issued a newer one${olderCause(ofAll)}`,
          old,
          [by, newer.by],
        ),
        sinceMs,
      });
      break;
    }
  }
  return breaches;
}

/** Checks whether an estimate was accepted with a token that was never issued. */
function acceptsAny(log: readonly Asked[], tokens: readonly Token[]): boolean {
  const issued = new Set(tokens.map(({ by }) => by.got.accessToken));
  return log.some(
    ({ kind, outcome, sent }) =>
      kind === null && outcome === 'accepted' && !issued.has(sent.accessToken),
  );
}

/** Requests that were sent at once and answered otherwise than one after the other. */
function raced(tokens: readonly Token[], log: readonly Asked[], works: Works): Breach[] {
  const breaches: Breach[] = [];
  for (const token of tokens) {
    const [first, ...others] = token.refreshes;
    const together = others.filter((one) => first && areAtOnce(first, one));
    const all = first ? [first, ...together] : [];
    const compared =
      all.length > 1 &&
      works('refreshes', token) &&
      all.every((one) => one.outcome === 'refused' && !isOfRate(one)) &&
      log.find(
        (one) => one.kind === 'refresh' && one.outcome === 'accepted' && isBefore(all.at(-1)!, one),
      );
    if (compared) {
      const reason = `the service refused all of ${all.length} refreshes sent at once with an unused refresh_token`;
      breaches.push(
        breachBy('refresh-single-use-concurrent', reason, all[0]!, [token.by, compared]),
      );
    }
    const twin = tokens.find(
      (other) =>
        token.isUser &&
        other.isUser &&
        isBefore(token.by, other.by) &&
        other.by.partner === token.by.partner &&
        areAtOnce(token.by, other.by),
    );
    const used = [token, twin].map((one) =>
      one?.uses.find(
        (use) =>
          use.outcome === 'accepted' &&
          [token, twin].every((two) => two && sinceAnswer(two.by, use) >= 0),
      ),
    );
    if (used[0] && used[1]) {
      const reason =
        'the service accepted two access_tokens of a user that were requested at once: only one is the newest';
      breaches.push(breachBy('user-token-newest-only', reason, used[1], [used[0]]));
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

const lifeOf = ({ by }: Token): number => by.got.lifeMs ?? 0;
const marginOf = (token: Token, ms: number): number => Math.min(ms, lifeOf(token) / 4);

/** Requests that were refused and must not be, by a reading of the gaps. */
function refusedOf(
  tokens: readonly Token[],
  log: readonly Asked[],
  reading: Reading,
  works: Works,
  isOfAll: boolean,
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
    const ends = endsOf(token, tokens, reading);
    const isEnded = (one: Asked): boolean =>
      ends.some((end) => end !== one && mayPrecede(end, one));
    for (const one of token.uses) {
      const isContradiction = ends.some((end) => one.sentMs > end.sentMs + SECOND_MS);
      if (one.outcome === 'accepted' && isContradiction) contradictions++;
      if (one.outcome !== 'refused' || !one.isRight || isOfRate(one) || isEnded(one)) continue;
      if (token.endMs === null || one.answeredMs > token.endMs - marginOf(token, EARLY_MS))
        continue;
      const newer = own.filter(
        (other) =>
          other !== token &&
          (isBefore(token.by, other.by) || areAtOnce(other.by, token.by)) &&
          isBefore(other.by, one),
      );
      if (token.isUser && newer.some(({ isUser }) => isUser)) continue;
      if (goesAway(one, token.uses)) continue;
      const compared = comparedWith(one, token, own, estimates.get(one.partner) ?? []);
      if (!compared) continue;
      const isRefreshOfExpired =
        token.parent?.endMs != null &&
        token.by.sentMs > token.parent.endMs &&
        newer.length === 0 &&
        !token.uses.some((use) => use.outcome === 'accepted');
      const isOlderKept =
        token.isUser &&
        own.some(
          ({ by }) => by.got.accessToken === compared.sent.accessToken && isBefore(by, token.by),
        );
      const used = token.uses.findLast((use) => use.outcome === 'accepted' && isBefore(use, one));
      const isSince = (other: Asked): boolean =>
        (!used || isBefore(used, other)) && isBefore(other, one);
      // Newer tokens are the cause where they came, or where neither a refusal nor its end is near.
      const isByOther =
        token.endMs - one.sentMs < MINUTE_MS ||
        log.some(
          (other) =>
            other.partner === one.partner && other.kind !== null && other.isWrong && isSince(other),
        );
      const isNewer =
        !token.isUser && newer.length > 0 && (newer.some(({ by }) => isSince(by)) || !isByOther);
      const isByAll = isOfAll && !token.isUser;
      if (!isByAll && !works('uses', token) && !isRefreshOfExpired) continue;
      const rule = isRefreshOfExpired
        ? 'expired-replaced-by-refresh'
        : isOlderKept
          ? 'user-token-newest-only'
          : isNewer || isByAll
            ? BY_NEWER
            : BY_TIME;
      const cause = isByAll
        ? ', once another partner had a newer one'
        : isNewer
          ? newerCause(token, one, tokens)
          : replacedCause(token, one);
      const reason = `the service refused an access_token with status ${one.status}${cause}, ${elapsed(token.endMs - one.sentMs)} before its expires_in_second elapsed; ${used ? `accepted ${elapsed(one.sentMs - used.sentMs)} earlier` : 'it was not used before'}`;
      const sinceMs = used && one.sentMs - used.sentMs;
      const breach = {
        ...breachBy(rule, reason, one, [token.by, compared], isAgain(one, token.uses)),
        sinceMs,
      };
      breaches.push(isByAll ? { ...breach, isLasting: true, isOfAll: true } : breach);
      break;
    }
    const firstUse = token.refreshes[0];
    const right = token.refreshes.find(
      (one, at) =>
        one.isRight &&
        one.outcome === 'refused' &&
        token.refreshes.slice(0, at).every(({ outcome }) => outcome === 'refused'),
    );
    if (!right || isOfRate(right) || isEnded(right) || !works('refreshes', token)) continue;
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
    breaches.push({
      ...breachBy(
        lateMs < DAY_MS ? 'expired-replaced-by-refresh' : 'refresh-never-expires',
        `the service refused an unused refresh_token with status ${right.status}${sinceOf(token, right, tokens, log)}; the refresh of a newer token was accepted`,
        right,
        [token.by, compared],
        isAgain(right, token.refreshes),
      ),
      sinceMs: lateMs,
    });
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

/** Circumstances of a refused refresh, in words: its age, unless one as old was accepted, and newer tokens. */
function sinceOf(
  token: Token,
  refused: Asked,
  tokens: readonly Token[],
  log: readonly Asked[],
): string {
  const ageAt = ({ endMs }: Token, one: Asked): number => one.sentMs - (endMs ?? one.sentMs);
  const ageMs = ageAt(token, refused);
  const acceptedMs = Math.max(
    0,
    ...tokens.flatMap((other) =>
      other.isUser === token.isUser
        ? other.refreshes.flatMap((one) => (one.outcome === 'accepted' ? [ageAt(other, one)] : []))
        : [],
    ),
  );
  const newerThan = ({ by }: Token, asked: Asked): number =>
    log.filter(
      (one) =>
        one.partner === by.partner &&
        one.got.refreshToken !== null &&
        isBefore(by, one) &&
        isBefore(one, asked),
    ).length;
  const newer = newerThan(token, refused);
  const isNewerAccepted = tokens.some((other) =>
    other.refreshes.some(
      (one) => one.outcome === 'accepted' && newerThan(other, one) >= newer && other !== token,
    ),
  );
  const last = acceptedMs > 0 ? ` (one was accepted ${elapsed(acceptedMs)} after)` : '';
  const after = ` ${elapsed(ageMs)} after its access_token expired${last}`;
  const age = acceptedMs >= ageMs ? ` (one as old was accepted)` : after;
  return newer === 0 || isNewerAccepted ? age : `${age}, once ${newer} newer had been issued`;
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

/** Requests by which a reading ends a token early. */
function endsOf(token: Token, tokens: readonly Token[], reading: Reading): Asked[] {
  const ends: Asked[] = [];
  if (reading.replayEndsFamily) {
    const root = token.root ?? token;
    for (const one of tokens)
      if (one === root || one.root === root) ends.push(...one.refreshes.slice(1));
  }
  if (reading.refreshEnds && !token.isUser)
    ends.push(...token.refreshes.filter(({ outcome }) => outcome !== 'refused'));
  return ends;
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
