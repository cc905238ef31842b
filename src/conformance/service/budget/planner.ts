import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
} from '../../../interface/limits.ts';
import { type Judgement, unsent, untestable } from '../../verdict.ts';
import {
  type BaseRequest,
  type Check,
  isFurther,
  isProbe,
  type Place,
  priceOf,
  rankOf,
  type Spending,
  spendingOf,
} from '../contract/check.ts';
import { batchName } from '../contract/parts.ts';
import type { Facts } from '../contract/target.ts';
import type { Budget } from './budgets.ts';

/** Checks of one base request and one partner, and their maximum spending. */
export interface PlannedBatch extends Place {
  readonly partnerId: string;
  /** Name of base request and setting, such as `refresh:of-user`. */
  readonly name: string;
  /** True if an earlier answer of the run serves as its opening. */
  readonly isReopened: boolean;
  readonly checks: readonly Check[];
  readonly spends: Readonly<Record<AllowanceKind | 'codes', number>>;
}

/** Check that no partner has the allowance for, and what is judged of it. */
export interface Unplanned {
  readonly check: Check;
  readonly judgement: Judgement;
}

/** Plan of every request that may count, made before the first is sent. */
export interface SpendPlan {
  readonly batches: readonly PlannedBatch[];
  readonly unplanned: readonly Unplanned[];
}

const KINDS = [...ALLOWANCE_KINDS, 'codes'] as const;

/**
 * Exchanges of auth codes come first: where a target counts all allowances together, theirs is the
 * smallest. Estimates come before refreshes, which replace the token that they share.
 */
const BASE_REQUEST_ORDER: readonly BaseRequest[] = [
  'user',
  'user-estimate',
  'platform',
  'estimate',
  'refresh',
  'standalone',
];

/**
 * Plans checks over metered partners by priority, each with its maximum spending and that of its
 * baseline. The plan exceeds no allowance.
 *
 * @param limits `cap` is the maximum of token requests in the run, null for none, and `spent` what it has
 *   sent of them for the batches `earlier`; `help` says what brings a used-up allowance back
 */
export function planSpending(
  checks: readonly Check[],
  budgets: readonly Budget[],
  facts: Facts,
  { cap, spent = 0, earlier = [], help }: PlanLimits,
): SpendPlan {
  const partners = budgets.map((budget) => new PlannedPartner(budget));
  if (facts.refusedAreFree) partners.find(({ isShared }) => isShared)?.keepRoom();
  const left: { check: Check; offers: readonly Offer[]; isOverCap: boolean }[] = [];
  let capLeft = cap === null ? Number.POSITIVE_INFINITY : Math.max(0, cap - spent);
  for (const check of byPriority(checks)) {
    const offers = partners.flatMap((partner) => partner.offers(check, facts));
    const fitting = offers.filter((offer) => offer.fits && requestsOf(offer.cost) <= capLeft);
    const [best] = fitting.sort(
      (a, b) =>
        a.overhead - b.overhead ||
        a.preference - b.preference ||
        requestsOf(a.cost) - requestsOf(b.cost),
    );
    if (!best) {
      left.push({ check, offers, isOverCap: requestsOf(offers[0]?.cost ?? {}) > capLeft });
      continue;
    }
    best.partner.take(check, best);
    capLeft -= requestsOf(best.cost);
  }
  const batches = partners.flatMap((partner) => partner.batches());
  const words = cap === null ? '' : capWords(cap, [...earlier, ...batches], facts);
  const unplanned = left.map(({ check, offers, isOverCap }) => {
    const kept = budgets.filter((budget) => budget.mayBan && serves(budget, check, facts));
    const judgement = isOverCap
      ? explainCap(check, facts, words)
      : explain(check, offers, { help, kept });
    return { check, judgement };
  });
  return { batches, unplanned };
}

interface PlanLimits {
  readonly cap: number | null;
  readonly spent?: number | undefined;
  readonly earlier?: readonly PlannedBatch[] | undefined;
  readonly help: string;
}

