import type { ConformanceDocument } from '../../../documents/conformance.ts';
import type { Anew, Exchange } from '../../../documents/exchange.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS, type AllowanceKind } from '../../../interface/limits.ts';
import { causeShownBy } from '../../../interface/refusal-cause.ts';
import { requireMd5 } from '../../../interface/signature.ts';
import type { SecretKind } from '../../../redaction/index.ts';
import { chosenLedger, NOT_RESTARTED, startsAnew, whatHelps } from '../../../spending/index.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { type Budget, budgetsOf } from '../budget/budgets.ts';
import { SpendCounter } from '../budget/spend-counter.ts';
import { describeAnswer, refusingAnswer, type TokenAnswer } from '../contract/messages.ts';
import { factsOf, type Target } from '../contract/target.ts';
import type { Transport } from '../http/message.ts';
import { openTransport } from '../http/transport.ts';
import type { CheckServiceOptions, SpendingOptions } from '../options.ts';
import { Recording } from '../resume/recording.ts';
import { MACHINE_CLOCK, steadyRunClock } from '../run-clock.ts';
import { spendHooks } from '../spend-hooks.ts';
import { Evidence } from '../wire/evidence.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import { RateLimiter } from '../wire/rate-limit.ts';
import type { Session } from '../wire/session.ts';
import { Stability } from '../wire/stability.ts';
import { TargetClient } from '../wire/target-client.ts';
import { anewOf, bringsPlain, FormerRun, isAged, lifeMsOf, sentMs } from './former-run.ts';
import { obstacleTo } from './obstacle.ts';
import { outcomeOf } from './outcome.ts';
import { type MadeAgain, makeAgain } from './remake.ts';
import { noPartner, spentWhy, standInsFor } from './stand-ins.ts';

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
  { id }: Pick<Exchange, 'id'>,
  { exchanges, sites }: StoredExchanges,
  movesClock?: boolean,
): string | null {
  const run = new FormerRun(exchanges, sites);
  return obstacleTo(run.find(id), run, movesClock);
}

/**
 * Sends a stored exchange again, signed and dated anew. Tokens that it used are obtained anew. Without a
 * control API it counts against a partner's allowances: nothing is sent where one would be exceeded.
 *
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE`, `ALLOWANCE_USED_UP`, `TOKEN_NOT_OBTAINED`,
 *   `TARGET_UNREACHABLE`, `INTERRUPTED` or `CONTROL_FAILED`, and as the ledger
 * @throws ConfigurationError `PARTNER_MISSING` for a profile without a partner that can send it, or `MD5_MISSING`
 */
export async function resendExchange(options: ResendOptions): Promise<Resent> {
  requireMd5();
  const { run: stored, target, timeoutMs, signal } = options;
  const run = new FormerRun(stored.exchanges, stored.sites);
  const exchange = run.find(options.exchange.id);
  const obstacle = obstacleTo(exchange, run, target.control !== undefined);
  if (obstacle !== null) throw notRepeatable(exchange, obstacle);
  requireHeaders(exchange, target);
  const ledger = target.control ? undefined : await chosenLedger(options.ledger)?.open();
  const transport = openTransport({ timeoutMs, tls: target.tls, signal });
  try {
    if (startsAnew(target, options.serviceRestarted))
      ledger?.startAnew(target.baseUrl, (options.clock ?? MACHINE_CLOCK).now());
    const resending = new Resending({ ...options, ledger, exchange }, run, transport);
    const provesNothing = (): FareproofError =>
      usedUpError(`What the target refused proves nothing: ${NOT_RESTARTED}.`);
    try {
      const resent = await resending.send();
      const { verdict } = outcomeOf(resent.now);
      const isRefused = (resent.now.response?.status ?? 200) !== 200;
      const mayBeWrong = verdict === 'not-as-expected' || verdict === 'inconclusive';
      if (mayBeWrong && isRefused && resending.isUsedUp) throw provesNothing();
      return resent;
    } catch (error) {
      const lacksToken = error instanceof FareproofError && error.code === 'TOKEN_NOT_OBTAINED';
      throw lacksToken && resending.isUsedUp ? provesNothing() : error;
    } finally {
      await resending.resetClock();
    }
  } finally {
    await transport.close();
    ledger?.close();
  }
}

/** Answer to a request that was sent for its tokens, and the target's time then, in ms. */
interface Brought {
  readonly answer: TokenAnswer;
  readonly sentAtMs: number;
}

