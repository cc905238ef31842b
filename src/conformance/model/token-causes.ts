import { type Asked, isBefore, requestedScope } from './asked.ts';
import { type Circumstance, distinctionOf } from './distinction.ts';
import { elapsed } from './elapsed.ts';
import type { Token } from './issued.ts';

/** A refresh_token that is sent once more, after the refresh that used it. */
interface Replay {
  readonly token: Token;
  readonly first: Asked;
  readonly again: Asked;
  readonly tokens: readonly Token[];
}

const REPLAYS: readonly Circumstance<Replay>[] = [
  [
    'once its successor had been refreshed',
    ({ token, first, again, tokens }) =>
      tokens.some(
        (one) =>
          one.parent?.by === token.by &&
          one.by === first &&
          one.refreshes.some((use) => use.outcome === 'accepted' && isBefore(use, again)),
      ),
  ],
  ['naming another scope', ({ first, again }) => requestedScope(first) !== requestedScope(again)],
  ['in the same request', ({ first, again }) => first.body === again.body],
];

const replayAgeOf = ({ first, again }: Replay): number => again.sentMs - first.sentMs;

/** Circumstances in which a used refresh_token was accepted, and none was refused; its age, where there are none. */
export function replayCause(
  token: Token,
  first: Asked,
  again: Asked,
  tokens: readonly Token[],
): string {
  const replays = tokens.flatMap((one): Replay[] => {
    const used = one.refreshes.find(({ outcome }) => outcome === 'accepted');
    return one.refreshes.flatMap((other) =>
      used && isBefore(used, other) ? [{ token: one, first: used, again: other, tokens }] : [],
    );
  });
  const [accepted, refused] = (['accepted', 'refused'] as const).map((outcome) =>
    replays.filter((one) => one.again.outcome === outcome),
  ) as [Replay[], Replay[]];
  const cause = distinctionOf(accepted, refused, REPLAYS);
  const youngerMs = Math.max(0, ...refused.map(replayAgeOf));
  if (cause !== '' || youngerMs === 0 || youngerMs > replayAgeOf({ token, first, again, tokens }))
    return cause;
  return `, and refused one ${elapsed(youngerMs)} after`;
}

/** A user's token that is used after a newer one was issued. */
interface Older {
  readonly older: Token;
  readonly newer: Token;
}

const issuedScope = (token: Token): string =>
  requestedScope(token.by) ?? (token.parent === null ? 'public' : issuedScope(token.parent));

const OLDER: readonly Circumstance<Older>[] = [
  ['which came by a refresh', ({ newer }) => newer.by.kind === 'refresh'],
  ['which came by an auth code', ({ newer }) => newer.by.kind === 'user'],
  ['of another scope', ({ older, newer }) => issuedScope(older) !== issuedScope(newer)],
];

/** Circumstances in which newer tokens did not end older ones of their user, and none did. */
export function olderCause(tokens: readonly Token[]): string {
  const having = (outcome: Asked['outcome']): Older[] =>
    usesOf(tokens, outcome).flatMap((one): Older[] => {
      const newer = newerThan(one).filter(({ isUser }) => isUser);
      const isOver = one.use.sentMs > (one.token.endMs ?? Infinity);
      // Of several, any may have ended it.
      return one.token.isUser && !isOver && newer.length === 1
        ? [{ older: one.token, newer: newer[0]! }]
        : [];
    });
  return distinctionOf(having('accepted'), having('refused'), OLDER);
}

/** An estimate with a token, beside all tokens. */
interface Used {
  readonly token: Token;
  readonly use: Asked;
  readonly tokens: readonly Token[];
}

/** Estimates with the header that their token is for. */
const usesOf = (tokens: readonly Token[], outcome: Asked['outcome']): Used[] =>
  tokens.flatMap((token) =>
    token.uses.flatMap((use) =>
      use.outcome === outcome && !use.form.startsWith(token.isUser ? 'platform' : 'user')
        ? [{ token, use, tokens }]
        : [],
    ),
  );

