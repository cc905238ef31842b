import type { Rest } from '../contract/messages.ts';

/** Longest wait after one refusal for its rate: a target that asks for more is not waited for. */
const LONGEST_BACKOFF_MS = 5_000;

const FIRST_BACKOFF_MS = 200;

/** Rate that a run is slowed to once a target has refused for its rate again and again, 1/s. */
const FIRST_SLOW_RATE = 40;

const SLOWEST_RATE = 2;

/** Times after which a limit by the second, or by the minute, has reset, ms. */
const REST_MS: Readonly<Record<Rest, number>> = {
  second: 1_200,
  minute: 61_000,
};

/** Refusals for the rate before the whole run is slowed: one may be an overload that passes. */
const REFUSALS_BEFORE_SLOWING = 3;

/** Requests without such a refusal after which a slowed run doubles its rate. */
const REQUESTS_BEFORE_HURRYING = 50;

const MINUTE_MS = 60_000;

/** Time after which nothing is sent for a while: requests that are to be refused use a limit up as well, ms. */
const SECOND_MS = 1_000;

/** Times after which limits by the second, the minute, and five minutes have reset, ms. */
const LONG_RESTS_MS = [2_500, 61_000, 301_000] as const;

/** Requests in a minute from which a limit by the minute is likely. */
const MANY = 20;

/** Share of a rate at which requests were refused that a slowed run may come to again. */
const CALM_SHARE = 0.8;

/** Least time between two requests of a run that was slowed once: what was too fast had no rate. */
const FASTEST_GAP_MS = (1000 / FIRST_SLOW_RATE) * CALM_SHARE;

/** Share of a learned rate that a run sends at: the windows of both sides differ. */
const SAFE_SHARE = 0.95;

/** Time in which a target refused for its rate and accepted nothing. */
interface Episode {
  readonly startMs: number;
  /** Requests that it took in the minute before. */
  readonly taken: number;
  /** Time up to which the run waited for it, ms. */
  restedMs: number;
}

/** Lets some ms pass. */
export type Pause = (forMs: number) => Promise<void>;

/** Statuses by which a target says that it gets too many requests, or cannot serve them now. */
export function isLimitStatus(status: number): boolean {
  return status === 429 || status === 503;
}

/** Checks whether a target may refuse by a status because it gets too many requests: some refuse access. */
export const mayBeLimitStatus = (status: number): boolean =>
  isLimitStatus(status) || status === 403 || status === 404;

/** Spaces the requests of a run, and slows them to what the target takes. */
export class RateLimiter {
  readonly #nowMs: () => number;
  readonly #pause: Pause;
  readonly #ownGapMs: number;
  #leastGapMs: number;
  #gapMs: number;
  #nextMs: number;
  /** Refusals since the run was last slowed. */
  #sinceSlowed = 0;
  /** Time at which the run was last slowed, ms: a request whose turn was set before shows nothing of the new rate. */
  #slowedMs = -Infinity;
  /** Requests since the last refusal, or since the rate was last doubled. */
  #sinceRefused = 0;
  #refusals = 0;
  /** Times of the requests in the last minute, ms. */
  #sentMs: number[] = [];
  #episode: Episode | null = null;
  /** Time until which no request is sent, ms. */
  #closedUntilMs = 0;
  #perMinute: number | null = null;
  /** Turns of requests that are sent at once, by what they have in common, ms. */
  readonly #groups = new WeakMap<object, number>();

  /**
   * @param maxRate requests/s; null for no limit
   * @param nowMs monotonic clock, in ms
   * @param pause lets time of that clock pass
   */
  constructor(maxRate: number | null, nowMs: () => number, pause: Pause) {
    this.#nowMs = nowMs;
    this.#pause = pause;
    this.#ownGapMs = maxRate === null ? 0 : 1000 / maxRate;
    this.#leastGapMs = this.#ownGapMs;
    this.#gapMs = this.#ownGapMs;
    this.#nextMs = nowMs();
  }

  /** Number of refusals for the rate so far. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Requests that the target was seen to take in a minute; null for no limit by the minute. */
  get perMinute(): number | null {
    return this.#perMinute;
  }