class Resending {
  readonly #options: SpendingOptions<ResendOptions>;
  readonly #run: FormerRun;
  /** This machine's clock, ms since the epoch. */
  readonly #wall: () => number;
  readonly #client: TargetClient;
  readonly #pool: PartnerPool;
  /** By the former ids of their partners. */
  readonly #sessions = new Map<string, Session>();
  /** Tokens and auth codes obtained, by the texts of the former ones. */
  readonly #secrets = new Map<string, string>();
  /** Answers to the requests that were sent for tokens, by the former requests. */
  readonly #brought = new Map<Exchange, Brought>();
  readonly #budgets: readonly Budget[];

  constructor(options: SpendingOptions<ResendOptions>, run: FormerRun, transport: Transport) {
    const { target, seed, signal } = options;
    const clock = steadyRunClock(options.clock ?? MACHINE_CLOCK);
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
      send: transport.send,
      pause: transport.pause,
      rateLimit: new RateLimiter(null, monotonic, pause),
      random: new SeededRandom(seed),
      stability: new Stability(),
      spend,
      recording: new Recording([], new Map()),
      runLog: null,
      machine: clock,
      monotonic,
      sleepUntil: async () => undefined,
      signal,
    });
    const hooks = spendHooks(
      { ...options, clock, suite: {} },
      target,
      metered ? this.#budgets : null,
      spend,
      () => this.#client.facts.refusedAreFree,
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
    const { baseUrl: former = '' } = this.#run.targetOf(exchange) ?? {};
    const bringers = await this.#open();
    for (const [at, origin] of bringers.entries()) {
      await clock.refresh();
      const label = { purpose: 'a token to send with it', wellFormed: true };
      const made = await this.#make(origin);
      const sentAtMs = clock.now();
      const answer = await made.send({ ...label, part: { number: at + 1 } });
      this.#brought.set(origin, { answer: answer as TokenAnswer, sentAtMs });
    }
    await clock.refresh();
    const made = await this.#make(exchange);
    const { exchange: id } = await made.send();
    await clock.reset();
    const all = evidence.exchanges;
    const now = all.find((one) => one.id === id) ?? exchange;
    const moved = former === target.baseUrl ? [] : [`address ${former} → ${target.baseUrl}`];
    return {
      now,
      former: exchange,
      before: all.filter((one) => one !== now && one.partnerId !== null),
      renewed: [...moved, ...made.renewed, ...clockWords(clock.leftAtMs)],
      kept: [...made.kept, 'all else'],
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

  /**
   * Makes a request again, with new tokens and auth codes. Where the age of a token matters, the clock is moved on
   * as it was between the former requests.
   *
   * @throws FareproofError `TOKEN_NOT_OBTAINED`, or `EXCHANGE_NOT_REPEATABLE` for a token whose age
   *   matters and that is valid for another time than the former one
   * @throws ConfigurationError `TOKEN_MISSING`
   */
  async #make(exchange: Exchange): Promise<MadeAgain> {
    const { clock, evidence } = this.#client;
    for (const one of anewOf(exchange)) {
      const origin = this.#run.originOf(one, exchange);
      const brought = origin && this.#brought.get(origin);
      if (brought && isAged(one, exchange, origin)) {
        if (one.is === 'access_token') requireSameLife(exchange, origin, brought.answer);
        await clock.moveTo(brought.sentAtMs + sentMs(exchange) - sentMs(origin));
      }
      if (this.#secrets.has(one.text) || (!origin && one.of === undefined)) continue;
      const secret = brought
        ? tokenIn(brought.answer, one, this.#client.target.baseUrl)
        : await this.#given(one, origin?.partnerId ?? one.of ?? '');
      evidence.redactor.add(one.is as SecretKind, secret);
      this.#secrets.set(one.text, secret);
    }
    const { baseUrl = '' } = this.#run.targetOf(exchange) ?? {};
    const session = this.#sessions.get(exchange.partnerId ?? '');
    if (!session) throw noPartner(exchange.partnerId ?? '');
    return makeAgain(exchange, baseUrl, session, {
      sessions: this.#sessions,
      secrets: this.#secrets,
    });
  }

  /** Auth code that is made for a partner, or secret of the profile. */
  async #given({ is }: Anew, former: string): Promise<string> {
    const session = this.#sessions.get(former);
    if (!session) throw noPartner(former);
    const { id } = session.partner;
    if (is === 'auth_code') {
      const code = await this.#pool.takeCode(session, 'user-1');
      if (code !== null) return code;
      const why = `partner ${id} has no unused auth code left in the profile`;
      throw new FareproofError('TOKEN_NOT_OBTAINED', why);
    }
    if (session.platformToken !== null) return session.platformToken;
    throw new ConfigurationError(
      'TOKEN_MISSING',
      `It was sent with the accessToken of a profile; add one to the partner ${id} of this one.`,
    );
  }

  /**
   * Opens a session for each partner that the exchange and its tokens had, after a look at what they may spend.
   *
   * @returns the requests that bring its tokens, in order
   */
  async #open(): Promise<readonly Exchange[]> {
    const { exchange, target } = this.#options;
    const { partnerId: own, otherPartner } = exchange;
    const isMetered = target.control === undefined;
    const first = isMetered ? standInsFor([own], target.partners).get(own ?? '') : undefined;
    const bringers = this.#run.bringersOf(
      exchange,
      // A token of the profile takes the place of an ordinary one.
      ({ is }, origin) =>
        is === 'access_token' &&
        first?.accessToken !== undefined &&
        origin.partnerId === own &&
        bringsPlain(origin),
    );
    const all = [...bringers, exchange];
    const needed = all.flatMap((one) => [
      one.partnerId,
      ...anewOf(one).flatMap(({ of = [] }) => of),
    ]);
    const formerIds = [own, ...needed, otherPartner ?? own];
    if (!isMetered) {
      for (const former of new Set(formerIds))
        this.#sessions.set(former ?? '', await this.#pool.fresh());
      return bringers;
    }
    const partners = [...standInsFor(formerIds, target.partners)];
    // All are within their allowances before the first of them spends.
    for (const [former, { id }] of partners) {
      const why = spentWhy(this.#budgetOf(id), former, all);
      if (why) throw this.#usedUp(why.words, id, why.isForGood);
    }
    for (const [former, partner] of partners) {
      const { unusedCodes } = this.#budgetOf(partner.id);
      this.#sessions.set(former, this.#pool.open(partner, unusedCodes));
    }
    return bringers;
  }

  #budgetOf(id: string): Budget {
    const budget = this.#budgets.find(({ partnerId }) => partnerId === id);
    if (!budget) throw this.#usedUp(`partner ${id} may be banned, by the ledger`, id);
    return budget;
  }

  #usedUp(why: string, partnerId: string, isForGood = false): FareproofError {
    const { target, ledger, serviceRestarted } = this.#options;
    const helps = whatHelps({
      startsAnew: startsAnew(target, serviceRestarted),
      wholeAgainMs: ledger?.wholeAgainMs(target.baseUrl, partnerId, this.#wall()) ?? 0,
      isForGood,
    });
    return usedUpError(`Nothing was sent: ${why}. What helps: ${helps}.`);
  }
}