/** Tokens of a partner that were issued between a token and its use. */
const newerThan = ({ token, use, tokens }: Used): Token[] =>
  tokens.filter(
    ({ by }) => by.partner === token.by.partner && isBefore(token.by, by) && isBefore(by, use),
  );

const LATE: readonly Circumstance<Used>[] = [
  ['that of a user', ({ token }) => token.isUser],
  ['which came by a refresh', ({ token }) => token.parent !== null],
  [
    'which had been used less than its validity before',
    ({ token, use }) =>
      token.uses.some(
        (one) =>
          one.outcome === 'accepted' &&
          isBefore(one, use) &&
          use.sentMs - one.sentMs < (token.by.got.lifeMs ?? 0),
      ),
  ],
];

/** Checks for a user's token that is not the newest. */
const isReplaced = (one: Used): boolean => newerThan(one).some(({ isUser }) => isUser);

/** Circumstances in which an expired token was accepted, and none was refused; and how long after its end others were. */
export function lateCause(token: Token, late: Asked, tokens: readonly Token[]): string {
  const ageOf = (one: Used): number => one.use.sentMs - (one.token.endMs ?? Infinity);
  const ageMs = late.sentMs - (token.endMs ?? 0);
  const [accepted, refused] = (['accepted', 'refused'] as const).map((outcome) =>
    usesOf(tokens, outcome).filter(
      (one) => one.use.isWrong && ageOf(one) > 0 && !(one.token.isUser && isReplaced(one)),
    ),
  ) as [Used[], Used[]];
  // Of one that lasts some time too long, a later refusal is none of another circumstance.
  const oldestMs = Math.max(...accepted.map(ageOf));
  const asEarly = refused.filter((one) => ageOf(one) <= oldestMs);
  const cause = distinctionOf(accepted, asEarly, LATE);
  const isAlike = (one: Used): boolean => one.token.isUser === token.isUser;
  const refusedMs = refused.filter(isAlike).map(ageOf);
  const acceptedMs = Math.max(ageMs, ...accepted.filter(isAlike).map(ageOf));
  const endMs = Math.min(...refusedMs.filter((ms) => ms > acceptedMs));
  if (Number.isFinite(endMs)) return `${cause}, and refused one ${elapsed(endMs)} after`;
  return acceptedMs < 10 * ageMs ? cause : `${cause}, and another ${elapsed(acceptedMs)} after`;
}

const NEWER: readonly Circumstance<Used>[] = (
  [
    ['platform', 'a platform token request'],
    ['user', 'a user token request'],
    ['refresh', 'a refresh'],
  ] as const
).map(([kind, words]) => [
  `once a newer token came by ${words}`,
  (one) => newerThan(one).some(({ by }) => by.kind === kind),
]);

/** Kind of newer token after which a token was refused, and none was accepted; else their number. */
export function newerCause(token: Token, refused: Asked, tokens: readonly Token[]): string {
  const accepted = usesOf(tokens, 'accepted').filter((one) => one.token.isUser === token.isUser);
  const used = { token, use: refused, tokens };
  const cause = distinctionOf([used], accepted, NEWER);
  if (cause !== '') return cause;
  const count = newerThan(used).length;
  if (count === 0) return '';
  const most = Math.max(0, ...accepted.map((one) => newerThan(one).length));
  return `, once ${count} newer came${most > 0 && most < count ? ` (one was accepted after ${most})` : ''}`;
}

/** The end of the token that a refused one replaced, where no use was accepted after it. */
export function replacedCause({ parent, uses }: Token, refused: Asked): string {
  const endMs = parent?.endMs ?? Infinity;
  const isUsed = uses.some((one) => one.outcome === 'accepted' && one.sentMs > endMs);
  return refused.sentMs > endMs && !isUsed ? ', once the token that it replaced had expired' : '';
}
