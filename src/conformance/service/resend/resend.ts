import type { ConformanceDocument } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
} from '../../../interface/limits.ts';
import {
  chosenLedger,
  NOT_RESTARTED,
  startsAnew,
  type UsedUp,
  whatHelps,
} from '../../../spending/index.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { type Budget, budgetsOf } from '../budget/budgets.ts';
import { allowancesOf, SpendCounter } from '../budget/spend-counter.ts';
import { factsOf, type Target, type TargetPartner } from '../contract/target.ts';
import type { Send } from '../http/message.ts';
import { openTransport } from '../http/transport.ts';
import type { CheckServiceOptions, SpendingOptions } from '../options.ts';
import { Recording } from '../resume/recording.ts';
import { MACHINE_CLOCK } from '../run-clock.ts';
import { spendHooks } from '../spend-hooks.ts';
import { Evidence } from '../wire/evidence.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import { RateLimiter } from '../wire/rate-limit.ts';
import type { Session } from '../wire/session.ts';
import { Stability } from '../wire/stability.ts';
import { TargetClient } from '../wire/target-client.ts';
import { FormerRun, isTokenRequest, sentMs } from './former-run.ts';
import { FormerTokens, type Needs } from './former-tokens.ts';
import { obstacleTo } from './obstacle.ts';
import { outcomeOf } from './outcome.ts';
import { notRepeatable, prepareRequest, tokenBody } from './prepared-request.ts';
import { type RenewedRequest, renew } from './renewal.ts';

/** Options of sending an exchange again. */
export interface ResendOptions
  extends Pick<
    CheckServiceOptions,
    'target' | 'ledger' | 'serviceRestarted' | 'clock' | 'timeoutMs' | 'seed' | 'signal'
  > {
  /** Run that it is from. */
  readonly run: StoredExchanges;
  readonly exchange: Exchange;
}

/** Exchanges and targets of a run. */
export type StoredExchanges = Pick<ConformanceDocument, 'exchanges'> & {
  readonly sites: readonly StoredTarget[];
};

/** An exchange that was sent again. */
export interface Resent {
  /** Exchange now, and its former self. */
  readonly now: Exchange;
  readonly former: Exchange;
  /** Requests that were sent before it, for its tokens. */
  readonly before: readonly Exchange[];
  /** Words for what is new. */
  readonly renewed: readonly string[];
  /** Words for what is as it was. */
  readonly kept: readonly string[];
  /** Token requests by allowance that count for a partner of the profile; null where they are free. */
  readonly spend: Readonly<Record<'platform' | 'user' | 'refresh', number>> | null;
}

/** Reason why an exchange of a run cannot be sent again; null if it can, with a fitting profile. */
export function resendObstacle(
  exchange: Exchange,
  run: StoredExchanges,
  movesClock?: boolean,
): string | null {
  const former = new FormerRun(run.exchanges, run.sites);
  return obstacleTo(former.find(exchange.id), former, movesClock);
}

/**
 * @param movesClock whether the target that it is sent to has a control API
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE` for an exchange that cannot be sent again
 */
function requireRepeatable(exchange: Exchange, run: StoredExchanges, movesClock?: boolean): void {
  const obstacle = resendObstacle(exchange, run, movesClock);
  if (obstacle !== null) throw notRepeatable(exchange, obstacle);
}

/**
 * Sends a stored exchange again, signed and dated anew. Tokens that it used are obtained anew. Without a
 * control API it counts against a partner's allowances: nothing is sent where one would be exceeded.
 *
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE`, `ALLOWANCE_USED_UP`, `TOKEN_NOT_OBTAINED`,
 *   `TARGET_UNREACHABLE`, `INTERRUPTED` or `CONTROL_FAILED`, and as the ledger
 * @throws ConfigurationError `PARTNER_MISSING` for a profile without a partner that can send it
 */
