import { type Asked, groupedBy, isBefore, isOfRate, mayPrecede } from './asked.ts';
import type { Breach } from './breach.ts';
import { elapsed } from './elapsed.ts';
import { areAtOnce, type Token } from './issued.ts';
import { newerCause, replacedCause } from './token-causes.ts';
import { breachBy, EARLY_MS, endsOf, marginOf, type Reading, type Works } from './token-life.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Wall time after which most rate limits have reset, ms. */
const REST_MS = 900;

const BY_TIME = 'access-token-valid-until-expiry';
const BY_NEWER = 'platform-tokens-coexist';

/** Requests that were refused and must not be, by a reading of the gaps. */
export function refusedOf(
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
      const isNewerSince = newer.some(({ by }) => isSince(by));
      const isNewer = !token.isUser && newer.length > 0 && (isNewerSince || !isByOther);
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
        : isNewer || isNewerSince
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
  const isAged = acceptedMs < ageMs - SECOND_MS;
  const depths = tokens.flatMap((other) =>
    other.isUser === token.isUser && other.refreshes.some(({ outcome }) => outcome === 'accepted')
      ? [depthOf(other)]
      : [],
  );
  const [depth, deepest] = [depthOf(token), Math.max(0, ...depths)];
  if (!isAged && depth > 1 && depth > deepest)
    return `, after ${depth} refreshes in a row (accepted after ${deepest})`;
  const last = acceptedMs > 0 ? ` (one was accepted ${elapsed(acceptedMs)} after)` : '';
  const after = ` ${elapsed(ageMs)} after its access_token expired${last}`;
  const age = isAged ? after : ` (one as old was accepted)`;
  return newer === 0 || isNewerAccepted ? age : `${age}, once ${newer} newer had been issued`;
}

/** Refreshes in a row by which a token came. */
const depthOf = ({ parent }: Token): number => (parent === null ? 0 : 1 + depthOf(parent));

/** Breaches by a refusal, which last also where the check that met with one was repeated, and met with it again. */
function confirmedIn(breaches: readonly Breach[], log: readonly Asked[]): Breach[] {
  const repeated = new Set(log.filter(({ isRepeated }) => isRepeated).map(({ id }) => id));
  return breaches.map((one) => {
    const isMet = breaches.some(({ rule, key }) => rule === one.rule && repeated.has(key));
    return { ...one, isLasting: one.isLasting || isMet };
  });
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