  /**
   * Notes a request that was accepted.
   *
   * @param sentMs time of the monotonic clock at which it was sent, ms
   */
  noteAccepted(sentMs: number): void {
    if (this.#episode && sentMs > this.#episode.startMs) this.#episode = null;
  }

  /**
   * Waits for a request's turn; resolves at once where there is no limit.
   *
   * @param group what requests that are sent at once have in common: they have one turn, and the rate that was
   *   learned is kept by a second without requests before it
   * @returns time of the monotonic clock at which the turn was asked for, ms
   */
  async turn(group?: object): Promise<number> {
    if (++this.#sinceRefused > REQUESTS_BEFORE_HURRYING && this.#gapMs > this.#leastGapMs) {
      this.#sinceRefused = 0;
      this.#gapMs = Math.max(this.#leastGapMs, this.#gapMs / 2);
    }
    const now = this.#nowMs();
    const quietMs = group && this.#gapMs > this.#ownGapMs ? SECOND_MS : 0;
    const ownMs = (group && this.#groups.get(group)) ?? this.#nextMs + quietMs;
    const turnMs = Math.max(now, ownMs, this.#closedUntilMs);
    this.#nextMs = Math.max(turnMs, this.#nextMs) + this.#gapMs;
    if (group) this.#groups.set(group, turnMs);
    this.#sentMs.push(turnMs);
    if (turnMs > now) await this.#pause(turnMs - now);
    return now;
  }

  /**
   * True for a request that asked for its turn before a new, lower rate can show: its refusal is one with those
   * for which the run was slowed.
   *
   * @param askedMs time of the monotonic clock at which it asked for its turn, ms
   */
  isOfBurst(askedMs: number): boolean {
    return askedMs <= this.#slowedMs + SECOND_MS;
  }

  /** Waits until a limit by that period has reset. */
  rest(period: Rest): Promise<void> {
    return this.#pause(REST_MS[period]);
  }

  /** Notes that what seemed to be refused for the rate is refused at any: the run is as fast as before. */
  noteNoLimit(): void {
    this.#leastGapMs = this.#ownGapMs;
    this.#gapMs = this.#ownGapMs;
    this.#nextMs = this.#nowMs();
    this.#episode = null;
    this.#refusals = 0;
  }

  /**
   * Notes a refusal for the rate, and waits before the request may be repeated: as long as the target
   * asks for, within limits.
   *
   * @param retryAfter the header Retry-After; undefined without one
   * @param askedMs time of the monotonic clock at which it asked for its turn, ms
   * @param attempt number of times that the request was sent
   * @param isSaid true where the status says that it is for the rate; else the longest rest is left out
   */
  async backOff(
    retryAfter: string | undefined,
    askedMs: number,
    attempt: number,
    isSaid = true,
  ): Promise<void> {
    this.#refusals++;
    this.#sinceRefused = 0;
    if (!this.isOfBurst(askedMs)) this.#sinceSlowed++;
    const now = this.#nowMs();
    this.#sentMs = this.#sentMs.filter((ms) => now - ms < MINUTE_MS);
    this.#episode ??= { startMs: now, taken: this.#sentMs.length - 1, restedMs: SECOND_MS };
    const restMs = retryAfter === undefined ? this.#longRestMs(this.#episode, now, isSaid) : null;
    if (restMs !== null) return this.#close(this.#episode, restMs, now);
    if (this.#sinceSlowed >= REFUSALS_BEFORE_SLOWING) {
      this.#sinceSlowed = 0;
      this.#slowedMs = now;
      const rate = this.#gapMs === 0 ? FIRST_SLOW_RATE : 1000 / this.#gapMs / 2;
      // What is not sent again may be refused as well: the run does not try that rate again.
      const leastMs = this.#gapMs === 0 ? FASTEST_GAP_MS : this.#gapMs / CALM_SHARE;
      this.#leastGapMs = Math.max(this.#leastGapMs, leastMs);
      this.#gapMs = Math.max(this.#gapMs, 1000 / Math.max(SLOWEST_RATE, rate));
    }
    const seconds = Number(retryAfter);
    const asksMs = Number.isFinite(seconds) && seconds > 0 ? 1000 * seconds : 0;
    const ownMs = FIRST_BACKOFF_MS * 2 ** (attempt - 1);
    await this.#pause(Math.min(LONGEST_BACKOFF_MS, Math.max(asksMs, ownMs)));
  }

  /** Time from the start of an episode up to which the run waits next, ms; null where a limit is shorter, or none. */
  #longRestMs({ startMs, taken, restedMs }: Episode, now: number, isSaid: boolean): number | null {
    if (taken < MANY) return null;
    if (now < this.#closedUntilMs) return restedMs;
    if (now - startMs < restedMs) return null;
    const rests = isSaid ? LONG_RESTS_MS : LONG_RESTS_MS.slice(0, -1);
    return rests.find((ms) => ms > restedMs) ?? null;
  }

  /** Sends nothing until a limit has reset, and slows the run to what it took. */
  async #close(episode: Episode, restMs: number, now: number): Promise<void> {
    this.#closedUntilMs = episode.startMs + restMs;
    if (restMs > MINUTE_MS && restMs > episode.restedMs) {
      const perMinute = (episode.taken * MINUTE_MS) / (restMs - SECOND_MS);
      this.#perMinute = Math.floor(perMinute);
      this.#leastGapMs = Math.max(this.#leastGapMs, MINUTE_MS / (perMinute * SAFE_SHARE));
      this.#gapMs = this.#leastGapMs;
      this.#sinceSlowed = 0;
    }
    episode.restedMs = restMs;
    await this.#pause(Math.max(FIRST_BACKOFF_MS, this.#closedUntilMs - now));
  }
}
