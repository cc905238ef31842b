import type { ConformanceDocument } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { type Budget, budgetsOf } from '../budget/budgets.ts';
import { allowancesOf, SpendCounter } from '../budget/spend-counter.ts';
import { factsOf, type Target } from '../contract/target.ts';
import type { Send } from '../http/message.ts';
import { openTransport } from '../http/transport.ts';
import type { CheckServiceOptions } from '../options.ts';
import { Recording } from '../resume/recording.ts';
import { spendHooks } from '../spend-hooks.ts';
import { Evidence } from '../target/evidence.ts';
import { PartnerPool } from '../target/partner-pool.ts';
import { pauseByTimer, RateLimiter } from '../target/rate-limit.ts';
import type { Session } from '../target/session.ts';
import { Stability } from '../target/stability.ts';
import { TargetClient } from '../target/target-client.ts';
import { FormerRun, isTokenRequest, sentMs } from './former-run.ts';
import { FormerTokens, type Needs } from './former-tokens.ts';
import { obstacleTo } from './obstacle.ts';
import { notRepeatable, prepareRequest, tokenBody } from './prepared-request.ts';
import { type RenewedRequest, renew } from './renewal.ts';

/** Options of sending an exchange again. */
export interface ResendOptions
  extends Pick<
    CheckServiceOptions,
    'target' | 'ledger' | 'wall' | 'monotonic' | 'timeoutMs' | 'seed' | 'signal'
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
export function resendObstacle(exchange: Exchange, run: StoredExchanges): string | null {
  const former = new FormerRun(run.exchanges, run.sites);
  return obstacleTo(former.find(exchange.id), former);
}

/** @throws FareproofError `EXCHANGE_NOT_REPEATABLE` for an exchange that cannot be sent again */
export function requireRepeatable(exchange: Exchange, run: StoredExchanges): void {
  const obstacle = resendObstacle(exchange, run);
  if (obstacle !== null) throw notRepeatable(exchange, obstacle);
}

/**
 * Sends a stored exchange again, signed and dated anew. Tokens that it used are obtained anew. Without a
 * control API it counts against a partner's allowances: nothing is sent where one would be exceeded.
 *
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE`, `ALLOWANCE_USED_UP`, `TOKEN_NOT_OBTAINED`,
 *   `TARGET_UNREACHABLE`, `INTERRUPTED` or `CONTROL_FAILED`
 * @throws ConfigurationError `PARTNER_MISSING` for a profile without a partner that can send it
 */
export async function resendExchange(options: ResendOptions): Promise<Resent> {
  const { exchange, run: stored, target, timeoutMs, signal } = options;
  requireRepeatable(exchange, stored);
  const run = new FormerRun(stored.exchanges, stored.sites);
  const transport = openTransport({ timeoutMs, tls: target.tls, signal });
  try {
    const found = { ...options, exchange: run.find(exchange.id) };
    return await new Resending(found, run, transport.send).send();
  } finally {
    await transport.close();
  }
}

class Resending {
  readonly #options: ResendOptions;
  readonly #run: FormerRun;
  readonly #client: TargetClient;
  readonly #pool: PartnerPool;
  readonly #budgets: readonly Budget[];

