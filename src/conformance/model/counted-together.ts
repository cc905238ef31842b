import { BAN_MS } from '../../interface/limits.ts';
import type { Request } from './allowance-reading.ts';
import { groupedBy, isBefore } from './asked.ts';
import type { Day } from './days.ts';

/** Requests that a service may count by themselves, in words: each allowance, and the refreshes of each kind of token. */
const CLASSES = [
  'platform token requests',
  'user token requests',
  "refreshes of partners' tokens",
  "refreshes of users' tokens",
] as const;

type Class = (typeof CLASSES)[number];

/** Sets of classes that are no allowance, the smallest first; true for those of each user by itself. */
const POOLS: readonly (readonly [pool: readonly Class[], ofUser: boolean])[] = Array.from(
  { length: 2 ** CLASSES.length },
  (_, bits) => CLASSES.filter((_class, at) => bits & (1 << at)),
)
  .filter((pool) => pool.length > 1 && !pool.every((one) => one.startsWith('refreshes')))
  .toSorted((a, b) => a.length - b.length)
  .flatMap((pool) =>
    pool.every((one) => one.includes('user'))
      ? [[pool, false] as const, [pool, true] as const]
      : [[pool, false] as const],
  );

/** Requests of several classes that one allowance covers, where the interface has more. */
export interface CountedTogether {
  readonly words: string;
  /** What was accepted of the pool before, that day. */
  readonly others: readonly Request[];
}

/**
 * Finds the classes of requests that a service counts together: as many of them were accepted before each first
 * refusal of one, by several partners, and nobody was granted more.
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
  for (const [pool, ofUser] of POOLS) {
    const isOfPool = (one: Request): boolean => pool.includes(classOf(one));
    if (!isOfPool(asked)) continue;
    const ownerOf = (one: Request): string => `${one.partner} ${ofUser ? userOf(one) : ''}`;
    const accepted = requests.filter((one) => one.outcome === 'accepted' && isOfPool(one));
    const byOwner = groupedBy(accepted, ownerOf);
    const alike = first.filter(isOfPool);
    if (new Set(alike.map(({ partner }) => partner)).size < 2) continue;
    for (const day of days) {
      const before = (one: Request): Request[] => {
        const own = byOwner.get(ownerOf(one)) ?? [];
        return own.filter((other) => isBefore(other, one) && day.isSure(other, one, own));
      };
      const others = before(asked);
      const isFull = (one: Request): boolean => before(one).length >= others.length;
      const classes = new Set(alike.flatMap(before).map(classOf));
      if (classes.size < pool.length || !alike.every(isFull) || accepted.some(isFull)) continue;
      const words = `, once ${others.length} ${pool.join(' and ')} had been accepted that day`;
      return { words, others };
    }
  }
  return null;
}

/** Refusals of right requests that no ban of their partner may be the cause of. */
function firstRefusals(requests: readonly Request[]): Request[] {
  const refused = requests.filter(({ isRight, outcome }) => isRight && outcome === 'refused');
  return refused.filter(
    (one) =>
      !refused.some(
        (other) =>
          other.partner === one.partner &&
          isBefore(other, one) &&
          one.sentMs - other.sentMs < 2 * BAN_MS,
      ),
  );
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
    CLASSES[Number(userOf(one) !== null) + (one.kind === 'refresh' ? 2 : 0)]!;
  return { classOf, userOf };
}
