import { type Asked, isBefore } from './asked.ts';

/**
 * Times before a request in which others are counted, ms. Each is twice the one before it: a limit that has
 * room for twice as many in each of them, be it by a window or by a bucket, has room for the request.
 */
const WINDOWS_MS = Array.from({ length: 10 }, (_, at) => 125 * 2 ** at);

/** Numbers of requests before one, by window. */
interface Counts {
  /** Of its partner: all, and those for tokens. */
  readonly own: readonly number[];
  /** The same of all partners. */
  readonly all: readonly number[];
}

/** Requests of a log by the time before each, on the wall clock. */
export class Rates {
  readonly #log: readonly Asked[];
  #granted: readonly Counts[] | undefined;

  constructor(log: readonly Asked[]) {
    this.#log = log;
  }

  /**
   * Checks whether a token request was accepted that came after twice as many of its partner, and one that came
   * after twice as many of all, while no refusal went away by itself: then no rate limit refuses this one.
   */
  isGranted(asked: Asked): boolean {
    this.#granted ??= this.#log.some((one) => wentAway(one, this.#log))
      ? []
      : this.#log.flatMap((one) =>
          one.kind !== null && one.outcome === 'accepted' ? [this.#countsOf(one)] : [],
        );
    const own = this.#countsOf(asked);
    const isExceeded = (counts: 'own' | 'all'): boolean =>
      this.#granted!.some((one) => one[counts].every((count, at) => count >= 2 * own[counts][at]!));
    return isExceeded('own') && isExceeded('all');
  }

  /**
   * Checks whether a token request was accepted that came after as many of all partners: then no rate limit for
   * all of them refuses this one.
   */
  isGrantedToAll(asked: Asked): boolean {
    const { all } = this.#countsOf(asked);
    return this.#log.some(
      (one) =>
        one.kind !== null &&
        one.outcome === 'accepted' &&
        this.#countsOf(one).all.every((count, at) => count >= all[at]!),
    );
  }

  #countsOf(asked: Asked): Counts {
    const known = KNOWN.get(asked);
    if (known) return known;
    const own: number[] = [];
    const all: number[] = [];
    let [ownRequests, ownTokens, requests, tokens] = [0, 0, 0, 0];
    let at = this.#log.lastIndexOf(asked) - 1;
    for (const ms of WINDOWS_MS) {
      for (; at >= 0 && asked.wallMs - this.#log[at]!.wallMs <= ms; at--) {
        const { partner, kind } = this.#log[at]!;
        const forToken = Number(kind !== null);
        requests++;
        tokens += forToken;
        if (partner !== asked.partner) continue;
        ownRequests++;
        ownTokens += forToken;
      }
      own.push(ownRequests, ownTokens);
      all.push(requests, tokens);
    }
    const counts = { own, all };
    KNOWN.set(asked, counts);
    return counts;
  }
}

/** Counts of requests: what came before one does not change as a log grows. */
const KNOWN = new WeakMap<Asked, Counts>();

/** Checks for a request that was refused, and accepted soon after though nothing but time had passed. */
export function wentAway(asked: Asked, log: readonly Asked[]): boolean {
  if (!asked.isRight || asked.outcome !== 'refused') return false;
  return log.some(
    (one) =>
      one.outcome === 'accepted' &&
      one.partner === asked.partner &&
      one.kind === asked.kind &&
      isBefore(asked, one) &&
      one.sentMs - asked.sentMs < 120_000,
  );
}