interface Offer {
  readonly partner: PlannedPartner;
  readonly on: Place;
  /** Requests of the baseline of a further part: places whose baseline serves others too come first. */
  readonly overhead: number;
  /** Lower first; of equal ones the cheapest. */
  readonly preference: number;
  /** Requests that it may send. */
  readonly cost: Spending;
  /** Part of the cost that counts against allowances in any case. */
  readonly price: Spending;
  /** Part that counts if what is to be refused is accepted. */
  readonly slack: Spending;
  readonly fits: boolean;
}

/** Partner and its share of the plan so far. */
class PlannedPartner {
  readonly #budget: Budget;
  readonly #left: Record<AllowanceKind | 'codes', number>;
  /** Requests that are left over in case one that is to be refused is accepted. */
  #slack: Spending = {};
  /** By the name of base request and setting. */
  readonly #batches = new Map<
    string,
    PlannedBatch & { checks: Check[]; spends: Record<AllowanceKind | 'codes', number> }
  >();

  constructor(budget: Budget) {
    this.#budget = budget;
    const platform = Math.max(0, budget.left.platform - budget.kept);
    this.#left = { ...budget.left, platform };
  }

  /** True if checks share it. */
  get isShared(): boolean {
    return !this.#budget.mayBan;
  }

  /** Keeps room for a request that is to be refused, whatever allowance it counts against once it is accepted. */
  keepRoom(): void {
    this.#slack = { platform: 1, user: 1, refresh: 1 };
  }