export async function resendExchange(options: ResendOptions): Promise<Resent> {
  const { exchange, run: stored, target, timeoutMs, signal } = options;
  requireRepeatable(exchange, stored, target.control !== undefined);
  const run = new FormerRun(stored.exchanges, stored.sites);
  const ledger = target.control ? undefined : await chosenLedger(options.ledger)?.open();
  const transport = openTransport({ timeoutMs, tls: target.tls, signal });
  try {
    if (startsAnew(target, options.serviceRestarted))
      ledger?.startAnew(target.baseUrl, (options.clock ?? MACHINE_CLOCK).now());
    const own = stored.exchanges.find(({ id }) => id === exchange.id) ?? exchange;
    const resending = new Resending({ ...options, ledger, exchange: own }, run, transport.send);
    try {
      const resent = await resending.send();
      const { verdict } = outcomeOf(resent.now);
      const isRefused = (resent.now.response?.status ?? 200) !== 200;
      const mayBeWrong = verdict === 'not-as-expected' || verdict === 'inconclusive';
      if (mayBeWrong && isRefused && resending.isUsedUp) throw notRestarted();
      return resent;
    } catch (error) {
      const lacksToken = error instanceof FareproofError && error.code === 'TOKEN_NOT_OBTAINED';
      throw lacksToken && resending.isUsedUp ? notRestarted() : error;
    } finally {
      await resending.resetClock();
    }
  } finally {
    await transport.close();
    ledger?.close();
  }
}

class Resending {
  readonly #options: SpendingOptions<ResendOptions>;
  readonly #run: FormerRun;
  /** Wall clock, ms since the epoch. */
  readonly #wall: () => number;
  readonly #client: TargetClient;
  readonly #pool: PartnerPool;
  /** By the former ids of their partners. */
  readonly #sessions = new Map<string, Session>();
  readonly #budgets: readonly Budget[];