/** @throws FareproofError `TOKEN_NOT_OBTAINED` */
function tokenIn(answer: TokenAnswer, { is }: Anew, baseUrl: string): string {
  const token = is === 'access_token' ? answer.accessToken : answer.refreshToken;
  if (token !== null) return token;
  const what = is === 'access_token' ? 'access token' : 'refresh_token';
  const shown = answer.outcome === 'refused' ? causeShownBy(refusingAnswer(answer), baseUrl) : null;
  const remedy = shown ? `. ${[shown.finding, shown.remedy].join(' ').trim()}` : '';
  throw new FareproofError(
    'TOKEN_NOT_OBTAINED',
    `no ${what} could be obtained to send with it: ${describeAnswer(answer)} (${answer.exchange})${remedy}`,
  );
}

function requireSameLife(exchange: Exchange, origin: Exchange, answer: TokenAnswer): void {
  const [former, now] = [lifeMsOf(origin), (answer.expiresInSeconds ?? 0) * 1000];
  if (former === now) return;
  throw notRepeatable(
    exchange,
    `the new access token is valid for ${now / 1000} s, the former one for ${(former ?? 0) / 1000} s`,
  );
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

function usedUpError(message: string): FareproofError {
  return new FareproofError('ALLOWANCE_USED_UP', message);
}

function notRepeatable({ id, purpose }: Exchange, reason: string): FareproofError {
  return new FareproofError(
    'EXCHANGE_NOT_REPEATABLE',
    `${id} (${purpose}) cannot be sent again as what it was: ${reason}. Nothing was sent. Check its rule again, which sends all of its requests anew.`,
  );
}
