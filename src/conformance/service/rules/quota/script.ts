import { ALLOWANCE_PER_DAY, type AllowanceKind, LIMITS } from '../../../../interface/limits.ts';
import type { Caller, CheckContext } from '../../contract/check.ts';
import { answered, Inconclusive, Untestable } from '../../contract/judge.ts';
import type { Fields, TokenAnswer } from '../../contract/messages.ts';
import { atOnce } from '../at-once.ts';
import { isMistake, type Mistake, withMistake } from '../mistakes.ts';
import { clearOfMidnight, MARGIN_MS, METERED_SEQUENCE_MS, SEQUENCE_MS } from './day.ts';

const BAN_MS = LIMITS.banSeconds * 1000;

/** Time around a ban's end in which the clocks of both sides may disagree, ms. */
const LAST_MOMENT_MS = 2_000;

/** Partner of a script by its name; the check's own has none. */
export type Who = string | undefined;

/** Token requests of one kind. */
interface Requests {
  readonly kind: AllowanceKind;
  /** Number of requests; left out, one. */
  readonly count?: number | undefined;
  readonly who?: Who;
  /** Answer of a service that follows the rules: any other one ends the script. */
  readonly expects: 'accepted' | 'refused' | 'either';
  /** Chain of refreshes; left out, the first. With several, one after the other. */
  readonly chains?: readonly string[] | undefined;
  /** Scopes that are named in turn; null for none. */
  readonly scopes?: readonly (string | null)[] | undefined;
  readonly user?: string | undefined;
  /** True to send each after a minute's rest: then no limit of the rate refuses it. */
  readonly isRested?: true | undefined;
  /** True to send them at once. */
  readonly atOnce?: true | undefined;
  /** Mistake by which they are refused whatever is left of the allowance. */
  readonly wrong?: Mistake | undefined;
  /** True to end the script at a refusal, which is what it looks for. */
  readonly untilRefused?: true | undefined;
}

/** Token from which a chain of refreshes starts. */
interface Start {
  readonly chain: string;
  readonly who?: Who;
  readonly of?: 'platform' | 'user' | undefined;
  readonly scope?: string | undefined;
}

/** Step of a script: requests, or time that passes. */
export type Step =
  | Requests
  | Start
  /** Time from now on, ms. */
  | { readonly afterMs: number }
  /** Time from the first step on, ms. */
  | { readonly atMs: number }
  /** Time from the request that began the first ban on, ms. */
  | { readonly afterBanMs: number }
  /**
   * Time before the end of the first ban, ms, from which on `clearMs` lie within one day; after its end,
   * nothing can be shown.
   */
  | { readonly beforeBanEndsMs: number; readonly clearMs?: number | undefined };

const LONG_MS = 10 * 60_000;

/** Checks for a wait for another time of the day, which no sequence of requests contains. */
const isLong = (step: Step): boolean =>
  'atMs' in step || ('afterMs' in step && step.afterMs > LONG_MS);

/** State of one partner of a script. */
interface Role {
  readonly caller: Caller;
  readonly tokens: Map<string, string>;
}

/** Sends the steps of a script, until an answer is not what a service that follows the rules gives. */
export class Player {
  /** Ids of the exchanges that it sent. */
  readonly sent: Set<string> = new Set();
  readonly #ctx: CheckContext;
  readonly #roles = new Map<Who, Role>();
  #startMs: number | null = null;
  /** Target's time of the first refused request beyond an allowance, ms. */
  #banMs: { readonly sent: number; readonly answered: number } | null = null;
  #last: TokenAnswer | null = null;
  /** Outcome of the answer that ended the script; null for none. */
  #endedBy: TokenAnswer['outcome'] | null = null;
  readonly #rested: Caller | undefined;
  /** Platform tokens that its partner was granted before the script. */
  #granted: TokenAnswer[] = [];