  constructor(options: SpendingOptions<ResendOptions>, run: FormerRun, send: Send) {
    const { target, clock = MACHINE_CLOCK, seed, signal } = options;
    const wall = (): number => clock.now();
    this.#wall = wall;
    const monotonic = (): number => clock.monotonicNs() / 1e6;
    const pause = (forMs: number): Promise<void> => clock.sleep(forMs, signal);
    this.#options = options;
    this.#run = run;
    const metered = target.control === undefined;
    const spend = new SpendCounter(wall, wall());
    this.#budgets = metered ? budgetsOf(target, { ...options, clock, allowBan: false }) : [];
    this.#client = new TargetClient({
      target,
      facts: factsOf(target, { metered, partners: 0, asked: () => true, waits: false }),
      evidence: new Evidence(),
      send,
      rateLimit: new RateLimiter(null, monotonic, pause),
      random: new SeededRandom(seed),
      stability: new Stability(),
      spend,
      recording: new Recording([], new Map()),
      runLog: null,
      wall,
      monotonic,
      sleepUntil: async () => undefined,
      signal,
    });
    const hooks = spendHooks(
      { ...options, clock, suite: {} },
      target,
      metered ? this.#budgets : null,
      spend,
    );
    this.#pool = new PartnerPool(this.#client, hooks);
  }

  /** True if refusals may be due to what earlier runs spent of a target that began anew. */
  get isUsedUp(): boolean {
    const { target, ledger, serviceRestarted } = this.#options;
    if (!ledger || !startsAnew(target, serviceRestarted)) return false;
    return Array.from(this.#sessions.values()).some(({ partner }) =>
      ledger.mayBeUsedUp(target.baseUrl, partner.id, this.#wall()),
    );
  }

  async send(): Promise<Resent> {
    const { exchange, target } = this.#options;
    const { evidence, clock } = this.#client;
    requireHeaders(exchange, target);
    const session = await this.#open();
    const other = this.#sessions.get(exchange.otherPartner ?? '');
    const otherKey = other?.partner.signingKey;
    // Nothing is spent on tokens for a request that cannot be rebuilt.
    prepareRequest(exchange, this.#renewed(new Map()), session, otherKey);
    const own = target.partners.find(({ id }) => id === session.partner.id);
    const tokens = new FormerTokens(this.#run, own ?? {});
    await clock.refresh();
    const secrets = await tokens.obtain(exchange, this.#sessions, this.#pool, clock);
    await clock.refresh();
    const renewed = this.#renewed(secrets);
    const id = await prepareRequest(exchange, renewed, session, otherKey).send(secrets);
    await clock.reset();
    const all = evidence.exchanges;
    const now = all.find((one) => one.id === id) ?? exchange;
    return {
      now,
      former: exchange,
      before: all.filter((one) => one !== now && one.partnerId !== null),
      renewed: [
        ...this.#placeWords(),
        ...renewed.renewed,
        ...this.#tokenWords(secrets),
        ...(exchange.signed ? ['signature'] : []),
        ...clockWords(clock.leftAtMs),
      ],
      kept: [...renewed.kept, ...keptWords(exchange), 'all else'],
      spend: target.control ? null : this.#spent(),
    };
  }

  /** Resets the clock of the target, where it was moved and can be reset. */
  async resetClock(): Promise<void> {
    await this.#client.clock.reset();
  }

  /** Token requests of all its partners. */
  #spent(): Record<AllowanceKind, number> {
    const total = { platform: 0, user: 0, refresh: 0 };
    for (const { partner } of this.#sessions.values()) {
      const spent = this.#client.spend.of(partner.id);
      for (const kind of ALLOWANCE_KINDS) total[kind] += spent[kind];
    }
    return total;
  }

  /** Opens a session for each partner that the exchange and its tokens had; returns that of its own. */
  async #open(): Promise<Session> {
    const { exchange, target } = this.#options;
    const own = exchange.partnerId ?? '';
    const ownPartner = target.control ? {} : this.#partnerFor(own, []);
    const needs = new FormerTokens(this.#run, ownPartner).needsOf(exchange);
    const { otherPartner: other = own } = exchange;
    const formerIds = new Set([own, ...needs.keys(), other]);
    const partners = new Map<string, TargetPartner>();
    for (const former of target.control ? [] : formerIds) {
      partners.set(former, this.#partnerFor(former, [...partners.values()]));
    }
    // All are within their allowances before the first of them spends.
    for (const [former, partner] of partners) {
      this.#requireBudget(this.#budgetOf(partner), needs.get(former), former === own);
    }
    for (const former of formerIds) {
      const partner = partners.get(former);
      const session = partner
        ? this.#pool.open(partner, this.#budgetOf(partner).unusedCodes)
        : await this.#pool.fresh();
      this.#sessions.set(former, session);
    }
    const session = this.#sessions.get(own);
    if (session) return session;
    throw noPartner(own);
  }

  /** The same partner as before, or another one: the first must be a general one, a second need not. */
  #partnerFor(former: string, taken: readonly TargetPartner[]): TargetPartner {
    const free = this.#options.target.partners.filter((one) => !taken.includes(one));
    const partner =
      free.find(({ id }) => id === former) ??
      free.find(({ use }) => use === 'general') ??
      (taken.length === 0 ? undefined : free.find(({ use }) => use !== 'spendable'));
    if (!partner) throw noPartner(former);
    return partner;
  }

  #budgetOf({ id }: TargetPartner): Budget {
    const budget = this.#budgets.find(({ partnerId }) => partnerId === id);
    if (!budget) throw this.#usedUp(`partner ${id} may be banned, by the ledger`, id);
    return budget;
  }

  /** Checks, before anything is sent, that all of it is within the allowances. */
  #requireBudget(
    { partnerId, left }: Budget,
    needs: Needs = { platform: 0, user: 0, refresh: 0, codes: 0 },
    isOwn = true,
  ): void {
    const { exchange } = this.#options;
    const total = { ...needs };
    if (isOwn) for (const kind of this.#chargedTo(exchange)) total[kind]++;
    for (const kind of ALLOWANCE_KINDS) {
      if (total[kind] <= left[kind]) continue;
      throw this.#usedUp(
        `partner ${partnerId} has ${Math.max(0, left[kind])} of ${ALLOWANCE_PER_DAY[kind]} ${kind} requests left for today, and this needs ${total[kind]}`,
        partnerId,
      );
    }
    if (total.codes > left.codes) {
      const why = `partner ${partnerId} has no unused auth code left in the profile`;
      throw this.#usedUp(why, partnerId, true);
    }
  }

  #usedUp(why: string, partnerId: string, isForGood = false): FareproofError {
    const { target, ledger, serviceRestarted } = this.#options;
    return spentUp(why, {
      startsAnew: startsAnew(target, serviceRestarted),
      wholeAgainMs: ledger?.wholeAgainMs(target.baseUrl, partnerId, this.#wall()) ?? 0,
      isForGood,
    });
  }

  #chargedTo(exchange: Exchange): ReturnType<typeof allowancesOf> {
    const { authorization = '' } = exchange.request.headers;
    if (!isTokenRequest(exchange) || !authorization.includes(exchange.partnerId ?? '')) return [];
    return allowancesOf(tokenBody(exchange.request.body ?? ''));
  }

  #renewed(secrets: ReadonlyMap<string, string>): RenewedRequest {
    const { exchange } = this.#options;
    const sentAtMs = sentMs(exchange);
    return renew(exchange, this.#run.pathOf(exchange), {
      byMs: this.#client.clock.now() - sentAtMs,
      sentAtMs,
      nostr: this.#client.random.nostr(),
      partnerIds: new Map(
        Array.from(this.#sessions, ([former, { partner }]) => [former, partner.id]),
      ),
      secrets,
    });
  }

  #placeWords(): string[] {
    const { exchange, target } = this.#options;
    const former = this.#run.targetOf(exchange)?.baseUrl;
    return former === target.baseUrl ? [] : [`address ${former} → ${target.baseUrl}`];
  }

  #tokenWords(secrets: ReadonlyMap<string, string>): string[] {
    const kinds = new Set(Array.from(secrets.keys(), (one) => one.slice(1, one.indexOf(' '))));
    return Array.from(kinds, (kind) => `${kind}: obtained anew`);
  }
}

