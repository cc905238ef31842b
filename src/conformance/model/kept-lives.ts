import { type Asked, isBefore } from './asked.ts';
import { elapsed } from './elapsed.ts';
import { areAtOnce, isSameToken, type Token, tokensIn } from './issued.ts';
import type { Kept } from './kept.ts';

const DAY_MS = 86_400_000;

/** Time around the end of a token in which a request shows whether it is kept, ms; at most a quarter of its life. */
const NEAR_MS = 60_000;

/** Time after which a refresh_token shows that it has no validity period, ms. */
const LONG_MS = 399 * DAY_MS;

const kept = (reason: string, ...shown: readonly Asked[]): Kept => ({
  reason,
  exchanges: shown.map(({ id }) => id),
});

const of = ({ isUser }: Token): string => (isUser ? ' of a user' : '');

/** Requests of a log by their tokens. */
interface Lives {
  readonly tokens: readonly Token[];
  /** First accepted request of that kind, with other tokens of the partner, after one. */
  readonly refreshAfter: (refused: Asked, token: Token) => Asked | undefined;
  readonly useAfter: (refused: Asked, token: Token) => Asked | undefined;
}

function livesOf(log: readonly Asked[]): Lives {
  const tokens = tokensIn(log);
  const acceptedAfter = (
    after: Asked,
    token: Token,
    requestsOf: (one: Token) => readonly Asked[],
  ): Asked | undefined =>
    tokens
      .filter((one) => one !== token && one.by.partner === token.by.partner)
      .flatMap(requestsOf)
      .find((one) => one.outcome === 'accepted' && isBefore(after, one));
  return {
    tokens,
    refreshAfter: (after, token) => acceptedAfter(after, token, ({ refreshes }) => refreshes),
    useAfter: (after, token) => acceptedAfter(after, token, ({ uses }) => uses),
  };
}

/** A rule on one token: evidence that it was kept. */
type Evidence = (token: Token, lives: Lives) => Kept | undefined;

const singleUse: Evidence = (token, { refreshAfter }) => {
  const first = token.refreshes.find(({ outcome }) => outcome === 'accepted');
  if (!first || isSameToken(first)) return undefined;
  const again = token.refreshes.findLast(
    (one) => one.outcome === 'refused' && one.isWrong && isBefore(first, one),
  );
  const unused = again && refreshAfter(again, token);
  if (!unused) return undefined;
  return kept(
    `a used refresh_token${of(token)} was refused ${elapsed(again.sentMs - first.sentMs)} after its use (status ${again.status}), an unused one accepted`,
    first,
    again,
    unused,
  );
};

const concurrent: Evidence = ({ refreshes }) => {
  const [first, ...others] = refreshes;
  const all = first ? [first, ...others.filter((one) => areAtOnce(first, one))] : [];
  const accepted = all.filter(({ outcome }) => outcome === 'accepted');
  // Another status than 200 with a token is a success where none has that, and a refusal beside one that has.
  const odd = all.filter(({ outcome, status }) => outcome === 'broken' && status !== 0);
  const [success, ...more] = accepted.length > 0 ? accepted : odd;
  if (all.length < 2 || !success || more.length > 0 || isSameToken(success)) return undefined;
  if (all.some(({ status }) => status === 0)) return undefined;
  return kept(
    `of ${all.length} refreshes sent at once with one refresh_token exactly one succeeded`,
    ...all,
  );
};

const neverExpires: Evidence = (token) => {
  const late = token.refreshes.find(
    (one) =>
      one.outcome === 'accepted' && token.endMs !== null && one.sentMs >= token.endMs + LONG_MS,
  );
  if (!late) return undefined;
  const reason = `an unused refresh_token${of(token)} works ${elapsed(late.sentMs - token.endMs!)} after its access_token expired`;
  return kept(reason, token.by, late);
};