  /**
   * @param rested partner to send as in place of the check's own, with a minute's rest before the first request
   *   beyond an allowance: then no limit of the rate refuses it
   */
  constructor(ctx: CheckContext, rested?: Caller) {
    this.#ctx = ctx;
    this.#rested = rested;
  }

  /** Target's time of the answer that began the first ban, ms; null for none. */
  get banMs(): number | null {
    return this.#banMs?.answered ?? null;
  }

  /** True if the script ended as a banned partner's request was accepted. */
  get sawBanEnd(): boolean {
    return this.#banMs !== null && this.#endedBy === 'accepted';
  }

  /** The last answer; null before the first. */
  get last(): TokenAnswer | null {
    return this.#last;
  }

  /**
   * Takes what the partner was granted before in place of as many requests. Once one was refused it may be banned,
   * and if it is, the script waits for the end of that.
   *
   * @throws PendingUntil where the run does not wait
   */
  async takeOver(): Promise<void> {
    const ctx = this.#ctx;
    const before = [...ctx.earlierAnswers];
    const last = before.at(-1);
    if (last?.outcome === 'refused') {
      const purpose = 'a platform token request, which a banned partner is refused';
      const answer = await ctx.token({ purpose, fields: ctx.platform(), expects: 'either' });
      if (answer.outcome !== 'accepted')
        return void (await ctx.reach(answer.answeredAtMs + BAN_MS + MARGIN_MS));
      before.push({ ...answer, isPlatform: true });
    }
    this.#granted = before.filter(
      ({ isPlatform, outcome }) => isPlatform && outcome === 'accepted',
    );
  }

  /**
   * Sends steps, one after the other.
   *
   * @throws Inconclusive, Untestable or PendingUntil where a step cannot be sent
   */
  async play(steps: readonly Step[]): Promise<void> {
    if (this.#startMs === null) await this.#clear(steps);
    this.#startMs ??= this.#ctx.now();
    for (const [at, step] of steps.entries()) {
      if (this.#endedBy !== null) return;
      if ('kind' in step) await this.#send(step);
      else if ('chain' in step) await this.#start(step);
      else {
        await this.#pass(step);
        if (isLong(step)) await this.#clear(steps.slice(at + 1));
      }
    }
  }

  /** Sends further steps although the script has ended: another ban is their first. */
  async playOn(steps: readonly Step[]): Promise<void> {
    this.#endedBy = null;
    this.#banMs = null;
    await this.play(steps);
  }

  async #pass(step: Exclude<Step, Requests | Start>): Promise<void> {
    const ctx = this.#ctx;
    // A resumed run waits for the same time.
    if ('afterMs' in step) await ctx.reach((this.#last?.answeredAtMs ?? ctx.now()) + step.afterMs);
    else if ('atMs' in step) await ctx.reach((this.#startMs ?? ctx.now()) + step.atMs);
    else {
      if (this.#banMs === null)
        throw new Inconclusive('no ban to watch: the request beyond the allowance was not refused');
      if ('afterBanMs' in step)
        return void (await ctx.reach(this.#banMs.answered + step.afterBanMs));
      const endsMs = this.#banMs.sent + BAN_MS;
      await ctx.reach(endsMs - step.beforeBanEndsMs);
      if (step.clearMs !== undefined) await clearOfMidnight(ctx, step.clearMs);
      if (ctx.now() <= endsMs - LAST_MOMENT_MS) return;
      throw new Untestable(
        `its 24 hours were over at ${new Date(endsMs).toISOString().slice(0, 19)}Z, before it was probed again`,
        'a new run that is resumed in time, or that waits',
      );
    }
  }

  /** Waits until what follows, up to the next long wait, lies on one day. */
  async #clear(steps: readonly Step[]): Promise<void> {
    const { hasControl } = this.#ctx.facts;
    const end = steps.findIndex(isLong);
    const waits = steps.slice(0, end === -1 ? undefined : end);
    const pausesMs = waits.reduce((sum, step) => sum + ('afterMs' in step ? step.afterMs : 0), 0);
    await clearOfMidnight(this.#ctx, pausesMs + (hasControl ? SEQUENCE_MS : METERED_SEQUENCE_MS));
  }

  async #start({ chain, who, of = 'platform', scope }: Start): Promise<void> {
    const { caller, tokens } = await this.#role(who);
    const changes = scope === undefined ? {} : { scope };
    const fields =
      of === 'user' ? caller.exchange(await caller.authCode(), changes) : caller.platform(changes);
    const purpose = `a ${of} token whose refresh_token is kept`;
    const answer = await this.#ask(caller, { purpose, fields, wellFormed: true });
    if (answer.refreshToken !== null) tokens.set(chain, answer.refreshToken);
    else {
      this.#endedBy = answer.outcome;
      if (answer.outcome === 'refused') await this.#again({ kind: of, who, expects: 'either' }, 1);
    }
  }

  async #send(step: Requests): Promise<void> {
    const { kind, count = 1, who, expects, wrong } = step;
    const { caller, tokens } = await this.#role(who);
    if (step.atOnce) return this.#race(step, caller);
    if (wrong !== undefined && !isMistake(this.#ctx, wrong)) return;
    const takesOver = kind === 'platform' && expects === 'accepted' && who === undefined;
    const taken = takesOver ? this.#granted.splice(0, count - 1) : [];
    for (const answer of taken) this.#note(answer);
    for (let number = taken.length + 1; number <= count; number++) {
      const chain = this.#chainOf(step, number);
      const fields = await this.#fieldsOf(step, number);
      const isBeyond = expects === 'refused' && wrong === undefined;
      const answer = await this.#ask(caller, {
        purpose: `${expects === 'refused' ? 'negative: ' : ''}${wordsOf(step, number)}`,
        ...withMistake(this.#ctx, wrong, fields),
        expects,
        wellFormed: expects === 'accepted',
        rest: step.isRested || (isBeyond && this.#needsRest) ? 'full-minute' : undefined,
      });
      if (answer.outcome === 'broken') answered(answer);
      const isAccepted = answer.outcome === 'accepted';
      if (isAccepted && kind === 'refresh') setToken(tokens, chain, answer.refreshToken);
      if (!isAccepted && isBeyond)
        this.#banMs ??= { sent: answer.sentAtMs, answered: answer.answeredAtMs };
      const isExpected = expects === 'either' || (expects === 'accepted') === isAccepted;
      if (isExpected && !(step.untilRefused && !isAccepted)) continue;
      this.#endedBy = answer.outcome;
      if (!isExpected && !isAccepted) await this.#again(step, number);
      return;
    }
  }

  /**
   * Sends a refused request again: a limit of the rate has room by then. A new chain shows whether refreshes are
   * refused for another reason, and another partner whether the allowance is granted by itself.
   */
  async #again(step: Requests, number: number): Promise<void> {
    const { kind, who } = step;
    const { caller, tokens } = await this.#role(who);
    const purpose = 'the same after a rest, which may be refused';
    const fields = await this.#fieldsOf(step, number);
    await this.#ask(caller, { purpose, fields, rest: 'full-minute' });
    if (!this.#ctx.facts.hasControl) return;
    if (kind === 'refresh' && tokens.size > 0) {
      const started = await this.#ask(caller, { ...A_TOKEN, fields: caller.platform() });
      if (started.refreshToken !== null)
        await this.#ask(caller, { ...A_TOKEN, fields: caller.refresh(started.refreshToken) });
    }
    const other = { kind, who: 'a partner that sends nothing else', expects: 'either' } as const;
    const role = await this.#role(other.who);
    if (kind === 'refresh') {
      const { refreshToken } = await this.#ask(role.caller, {
        ...A_TOKEN,
        fields: role.caller.platform(),
      });
      setToken(role.tokens, FIRST_CHAIN, refreshToken);
    }
    for (let sent = 1; sent <= ALLOWANCE_PER_DAY[kind]; sent++) {
      if (kind === 'refresh' && !role.tokens.has(FIRST_CHAIN)) return;
      const answer = await this.#ask(role.caller, {
        ...A_TOKEN,
        fields: await this.#fieldsOf(other, 1),
      });
      if (answer.outcome !== 'accepted') return;
      if (kind === 'refresh') setToken(role.tokens, FIRST_CHAIN, answer.refreshToken);
    }
  }

  get #needsRest(): boolean {
    return this.#rested !== undefined && this.#banMs === null;
  }

  async #race(step: Requests, caller: Caller): Promise<void> {
    const { kind, count = 1, expects } = step;
    const attempts: { purpose: string; fields: Fields; expects: typeof expects }[] = [];
    for (let number = 1; number <= count; number++)
      attempts.push({
        purpose: `${kind} token request ${number} of ${count} sent at once`,
        fields: await this.#fieldsOf(step, number),
        expects,
      });
    const earlier = this.#last;
    if (!earlier) throw new Inconclusive('nothing was sent before them');
    for (const answer of await atOnce(caller, attempts, earlier)) {
      this.sent.add(answer.exchange);
      this.#last = answered(answer);
    }
  }

  #chainOf({ chains = [FIRST_CHAIN] }: Requests, number: number): string {
    return chains[(number - 1) % chains.length] ?? FIRST_CHAIN;
  }

  async #fieldsOf(step: Requests, number: number): Promise<Fields> {
    const { kind, who, scopes, user } = step;
    const { caller, tokens } = await this.#role(who);
    const scope = scopes?.[(number - 1) % scopes.length] ?? null;
    const changes = scope === null ? {} : { scope };
    if (kind === 'platform') return caller.platform(changes);
    if (kind === 'user') return caller.exchange(await caller.authCode(user), changes);
    const token = tokens.get(this.#chainOf(step, number));
    if (token === undefined) throw new Inconclusive('no refresh_token was issued');
    return caller.refresh(token, changes);
  }

  async #ask(caller: Caller, attempt: Parameters<Caller['token']>[0]): Promise<TokenAnswer> {
    return this.#note(await caller.token(attempt));
  }

  #note(answer: TokenAnswer): TokenAnswer {
    this.#last = answer;
    this.sent.add(answer.exchange);
    return answer;
  }

  /** @throws Inconclusive where the target has no other partner */
  async #role(who: Who): Promise<Role> {
    const known = this.#roles.get(who);
    if (known) return known;
    const { facts } = this.#ctx;
    const caller =
      who === undefined
        ? (this.#rested ?? this.#ctx)
        : facts.hasControl
          ? await this.#ctx.freshPartner()
          : await this.#ctx.otherPartner();
    if (!caller) throw new Inconclusive('there is no second partner to compare with');
    const role = { caller, tokens: new Map<string, string>() };
    this.#roles.set(who, role);
    return role;
  }
}

const FIRST_CHAIN = 'first';

/** Request that shows why another one was refused. */
const A_TOKEN = { purpose: 'a token request to compare with, which may be refused' } as const;

function setToken(tokens: Map<string, string>, chain: string, token: string | null): void {
  if (token === null) tokens.delete(chain);
  else tokens.set(chain, token);
}

/** A request in words, such as `platform token request 3 of 10` or `a refresh token request of another partner`. */
function wordsOf({ kind, count = 1, expects, who, wrong }: Requests, number: number): string {
  const request = `${kind} token request`;
  return [
    count > 1 ? `${request} ${number} of ${count}` : `a ${request}`,
    ...(who === undefined ? [] : [`of ${who}`]),
    ...(wrong !== undefined
      ? [`with a wrong ${wrong}`]
      : expects === 'refused'
        ? [`beyond the ${ALLOWANCE_PER_DAY[kind]} of a day`]
        : []),
  ].join(' ');
}
