import type { AllowanceKind, Behaviour, ServiceRuleId } from '../../interface/index.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY, LIMITS } from '../../interface/index.ts';
import type { FaultSwitches } from '../faults/switches.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import { ExpiringMap } from './expiring-map.ts';
import type { Partner } from './partners.ts';

const DAY_MS = 86_400_000;
/** A counter tells nothing once its day and the longest ban are over. */
const COUNTER_KEPT_MS = 2 * DAY_MS;

interface Counter {
  /** Times of the requests that count, oldest first, in milliseconds since the epoch. */
  times: number[];
  expiresAtMs: number;
}

interface Ban {
  expiresAtMs: number;
}

/** Whose allowance a request draws on. */
export interface Account {
  readonly partner: Partner;
  readonly kind: AllowanceKind;
  /** The user, where user tokens are counted for each (gap `user-quota-reach`); else empty. */
  readonly userId: string;
}

const RULE_OF_KIND: Readonly<Record<AllowanceKind, ServiceRuleId>> = {
  platform: 'quota/platform-refuses-11th',
  user: 'quota/user-refuses-6th',
  refresh: 'quota/refresh-refuses-11th',
};

/** The three daily allowances of a partner, and the ban when one is exceeded (interface.md, "Limits"). */
export class Allowances {
  readonly #counters = new ExpiringMap<Counter>();
  readonly #bans = new ExpiringMap<Ban>();
  readonly #behaviour: Behaviour;
  readonly #faults: FaultSwitches;
  readonly #perDay: Readonly<Record<AllowanceKind, number>>;
  readonly #banMs: number;

  constructor({ behaviour, faults }: Settings) {
    this.#behaviour = behaviour;
    this.#faults = faults;
    this.#perDay = perDayWith(faults);
    this.#banMs = banMsWith(faults);
  }

  /** @throws Refusal `banned` while a ban lasts */
  refuseBanned(account: Account, nowMs: number): void {
    const key = this.#banKey(account);
    const ban = this.#bans.get(key);
    if (ban === undefined || nowMs >= ban.expiresAtMs) return;
    const until = new Date(ban.expiresAtMs).toISOString();
    if (this.#behaviour['refused-request-extends-ban'] === 'yes') this.#startBan(account, nowMs);
    throw new Refusal('banned', `Too many ${account.kind} token requests; banned until ${until}.`, {
      rule: 'quota/ban-lasts-24h',
    });
  }

  /** @throws Refusal `banned` where a ban reaches estimates too (gap `ban-reach`) */
  refuseBannedEstimate(partner: Partner, nowMs: number): void {
    if (this.#behaviour['ban-reach'] !== 'everything') return;
    const ban = this.#bans.get(partner.id);
    if (ban === undefined || nowMs >= ban.expiresAtMs) return;
    throw new Refusal('banned', 'The partner is banned from every request.', {
      rule: 'quota/ban-lasts-24h',
    });
  }

  /**
   * Counts a request; the one that exceeds the allowance starts the ban.
   *
   * @throws Refusal `quota-exceeded`
   */
  spend(account: Account, nowMs: number): void {
    const counter = this.#counterOf(account, nowMs);
    if (this.#isUsedUp(account, counter, nowMs)) {
      // A ban takes the place of the count: once it lifts, the allowance is whole.
      counter.times = [];
      this.#startBan(account, nowMs);
      throw new Refusal(
        'quota-exceeded',
        `More than ${this.#perDay[account.kind]} ${account.kind} token requests in a day; banned for 24 hours.`,
        { rule: RULE_OF_KIND[account.kind] },
      );
    }
    counter.times.push(nowMs);
  }

  #isUsedUp(account: Account, counter: Counter, nowMs: number): boolean {
    if (counter.times.length >= this.#perDay[account.kind]) return true;
    return (
      this.#faults['quota/counters-independent'] &&
      ALLOWANCE_KINDS.some((kind) => {
        const other = this.#counterOf({ ...account, kind }, nowMs);
        return other.times.length >= this.#perDay[kind];
      })
    );
  }

  #counterOf(account: Account, nowMs: number): Counter {
    const key = keyOf(account);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { times: [], expiresAtMs: nowMs + COUNTER_KEPT_MS };
      this.#counters.set(key, counter, nowMs);
    }
    counter.expiresAtMs = nowMs + COUNTER_KEPT_MS;
    this.#forgetOtherDays(counter, nowMs);
    return counter;
  }

  #forgetOtherDays(counter: Counter, nowMs: number): void {
    if (this.#faults['quota/daily-reset']) return;
    const dayStartMs =
      this.#behaviour['day-boundary'] === 'calendar-utc'
        ? Math.floor(nowMs / DAY_MS) * DAY_MS
        : nowMs - DAY_MS + 1;
    while ((counter.times[0] ?? dayStartMs) < dayStartMs) counter.times.shift();
  }

  #startBan(account: Account, nowMs: number): void {
    this.#bans.set(this.#banKey(account), { expiresAtMs: nowMs + this.#banMs }, nowMs);
  }

  /** Whom a ban reaches (gap `ban-reach`). */
  #banKey(account: Account): string {
    if (this.#faults['quota/per-partner']) return account.kind;
    return this.#behaviour['ban-reach'] === 'kind' ? keyOf(account) : account.partner.id;
  }
}

/** Partner ids hold no space, so no two accounts share a key. */
function keyOf({ kind, partner, userId }: Account): string {
  return `${kind} ${partner.id} ${userId}`;
}

function perDayWith(faults: FaultSwitches): Readonly<Record<AllowanceKind, number>> {
  const off = (one: ServiceRuleId, less: ServiceRuleId): number =>
    Number(faults[one]) - Number(faults[less]);
  return {
    platform:
      ALLOWANCE_PER_DAY.platform + off('quota/platform-refuses-11th', 'quota/platform-allows-10'),
    user: ALLOWANCE_PER_DAY.user + off('quota/user-refuses-6th', 'quota/user-allows-5'),
    refresh:
      ALLOWANCE_PER_DAY.refresh + off('quota/refresh-refuses-11th', 'quota/refresh-allows-10'),
  };
}

function banMsWith(faults: FaultSwitches): number {
  const banMs = LIMITS.banSeconds * 1000;
  if (faults['quota/ban-lasts-24h']) return banMs / 2;
  if (faults['quota/ban-lifts']) return banMs * 2;
  return banMs;
}
