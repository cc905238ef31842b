import {
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  type Behaviour,
  DURATION_WORDS,
  LIMITS,
  type ServiceRuleId,
} from '../../../interface/index.ts';
import { Refusal } from '../messages.ts';
import { ExpiringMap } from './maps.ts';
import type { Partner } from './partners.ts';

const DAY_MS = 86_400_000;
/** A counter is of no use once its day and the longest ban have passed. */
const COUNTER_KEPT_MS = 2 * DAY_MS;

interface Counter {
  /** Times of the counted requests, oldest first, in milliseconds since the epoch. */
  times: number[];
  expiresAtMs: number;
}

/** The allowance that a request draws on. */
export interface Account {
  readonly partner: Partner;
  readonly kind: AllowanceKind;
  /** The user, where user tokens are counted per user (gap `user-quota-reach`); else empty. */
  readonly userId: string;
}

/** Limits and reach of allowances and bans. */
export interface AllowanceRules {
  readonly perDay: Readonly<Record<AllowanceKind, number>>;
  readonly banMs: number;
  /** Start of the day in which requests are counted, in milliseconds since the epoch. */
  readonly dayStartMs: (nowMs: number) => number;
  /** Name that all accounts share which are banned together. */
  readonly banKey: (account: Account) => string;
  /** True if a request that is refused because of a ban starts it again. */
  readonly extendsBan: boolean;
  /** True if a ban refuses estimates too. */
  readonly bansEstimates: boolean;
}

/** The limits of the interface, with the gaps `day-boundary`, `ban-reach` and `refused-request-extends-ban`. */
export function allowanceRules(behaviour: Behaviour): AllowanceRules {
  const isCalendarDay = behaviour['day-boundary'] === 'calendar-utc';
  const isPerKind = behaviour['ban-reach'] === 'kind';
  return {
    perDay: ALLOWANCE_PER_DAY,
    banMs: LIMITS.banSeconds * 1000,
    dayStartMs: (nowMs) =>
      isCalendarDay ? Math.floor(nowMs / DAY_MS) * DAY_MS : nowMs - DAY_MS + 1,
    banKey: (account) => (isPerKind ? keyOf(account) : account.partner.id),
    extendsBan: behaviour['refused-request-extends-ban'] === 'yes',
    bansEstimates: behaviour['ban-reach'] === 'everything',
  };
}

const RULE_OF_KIND: Readonly<Record<AllowanceKind, ServiceRuleId>> = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
};

/** The three daily allowances of each partner, and the ban when one is exceeded (interface.md, "Limits"). */
export class Allowances {
  readonly #rules: AllowanceRules;
  readonly #counters = new ExpiringMap<Counter>();
  readonly #bans = new ExpiringMap<{ readonly expiresAtMs: number }>();

  constructor(rules: AllowanceRules) {
    this.#rules = rules;
  }

  /** @throws Refusal `banned` while a ban lasts */
  refuseBanned(account: Account, nowMs: number): void {
    const ban = this.#bans.get(this.#rules.banKey(account));
    if (ban === undefined || nowMs >= ban.expiresAtMs) return;
    const until = new Date(ban.expiresAtMs).toISOString();
    if (this.#rules.extendsBan) this.#startBan(account, nowMs);
    throw banned(`Too many ${account.kind} token requests; banned until ${until}.`);
  }

  /** @throws Refusal `banned` if a ban reaches estimates too (gap `ban-reach`) */
  refuseBannedEstimate(partner: Partner, nowMs: number): void {
    if (!this.#rules.bansEstimates) return;
    const ban = this.#bans.get(partner.id);
    if (ban !== undefined && nowMs < ban.expiresAtMs)
      throw banned('The partner is banned from every request.');
  }

  /**
   * Counts a request; the one that exceeds the allowance starts the ban.
   *
   * @throws Refusal `quota-exceeded`
   */
  spend(account: Account, nowMs: number): void {
    if (this.isUsedUp(account, nowMs)) this.exceed(account, nowMs);
    this.#counterOf(account, nowMs).times.push(nowMs);
  }

  /** Checks whether the next request exceeds the allowance. */
  isUsedUp(account: Account, nowMs: number): boolean {
    return this.#counterOf(account, nowMs).times.length >= this.#rules.perDay[account.kind];
  }

  /**
   * Starts the ban of an account. The ban replaces the count: once it lifts, the allowance is whole. A
   * ban of no time replaces nothing.
   *
   * @throws Refusal `quota-exceeded`
   */
  exceed(account: Account, nowMs: number): never {
    if (this.#rules.banMs > 0) this.#counterOf(account, nowMs).times = [];
    this.#startBan(account, nowMs);
    const { kind } = account;
    const message = `More than ${this.#rules.perDay[kind]} ${kind} token requests in a day; banned for ${DURATION_WORDS.ban}.`;
    throw new Refusal('quota-exceeded', message, { rule: RULE_OF_KIND[kind] });
  }

  /** Counts the bans that last now. */
  countBans(nowMs: number): Promise<number> {
    return this.#bans.count(({ expiresAtMs }) => nowMs < expiresAtMs);
  }

  #counterOf(account: Account, nowMs: number): Counter {
    const key = keyOf(account);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { times: [], expiresAtMs: nowMs + COUNTER_KEPT_MS };
      this.#counters.set(key, counter, nowMs);
    }
    counter.expiresAtMs = nowMs + COUNTER_KEPT_MS;
    const dayStartMs = this.#rules.dayStartMs(nowMs);
    while ((counter.times[0] ?? dayStartMs) < dayStartMs) counter.times.shift();
    return counter;
  }

  #startBan(account: Account, nowMs: number): void {
    const expiresAtMs = nowMs + this.#rules.banMs;
    this.#bans.set(this.#rules.banKey(account), { expiresAtMs }, nowMs);
  }
}

function banned(message: string): Refusal {
  return new Refusal('banned', message, { rule: 'quota/ban-lasts-24h' });
}

/** Partner ids contain no space, so that two accounts never share a key. */
function keyOf({ kind, partner, userId }: Account): string {
  return `${kind} ${partner.id} ${userId}`;
}