const coexist: Evidence = (token, { tokens }) => {
  if (token.isUser) return undefined;
  const use = token.uses.findLast(({ outcome }) => outcome === 'accepted');
  const newer = tokens.filter(
    ({ by, isUser }) =>
      use && !isUser && by.partner === use.partner && isBefore(token.by, by) && isBefore(by, use),
  );
  if (!use || newer.length === 0) return undefined;
  const words = `${newer.length + 1} platform tokens work beside each other`;
  return kept(words, token.by, ...newer.map(({ by }) => by), use);
};

const newestOnly: Evidence = (token, { tokens }) => {
  if (!token.isUser) return undefined;
  for (const newer of tokens) {
    if (!newer.isUser || newer.by.partner !== token.by.partner || !isBefore(token.by, newer.by))
      continue;
    const old = token.uses.find((one) => one.outcome === 'refused' && isBefore(newer.by, one));
    if (!old || (token.endMs ?? 0) <= old.sentMs) continue;
    const use = newer.uses.find((one) => one.outcome === 'accepted' && isBefore(old, one));
    if (use)
      return kept(
        `a user's earlier token was refused (status ${old.status}), the newest one accepted`,
        newer.by,
        old,
        use,
      );
  }
  return undefined;
};

const nearOf = ({ by }: Token): number => Math.min(NEAR_MS, (by.got.lifeMs ?? 0) / 4 + 1_000);

const untilExpiry: Evidence = (token) => {
  const { endMs, uses, by } = token;
  if (endMs === null) return undefined;
  const last = uses.findLast(
    (one) =>
      one.outcome === 'accepted' && one.sentMs < endMs && one.sentMs >= endMs - nearOf(token),
  );
  if (!last) return undefined;
  const words = `a token${of(token)} was accepted ${elapsed(endMs - last.sentMs)} before its ${(by.got.lifeMs ?? 0) / 1000} s were over`;
  return kept(words, by, last);
};

const expires: Evidence = (token, { useAfter }) => {
  const { endMs, uses, by } = token;
  if (endMs === null) return undefined;
  const late = uses.find((one) => one.outcome === 'refused' && one.isWrong && one.sentMs > endMs);
  const other = late && useAfter(late, token);
  if (!other) return undefined;
  const words = `a token${of(token)} was refused ${elapsed(late.sentMs - endMs)} after its ${(by.got.lifeMs ?? 0) / 1000} s were over (status ${late.status}), another one accepted`;
  return kept(words, by, late, other);
};

const replaced: Evidence = (token) => {
  const { parent, by, uses } = token;
  if (parent?.endMs == null || by.sentMs <= parent.endMs) return undefined;
  const use = uses.find(({ outcome }) => outcome === 'accepted');
  if (!use) return undefined;
  return kept(
    `the expired token${of(token)} was replaced through a refresh, and the new one works`,
    by,
    use,
  );
};

const EVIDENCE: Readonly<Record<string, Evidence>> = {
  'lifecycle/refresh-single-use': singleUse,
  'lifecycle/refresh-single-use-concurrent': concurrent,
  'lifecycle/refresh-never-expires': neverExpires,
  'lifecycle/platform-tokens-coexist': coexist,
  'lifecycle/user-token-newest-only': newestOnly,
  'lifecycle/access-token-valid-until-expiry': untilExpiry,
  'lifecycle/access-token-expires': expires,
  'lifecycle/expired-replaced-by-refresh': replaced,
};

/** Evidence in a log that a rule on the life of tokens was kept; undefined if there is none. */
export function keptLifeIn(log: readonly Asked[], rule: string): Kept | undefined {
  const lives = livesOf(log);
  const found = lives.tokens.flatMap((token) => EVIDENCE[rule]?.(token, lives) ?? []);
  // Evidence by more requests shows more.
  return found.reduce<Kept | undefined>(
    (most, one) => (most && most.exchanges.length >= one.exchanges.length ? most : one),
    undefined,
  );
}