/** Words for what an exchange keeps that a well-formed one would not have. */
function keptWords({ signed }: Exchange): string[] {
  if (!signed) return ['no signature'];
  return [
    ...(signed.key === 'own'
      ? []
      : [`signed with the ${signed.key === 'empty' ? 'empty key' : "partner's id as key"}`]),
    ...(signed.alteration === undefined
      ? []
      : [`the signature is not the right one: ${signed.alteration}`]),
  ];
}

/** Words for a clock that was moved for the age of a token, and that the target cannot reset. */
function clockWords(leftAtMs: number | null): string[] {
  if (leftAtMs === null) return [];
  return [
    `clock of the target, which cannot be reset: left at ${new Date(leftAtMs).toISOString()}`,
  ];
}

/** @throws ConfigurationError for headers of the former profile that this one lacks */
function requireHeaders({ request }: Exchange, { headers }: Target): void {
  const known = new Set([
    'content-type',
    'authorization',
    ...Object.keys(headers).map((name) => name.toLowerCase()),
  ]);
  const missing = Object.keys(request.headers).find((name) => !known.has(name.toLowerCase()));
  if (missing === undefined) return;
  throw new ConfigurationError(
    'HEADER_MISSING',
    `It was sent with the header ${missing} of a profile; add it to "headers" of this one.`,
  );
}

function noPartner(partnerId: string): ConfigurationError {
  return new ConfigurationError(
    'PARTNER_MISSING',
    `The profile has neither the partner ${partnerId} of the run, nor another one that may take its place (use: general), nor a control API.`,
  );
}

function notRestarted(): FareproofError {
  return new FareproofError(
    'ALLOWANCE_USED_UP',
    `What the target refused proves nothing: ${NOT_RESTARTED}.`,
  );
}

function spentUp(why: string, facts: UsedUp): FareproofError {
  return new FareproofError(
    'ALLOWANCE_USED_UP',
    `Nothing was sent: ${why}. What helps: ${whatHelps(facts)}.`,
  );
}
