import { ALLOWANCE_PER_DAY, type AllowanceKind, BAN_MS } from '../../interface/limits.ts';
import type { Request } from './allowance-reading.ts';
import { groupedBy, isBefore } from './asked.ts';
import type { Day } from './days.ts';

/** Requests that a service may count by themselves: of an allowance, or the refreshes of one kind of token. */
interface Class {
  readonly kind: AllowanceKind;
  readonly ofUser: boolean;
  readonly words: string;
}

const CLASSES: readonly Class[] = [
  { kind: 'platform', ofUser: false, words: 'platform token requests' },
  { kind: 'user', ofUser: true, words: 'user token requests' },
  { kind: 'refresh', ofUser: false, words: 'refreshes of platform tokens' },
  { kind: 'refresh', ofUser: true, words: "refreshes of users' tokens" },
];

/** Sets of classes that no single allowance covers, the smallest first; true for those of each user by itself. */
const POOLS: readonly (readonly [pool: readonly Class[], byUser: boolean])[] = Array.from(
  { length: 2 ** CLASSES.length },
  (_, bits) => CLASSES.filter((_class, at) => bits & (1 << at)),
)
  .filter((pool) => new Set(pool.map(({ kind }) => kind)).size > 1)
  .toSorted((a, b) => a.length - b.length)
  .flatMap((pool) =>
    pool.every(({ ofUser }) => ofUser)
      ? [[pool, false] as const, [pool, true] as const]
      : [[pool, false] as const],
  );

/** Requests of several classes that one allowance covers, where the interface has more. */
export interface CountedTogether {
  readonly words: string;
  /** Requests of the pool that were accepted before, that day. */
  readonly others: readonly Request[];
}

/**
 * Finds the classes of requests that a service counts together: as many of them as an allowance has were accepted
 * before each first refusal of one, by several partners and of different shares, and nobody was granted more.
 *
 * @param days ways to count days, one of which the service has
 */
export function countedTogether(
  asked: Request,
  requests: readonly Request[],
  days: readonly Day[],
): CountedTogether | null {
  const { classOf, userOf } = linesOf(requests);
  const first = firstRefusals(requests);
  for (const [pool, byUser] of POOLS) {
    const isOfPool = (one: Request): boolean => pool.includes(classOf(one));
    if (!isOfPool(asked)) continue;
    const ownerOf = (one: Request): string => `${one.partner} ${byUser ? userOf(one) : ''}`;
    const accepted = requests.filter((one) => one.outcome === 'accepted' && isOfPool(one));
    const byOwner = groupedBy(accepted, ownerOf);
    const alike = first.filter(isOfPool);
    if (new Set(alike.map(({ partner }) => partner)).size < 2) continue;
    const allowances = new Set(pool.map(({ kind }) => ALLOWANCE_PER_DAY[kind]));
    for (const day of days) {
      const before = (one: Request): Request[] => {
        const own = byOwner.get(ownerOf(one)) ?? [];
        return own.filter((other) => isBefore(other, one) && day.isSure(other, one, own));
      };
      const others = before(asked);
      const most = others.length;
      const isFull = (one: Request): boolean => before(one).length >= most;
      if (!allowances.has(most) || !alike.every(isFull) || accepted.some(isFull)) continue;
      // Partners that did the same may have met the same outage.
      const shares = alike.map((one) => {
        const classes = before(one).map(classOf);
        return pool.map((of) => classes.filter((other) => other === of).length);
      });
      const isOfAll = pool.every((_, at) => shares.some((share) => share[at] !== 0));
      if (!isOfAll || new Set(shares.map(String)).size < 2) continue;
      const names = pool.map(({ words }) => words).join(' and ');
      return { words: `, once ${most} ${names} had been accepted that day`, others };
    }
  }
  return null;
}

/** Refusals of right requests that are not of a ban: none of the same status came before, of the same partner. */
function firstRefusals(requests: readonly Request[]): Request[] {
  const refused = requests.filter(({ outcome }) => outcome === 'refused');
  const isOfBan = (one: Request): boolean =>
    refused.some(
      (other) =>
        other.partner === one.partner &&
        other.status === one.status &&
        isBefore(other, one) &&
        one.sentMs - other.sentMs < 2 * BAN_MS,
    );
  return refused.filter((one) => one.isRight && !isOfBan(one));
}

/** Class and user of each request: a refresh is of the kind and user of the token that its line began with. */
function linesOf(requests: readonly Request[]): {
  readonly classOf: (one: Request) => Class;
  readonly userOf: (one: Request) => string | null;
} {
  const users = new Map<string, string>();
  const userOf = ({ kind, user = '', sent }: Request): string | null =>
    kind === 'user' ? user : (users.get(sent.refreshToken ?? '') ?? null);
  for (const one of requests) {
    const user = userOf(one);
    if (one.got.refreshToken !== null && user !== null) users.set(one.got.refreshToken, user);
  }
  const classOf = (one: Request): Class =>
    CLASSES.find(({ kind, ofUser }) => kind === one.kind && ofUser === (userOf(one) !== null))!;
  return { classOf, userOf };
}
