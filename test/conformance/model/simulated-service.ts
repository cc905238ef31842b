import type { Asked } from '../../../src/conformance/model/asked.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../src/interface/limits.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Noon in UTC. */
const START_MS = Date.UTC(2026, 5, 1, 12, 7);

/** Answers to the gaps about allowances, and ways to break the rules on them. */
export interface Manner {
  /** Minutes from midnight UTC to the end of a day. */
  readonly day: number | 'last 24 hours' | 'from the first';
  readonly countsRefused: boolean;
  readonly banReach: 'kind' | 'tokens';
  readonly extendsBan: boolean;
  /** Looks at allowances before anything else: a wrong request beyond one begins a ban. */
  readonly countsWrong?: boolean;
  /** Most requests of a partner, or of all, in a minute, and the status that refuses others. */
  readonly rate?: {
    readonly most: number;
    readonly of: 'partner' | 'all';
    readonly status: number;
  };
  readonly limit?: Partial<Record<AllowanceKind, number>>;
  readonly banMs?: number;
  /** Length of a day that is counted, ms. */
  readonly windowMs?: number;
  /** Kind that counts for another one, too. */
  readonly together?: readonly [AllowanceKind, AllowanceKind];
  readonly bansAll?: true;
  /** Counts the requests of all partners together, and bans nobody. */
  readonly countsAll?: true;
}

export const PLAIN: Manner = {
  day: 0,
  countsRefused: false,
  banReach: 'kind',
  extendsBan: false,
};

/** A service by the interface, as far as allowances and bans go, and the log of what it is asked. */
export class SimulatedService {
  readonly log: Asked[] = [];
  nowMs: number = START_MS;
  readonly #manner: Manner;
  readonly #counted: { partner: string; kind: AllowanceKind; atMs: number }[] = [];
  readonly #bans = new Map<string, number>();

  constructor(manner: Manner) {
    this.#manner = manner;
  }

  /** Lets time pass, on the wall clock too. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Sends a request, and returns whether it was accepted. */
  ask(partner: string, kind: AllowanceKind, more: Partial<Asked> = {}): boolean {
    this.nowMs += 3;
    const status =
      more.hasOtherCause && !this.#isBeyond(partner, kind) ? 400 : this.#statusOf(partner, kind);
    this.log.push({
      id: `x${this.log.length + 1}`,
      number: this.log.length + 1,
      partner,
      kind,
      sentMs: this.nowMs,
      answeredMs: this.nowMs + 1,
      wallMs: this.nowMs,
      outcome: status === 200 ? 'accepted' : 'refused',
      status,
      isRight: true,
      isWrong: false,
      isRepeated: false,
      retryAfterS: null,
      sent: { accessToken: null, refreshToken: null, authCode: null },
      got: {
        accessToken: status === 200 ? `t${this.log.length + 1}` : null,
        refreshToken: null,
        lifeMs: null,
      },
      form: '',
      body: '',
      ...more,
    });
    return status === 200;
  }

  /** Sends requests of a kind until one is refused, at most that many; returns how many were accepted. */
  use(partner: string, kind: AllowanceKind, most: number): number {
    for (let count = 0; count < most; count++) if (!this.ask(partner, kind)) return count;
    return most;
  }

  #statusOf(partner: string, kind: AllowanceKind): number {
    const { rate, countsRefused, extendsBan, bansAll, together, limit, banReach } = this.#manner;
    const recent = this.log.filter(
      (one) =>
        this.nowMs - one.sentMs < MINUTE_MS && (rate?.of === 'all' || one.partner === partner),
    );
    if (rate && recent.length >= rate.most) return rate.status;
    const ban = [bansAll ? '' : partner, banReach === 'tokens' ? '' : kind].join(' ');
    const { banMs = DAY_MS } = this.#manner;
    if ((this.#bans.get(ban) ?? 0) > this.nowMs) {
      if (extendsBan) this.#bans.set(ban, this.nowMs + banMs);
      return 403;
    }
    const today = this.#today(partner, kind);
    if (today >= (limit?.[kind] ?? ALLOWANCE_PER_DAY[kind])) {
      if (countsRefused) this.#counted.push({ partner, kind, atMs: this.nowMs });
      if (!this.#manner.countsAll) this.#bans.set(ban, this.nowMs + banMs);
      return 403;
    }
    this.#counted.push({ partner, kind, atMs: this.nowMs });
    if (together?.[0] === kind)
      this.#counted.push({ partner, kind: together[1], atMs: this.nowMs });
    return 200;
  }

  /** Checks whether even a wrong request is taken as one beyond an allowance. */
  #isBeyond(partner: string, kind: AllowanceKind): boolean {
    return (
      this.#manner.countsWrong === true && this.#today(partner, kind) >= ALLOWANCE_PER_DAY[kind]
    );
  }

  #today(partner: string, kind: AllowanceKind): number {
    const { day, windowMs = DAY_MS, countsAll } = this.#manner;
    const own = this.#counted.filter(
      (one) => (countsAll || one.partner === partner) && one.kind === kind,
    );
    if (day === 'last 24 hours')
      return own.filter(({ atMs }) => atMs > this.nowMs - windowMs).length;
    if (day === 'from the first') {
      let startMs = Number.NEGATIVE_INFINITY;
      for (const { atMs } of own) if (atMs - startMs >= windowMs) startMs = atMs;
      return this.nowMs - startMs < windowMs ? own.filter(({ atMs }) => atMs >= startMs).length : 0;
    }
    const number = (ms: number): number => Math.floor((ms - day * MINUTE_MS) / windowMs);
    return own.filter(({ atMs }) => number(atMs) === number(this.nowMs)).length;
  }
}
