import type { Anew, Exchange } from '../../../documents/exchange.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { causeShownBy } from '../../../interface/refusal-cause.ts';
import { sentMs } from '../../model/asked.ts';
import type { Caller, CheckContext } from '../contract/check.ts';
import {
  describeAnswer,
  type EstimateAnswer,
  refusingAnswer,
  type TokenAnswer,
} from '../contract/messages.ts';
import type { TargetPartner } from '../contract/target.ts';
import { rerunsOf } from './finding.ts';
import { anewOf, type FormerRun, isAged, lifeMsOf } from './former-run.ts';
import { type MadeAgain, makeAgain } from './made-again.ts';
import { noPartner } from './stand-ins.ts';

/** Requests of a replay. */
export interface Plan {
  readonly exchange: Exchange;
  /** Requests that bring its tokens, in order. */
  readonly bringers: readonly Exchange[];
  /** Partners that it and its tokens had, its own first. */
  readonly formerIds: readonly string[];
  readonly run: FormerRun;
  /** Partners of the profile that may take their places. */
  readonly partners: readonly TargetPartner[];
}

/** An exchange that was sent again. */
export interface Sent extends Pick<MadeAgain, 'renewed' | 'kept'> {
  /** Answer to it; it names the new exchange. */
  readonly answer: TokenAnswer | EstimateAnswer;
}

/**
 * Sends an exchange again, after the requests that bring its tokens.
 *
 * @throws FareproofError `TOKEN_NOT_OBTAINED`, `EXCHANGE_NOT_REPEATABLE` for a token whose age matters and that is
 *   valid for another time than the former one
 * @throws ConfigurationError `PARTNER_MISSING`, `TOKEN_MISSING`
 */
export async function sendAgain(ctx: CheckContext, plan: Plan): Promise<Sent> {
  const callers = new Map<string, Caller>();
  for (const former of plan.formerIds) {
    const caller = callers.size === 0 ? ctx : await ctx.otherPartner();
    if (!caller) throw noPartner(former);
    callers.set(former, caller);
  }
  const sending = new Sending(ctx, plan, callers);
  for (const bringer of plan.bringers) await sending.bring(bringer);
  const { renewed, kept, send } = await sending.make(plan.exchange);
  return { answer: await send(), renewed, kept };
}

class Sending {
  readonly #ctx: CheckContext;
  readonly #plan: Plan;
  /** By the former ids of their partners. */
  readonly #callers: ReadonlyMap<string, Caller>;
  /** Tokens and auth codes obtained, by the texts of the former ones. */
  readonly #secrets = new Map<string, string>();
  /** Answers to the requests that were sent for tokens, by the former requests. */
  readonly #brought = new Map<Exchange, TokenAnswer>();

  constructor(ctx: CheckContext, plan: Plan, callers: ReadonlyMap<string, Caller>) {
    this.#ctx = ctx;
    this.#plan = plan;
    this.#callers = callers;
  }

  /** Sends a request for the tokens that it brings. */
  async bring(origin: Exchange): Promise<void> {
    const { send } = await this.make(origin);
    const answer = await send({ purpose: 'a token to send with it', wellFormed: true });
    this.#brought.set(origin, answer as TokenAnswer);
  }

  /**
   * Makes a request again, with new tokens and auth codes. Where the age of a token matters, the clock is moved on
   * as it was between the former requests.
   */
  async make(exchange: Exchange): Promise<MadeAgain> {
    const { run } = this.#plan;
    for (const one of anewOf(exchange)) {
      const origin = run.originOf(one, exchange);
      const brought = origin && this.#brought.get(origin);
      if (brought && isAged(one, exchange, origin)) {
        if (one.is === 'access_token') requireSameLife(exchange, origin, brought, run);
        await this.#ctx.reach(brought.sentAtMs + sentMs(exchange) - sentMs(origin));
      }
      if (this.#secrets.has(one.text) || (!origin && one.of === undefined)) continue;
      const secret = brought
        ? tokenIn(brought, one, run.targetOf(exchange)?.baseUrl ?? '')
        : await this.#given(one, origin?.partnerId ?? one.of ?? '');
      this.#secrets.set(one.text, secret);
    }
    const { baseUrl = '' } = run.targetOf(exchange) ?? {};
    return makeAgain(exchange, baseUrl, this.#ctx, this.#callerOf(exchange.partnerId ?? ''), {
      callers: this.#callers,
      secrets: this.#secrets,
    });
  }

  /** Auth code that is made for a partner, or token of the profile. */
  async #given({ is }: Anew, former: string): Promise<string> {
    const caller = this.#callerOf(former);
    if (is === 'auth_code') return caller.authCode();
    const { accessToken } = this.#plan.partners.find(({ id }) => id === caller.id) ?? {};
    if (accessToken !== undefined) return accessToken;
    throw new ConfigurationError(
      'TOKEN_MISSING',
      `It was sent with the accessToken of a profile; add one to the partner ${caller.id} of this one.`,
    );
  }

  #callerOf(former: string): Caller {
    const caller = this.#callers.get(former);
    if (caller) return caller;
    throw noPartner(former);
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

function requireSameLife(
  exchange: Exchange,
  origin: Exchange,
  answer: TokenAnswer,
  run: FormerRun,
): void {
  const [former, now] = [lifeMsOf(origin), (answer.expiresInSeconds ?? 0) * 1000];
  if (former === now) return;
  throw notRepeatable(
    exchange,
    `the new access token is valid for ${now / 1000} s, the former one for ${(former ?? 0) / 1000} s`,
    run,
  );
}

/** Error for an exchange that cannot be sent again as what it was. */
export function notRepeatable(exchange: Exchange, reason: string, run: FormerRun): FareproofError {
  const { id, purpose } = exchange;
  const commands = rerunsOf(exchange, run);
  const remedy = commands.length === 0 ? '' : ` To judge its rule, run: ${commands.join('; ')}`;
  return new FareproofError(
    'EXCHANGE_NOT_REPEATABLE',
    `${id} (${purpose}) cannot be sent again as what it was: ${reason}. Nothing was sent.${remedy}`,
  );
}
