import { type Asked, isBefore, isOfRate, sinceAnswer } from './asked.ts';
import type { Breach } from './breach.ts';
import { elapsed } from './elapsed.ts';
import { isEndedByOthers } from './ended-by-others.ts';
import { areAtOnce, isSameToken, type Token, tokensIn } from './issued.ts';
import { lateCause, olderCause, replayCause } from './token-causes.ts';
import {
  breachBy,
  LATE_MS,
  lifeOf,
  marginOf,
  READINGS,
  type Works,
  worksIn,
} from './token-life.ts';
import { refusedOf } from './token-refusals.ts';

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
    // Of several, the newest: one of another user may have ended none.
    for (const newer of tokens.toReversed()) {
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
          [token, twin].every(
            (two) => two && isBefore(two.by, use) && sinceAnswer(two.by, use) >= -1,
          ),
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