  offers(check: Check, facts: Facts): Offer[] {
    const { mayBan } = this.#budget;
    // A check that bans has its partner to itself.
    if ((check.needs?.ban ?? false) !== mayBan || (mayBan && this.#batches.size > 0)) return [];
    return check.places.map((on, at) => {
      const name = batchName(on);
      const overhead = this.#batches.has(name)
        ? {}
        : this.#budget.accepted?.has(name)
          ? closingSpending(on)
          : baselineSpending(on, this.#available());
      const own = priceOf(check, facts, on.baseRequest);
      const isFree = facts.refusedAreFree && own.isRefused === true;
      const price = add(isFree ? { codes: own.codes } : own, overhead);
      const slack: Spending = isFree ? { ...own, codes: 0 } : {};
      const room = mostOf(this.#slack, slack);
      const fits = KINDS.every((kind) => {
        const most =
          mayBan && kind !== 'codes' ? ALLOWANCE_PER_DAY[kind] : Number.POSITIVE_INFINITY;
        const needed = Math.min(price[kind] ?? 0, most);
        const isNeeded = needed > 0 || (slack[kind] ?? 0) > 0;
        return !isNeeded || needed + (room[kind] ?? 0) <= this.#left[kind];
      });
      const offer = { partner: this, on, cost: add(own, overhead), price, slack, fits };
      if (!isFurther(check)) return { ...offer, overhead: 0, preference: 0 };
      // The first part of a rule decides on which other base request the rule is tried.
      const ofBaseline = rankOf(check) === 1 ? 0 : requestsOf(overhead);
      return { ...offer, overhead: ofBaseline, preference: at };
    });
  }

  take(check: Check, { on, cost, price, slack }: Offer): void {
    const { partnerId, accepted } = this.#budget;
    const name = batchName(on);
    const isReopened = accepted?.has(name) ?? false;
    const begun = { ...on, partnerId, name, isReopened, checks: [], spends: noSpending() };
    const planned = this.#batches.get(name) ?? begun;
    planned.checks.push(isFurther(check) ? { ...check, places: [on] } : check);
    for (const kind of KINDS) {
      planned.spends[kind] += cost[kind] ?? 0;
      this.#left[kind] -= price[kind] ?? 0;
    }
    this.#slack = mostOf(this.#slack, slack);
    this.#batches.set(name, planned);
  }

  batches(): PlannedBatch[] {
    const all = [...this.#batches.values()];
    return BASE_REQUEST_ORDER.flatMap((base) => all.filter((one) => one.baseRequest === base));
  }

  #isPlanned(...bases: readonly BaseRequest[]): boolean {
    return [...this.#batches.values()].some(({ baseRequest }) => bases.includes(baseRequest));
  }

  #available(): { platformToken: boolean; userToken: boolean; codes: number } {
    return {
      platformToken: this.#budget.hasAccessToken || this.#isPlanned('platform', 'estimate'),
      userToken: this.#isPlanned('user', 'user-estimate'),
      codes: this.#left.codes,
    };
  }
}

/** Sorts checks by the order in which they are planned. */
export function byPriority(checks: readonly Check[]): Check[] {
  return [...checks].sort((a, b) => turnOf(a) - turnOf(b));
}

/** Further parts come after all checks; the later ones of each rule after the probes of gaps too. */
function turnOf(check: Check): number {
  const rank = rankOf(check) - (check.priority?.isFirst ? FIRST : 0);
  if (!isFurther(check)) return isProbe(check) ? PROBES : rank;
  return (rank <= BEFORE_PROBES ? FURTHER : PROBES) + rank;
}

const FIRST = 1000;
const FURTHER = 10;
const BEFORE_PROBES = 2;
const PROBES = FURTHER + BEFORE_PROBES + 1;

function noSpending(): Record<AllowanceKind | 'codes', number> {
  return { platform: 0, user: 0, refresh: 0, codes: 0 };
}

function add(a: Spending, b: Spending): Spending {
  return Object.fromEntries(KINDS.map((kind) => [kind, (a[kind] ?? 0) + (b[kind] ?? 0)]));
}

function mostOf(a: Spending, b: Spending): Spending {
  return Object.fromEntries(KINDS.map((kind) => [kind, Math.max(a[kind] ?? 0, b[kind] ?? 0)]));
}

function requestsOf(spending: Spending): number {
  return ALLOWANCE_KINDS.reduce((sum, kind) => sum + (spending[kind] ?? 0), 0);
}

const NAMES: Readonly<Record<AllowanceKind | 'codes', readonly [one: string, several: string]>> = {
  platform: ['platform token request', 'platform token requests'],
  user: ['user token request', 'user token requests'],
  refresh: ['refresh', 'refreshes'],
  codes: ['unused auth code', 'unused auth codes'],
};

const NO_SPENDABLE_LEFT = untestable(
  'it ends in a ban, and no spendable partner with full allowances is left for it',
  'mark another partner of the profile as "use: spendable"',
);

/** A check that sends estimates only needs a token, which the profile can bring. */
function explainCap(check: Check, facts: Facts, words: string): Judgement {
  const [{ baseRequest }] = check.places;
  const needsTokenOnly = baseRequest === 'estimate' && requestsOf(priceOf(check, facts)) === 0;
  if (needsTokenOnly) {
    return untestable(
      `it needs a token, and the profile has no accessToken; ${words}`,
      'give a partner of the profile an accessToken',
    );
  }
  return untestable(words, 'use a suite that allows more token requests');
}

/** Rules that are named as those that token requests went to. */
const NAMED_RULES = 4;

function capWords(cap: number, batches: readonly PlannedBatch[], facts: Facts): string {
  if (cap === 0) return 'the suite allows no token requests';
  const allowed = `the suite allows ${countOf(cap, 'token request')}`;
  const costing = batches.map(({ baseRequest, checks, spends }) => {
    const own = checks.map((check) => ({
      check,
      cost: requestsOf(priceOf(check, facts, baseRequest)),
    }));
    const ofChecks = own.reduce((sum, { cost }) => sum + cost, 0);
    const rules = own.flatMap(({ check, cost }) => (cost > 0 ? check.rules : []));
    return { rules, wellFormed: requestsOf(spends) - ofChecks };
  });
  const wellFormed = costing.reduce((sum, one) => sum + one.wellFormed, 0);
  const rules = [...new Set(costing.flatMap((one) => one.rules))];
  const more = rules.length - NAMED_RULES;
  const users = [
    ...(wellFormed > 0 ? [countOf(wellFormed, 'well-formed request')] : []),
    ...rules.slice(0, NAMED_RULES),
    ...(more > 0 ? [countOf(more, 'other rule')] : []),
  ];
  if (users.length === 0) return `${allowed}, which is too few`;
  const last = users.pop() ?? '';
  return `${allowed}, which went to ${users.length > 0 ? `${users.join(', ')} and ${last}` : last}`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const ADD_PARTNER = "add another partner, or the target's control API, to the profile";

/** Checks whether a partner that is kept for bans has the allowance for a check. */
function serves({ left }: Budget, check: Check, facts: Facts): boolean {
  const [{ baseRequest }] = check.places;
  const cost = add(priceOf(check, facts), spendingOf(baseRequest));
  return KINDS.every((kind) => (cost[kind] ?? 0) <= left[kind]);
}

function explain(
  check: Check,
  offers: readonly Offer[],
  { help, kept }: { readonly help: string; readonly kept: readonly Budget[] },
): Judgement {
  if (check.needs?.ban) return NO_SPENDABLE_LEFT;
  if (offers.length === 0)
    return unsent(
      'every partner of the profile is banned, or was refused a well-formed request',
      help,
    );
  const cost = offers[0]?.cost ?? {};
  const fitsADay = KINDS.every(
    (kind) => kind === 'codes' || (cost[kind] ?? 0) <= ALLOWANCE_PER_DAY[kind],
  );
  const needed = KINDS.filter((kind) => (cost[kind] ?? 0) > 0).map(
    (kind) => `${cost[kind]} ${NAMES[kind][cost[kind] === 1 ? 0 : 1]}`,
  );
  const reason = `it needs up to ${needed.join(' and ') || 'a partner'}, and no partner of the profile has them left today`;
  if (kept.length > 0) {
    const ids = kept.map(({ partnerId }) => partnerId).join(', ');
    return untestable(
      `${reason}, but for ${ids}, kept for bans`,
      'add another partner to the profile, or run with bans not allowed',
    );
  }
  return untestable(
    reason,
    (cost.codes ?? 0) > 0
      ? 'add authCodes to the profile, or another partner with some'
      : fitsADay
        ? `try it alone once there is room for it: ${help}`
        : ADD_PARTNER,
  );
}

/** Spending of a baseline whose opening request was accepted before. */
function closingSpending({ baseRequest }: Place): Spending {
  return { ...spendingOf(baseRequest), ...(baseRequest === 'user' && { codes: 1 }) };
}

/**
 * Spending of a base request's baseline on its partner.
 *
 * @param available tokens and codes that the session will have by then
 */
function baselineSpending(
  { baseRequest, setting: { ofUser, afterRefresh } }: Place,
  available: {
    readonly platformToken: boolean;
    readonly userToken: boolean;
    readonly codes: number;
  },
): Spending {
  switch (baseRequest) {
    case 'platform':
      return { platform: 2 };
    case 'refresh':
      if (ofUser) return { user: 1, codes: 1, refresh: 2 };
      return { platform: available.platformToken ? 0 : 1, refresh: 2 };
    case 'user':
      return available.codes > 1 ? { user: 2, codes: 2 } : { user: 1, codes: 1 };
    case 'estimate':
      if (afterRefresh) return { platform: 1, refresh: 1 };
      return { platform: available.platformToken ? 0 : 1 };
    case 'user-estimate':
      if (afterRefresh) return { user: 1, codes: 1, refresh: 1 };
      return available.userToken ? {} : { user: 1, codes: 1 };
    case 'standalone':
      return {};
  }
}