  constructor(options: ResendOptions, run: FormerRun, send: Send) {
    const { target, wall, monotonic, seed, signal } = options;
    this.#options = options;
    this.#run = run;
    const metered = target.control === undefined;
    const spend = new SpendCounter(wall, wall());
    this.#budgets = metered ? budgetsOf(target, { ...options, allowBan: false }) : [];
    this.#client = new TargetClient({
      target,
      facts: factsOf(target, { metered, asked: () => true, waits: false }),
      evidence: new Evidence(),
      send,
      rateLimit: new RateLimiter(null, monotonic, pauseByTimer(signal)),
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
      { ...options, suite: {} },
      target,
      metered ? this.#budgets : null,
      spend,
    );
    this.#pool = new PartnerPool(this.#client, hooks);
  }

  async send(): Promise<Resent> {
    const { exchange, target } = this.#options;
    const { evidence, clock, spend } = this.#client;
    requireHeaders(exchange, target);
    const session = await this.#open();
    // Nothing is spent on tokens for a request that cannot be rebuilt.
    prepareRequest(exchange, this.#renewed(session, new Map()), session);
    const own = target.partners.find(({ id }) => id === session.partner.id);
    const secrets = await new FormerTokens(this.#run, own ?? {}).obtain(
      exchange,
      session,
      this.#pool,
    );
    await clock.refresh();
    const renewed = this.#renewed(session, secrets);
    const id = await prepareRequest(exchange, renewed, session).send(secrets);
    const all = evidence.exchanges;
    const now = all.find((one) => one.id === id) ?? exchange;
    const spent = spend.of(session.partner.id);
    return {
      now,
      former: exchange,
      before: all.filter((one) => one !== now && one.partnerId !== null),
      renewed: [
        ...this.#placeWords(),
        ...renewed.renewed,
        ...this.#tokenWords(secrets),
        ...(exchange.signed ? ['signature'] : []),
      ],
      kept: [...renewed.kept, ...keptWords(exchange), 'all else'],
      spend: target.control ? null : spent,
    };
  }

  /** Opens the session of a fresh partner, of the same one as before, or of another general one. */
  async #open(): Promise<Session> {
    const { exchange, target } = this.#options;
    if (target.control) return this.#pool.fresh();
    const same = target.partners.find(({ id }) => id === exchange.partnerId);
    const partner = same ?? target.partners.find(({ use }) => use === 'general');
    if (!partner) throw noPartner(exchange);
    const budget = this.#budgets.find(({ partnerId }) => partnerId === partner.id);
    if (!budget) throw spentUp(`partner ${partner.id} may be banned, by the ledger`);
    this.#requireBudget(budget, new FormerTokens(this.#run, partner).needsOf(exchange));
    return this.#pool.open(partner, budget.unusedCodes);
  }

  /** Checks, before anything is sent, that all of it is within the allowances. */
  #requireBudget({ partnerId, left }: Budget, needs: Needs): void {
    const { exchange } = this.#options;
    const total = { ...needs };
    for (const kind of this.#chargedTo(exchange)) total[kind]++;
    for (const kind of ALLOWANCE_KINDS) {
      if (total[kind] <= left[kind]) continue;
      throw spentUp(
        `partner ${partnerId} has ${Math.max(0, left[kind])} of ${ALLOWANCE_PER_DAY[kind]} ${kind} requests left for today, and this needs ${total[kind]}`,
      );
    }
    if (total.codes > left.codes)
      throw spentUp(`partner ${partnerId} has no unused auth code left in the profile`);
  }

  #chargedTo(exchange: Exchange): ReturnType<typeof allowancesOf> {
    const { authorization = '' } = exchange.request.headers;
    if (!isTokenRequest(exchange) || !authorization.includes(exchange.partnerId ?? '')) return [];
    return allowancesOf(tokenBody(exchange.request.body ?? ''));
  }

  #renewed(session: Session, secrets: ReadonlyMap<string, string>): RenewedRequest {
    const { exchange } = this.#options;
    const sentAtMs = sentMs(exchange);
    return renew(exchange, this.#run.pathOf(exchange), {
      byMs: this.#client.clock.now() - sentAtMs,
      sentAtMs,
      nostr: this.#client.random.nostr(),
      partnerId: { former: exchange.partnerId ?? '', now: session.partner.id },
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

function noPartner({ partnerId }: Exchange): ConfigurationError {
  return new ConfigurationError(
    'PARTNER_MISSING',
    `The profile has neither the partner ${partnerId} that sent it, nor one with "use: general", nor a control API.`,
  );
}

function spentUp(why: string): FareproofError {
  return new FareproofError('ALLOWANCE_USED_UP', `Nothing was sent: ${why}.`);
}
