import { FareproofError } from '../../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import type { Caller, CheckContext } from '../../contract/check.ts';
import { answered, Inconclusive } from '../../contract/judge.ts';
import {
  describeAnswer,
  type Rest,
  type TokenAnswer,
  type TokenAttempt,
} from '../../contract/messages.ts';
import { clearOfMidnight, DAY_MS, MARGIN_MS, METERED_SEQUENCE_MS, SEQUENCE_MS } from '../days.ts';
import { atOnce } from './at-once.ts';
import { AGAIN, compareRefresh, useUp } from './comparisons.ts';
import { bodyOf, Course } from './course.ts';
import { Estimates } from './estimates.ts';
import { isMistake, withMistake } from './mistakes.ts';
import { type Get, isOfAllowance, kindOf, type Step, type Use, wordsOf } from './steps.ts';
import { isLong, pass } from './waits.ts';

/** A token request, and the partner that sends it. */
type Request = TokenAttempt & { readonly caller: Caller };

/** Options of a {@link Player}. */
interface PlayerOptions {
  /**
   * True for a script that counts requests: it lies within days, and ends with an answer that a service which
   * follows the rules does not give. Other scripts skip the steps whose tokens they miss.
   */
  readonly isCounted: boolean;
  /**
   * Partner to send as in place of the check's own, with a minute's rest before the first request beyond an
   * allowance: then no rate limit refuses it.
   */
  readonly rested?: Caller;
}

/** Times that a request is sent again that a partner may send once only: a service may refuse some at random. */
const MOST_REPEATS = 2;

/** Codes of requests that were not sent, in this run or in a stored one. */
const NOT_SENT: readonly string[] = ['ALLOWANCE_GUARD', 'EXCHANGE_MISSING', 'REFRESH_TOKEN_USED'];

/**
 * Answer to a request; null where its partner's allowance is planned for other checks, or its token was used before,
 * and where a stored run did not send it for that.
 */
async function ifSent(answer: Promise<TokenAnswer>): Promise<TokenAnswer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FareproofError && NOT_SENT.includes(error.code)) return null;
    throw error;
  }
}

/** Sends the steps of a script. What an answer means is for a model to say. */
export class Player {
  readonly course: Course;
  readonly #options: PlayerOptions;
  readonly #estimates: Estimates;
  readonly #callers = new Map<string | undefined, Caller>();
  /** Tokens that need not come. */
  readonly #optional = new Set<string | null>();
  /** Platform tokens that its partner was granted before the script. */
  #granted: TokenAnswer[] = [];
  /** Outcome of the answer that ended the script; null for none. */
  #endedBy: TokenAnswer['outcome'] | null = null;
  /** Step that an allowance covers and that was refused; null for none. */
  #refused: { readonly step: Get; readonly request: Request; readonly status: number } | null =
    null;

  constructor(ctx: CheckContext, options: PlayerOptions) {
    this.course = new Course(ctx);
    this.#options = options;
    this.#estimates = new Estimates(this.course);
    this.#callers.set(undefined, options.rested ?? ctx);
  }

  /** True if the script ended as a banned partner's request was accepted. */
  get sawBanEnd(): boolean {
    return this.course.ban !== null && this.#endedBy === 'accepted';
  }

  /**
   * Takes what the partner was granted before in place of as many requests. Once one was refused it may be banned,
   * and if it is, the script waits for the end of that.
   *
   * @throws PendingUntil where the run does not wait
   */
  async takeOver(): Promise<void> {
    const { ctx } = this.course;
    const before = [...ctx.earlierAnswers];
    if (before.at(-1)?.outcome === 'refused') {
      const purpose = 'a platform token request, which a banned partner is refused';
      const answer = await ctx.token({ purpose, fields: ctx.platform(), expects: 'either' });
      if (answer.outcome !== 'accepted')
        return void (await ctx.reach(answer.answeredAtMs + DAY_MS + MARGIN_MS));
      before.push({ ...answer, isPlatform: true });
    }
    this.#granted = before.filter(
      ({ isPlatform, outcome }) => isPlatform && outcome === 'accepted',
    );
  }

  /** Takes a token that was granted before in place of a request, unless it is the last of an allowance. */
  #takes(step: Step, next: Step | undefined): boolean {
    const isNext = next !== undefined && isOfAllowance(next);
    const granted = isNext && isOfAllowance(step) ? this.#granted.shift() : undefined;
    if (granted) this.course.note(granted);
    return granted !== undefined;
  }

  /**
   * Sends steps, one after the other.
   *
   * @throws Inconclusive, Untestable or PendingUntil where nothing more can be sent
   */
  async play(steps: readonly Step[]): Promise<void> {
    const { course } = this;
    const { isCounted } = this.#options;
    if (course.startMs === null) await this.#clear(steps);
    course.startMs ??= course.ctx.now();
    for (const [at, step] of steps.entries()) {
      if (this.#endedBy !== null || (isCounted && course.missing !== null)) return;
      if (this.#takes(step, steps[at + 1])) continue;
      if ('get' in step) await this.#get(step);
      else if ('use' in step) await this.#use(step);
      else if ('atOnce' in step) await this.#getAtOnce(step.atOnce);
      else if ('useEarlier' in step) await this.#estimates.useEarlier();
      else if ('lend' in step) this.#estimates.lend(step.lend);
      else {
        await pass(step, course);
        if (isLong(step)) await this.#clear(steps.slice(at + 1));
      }
    }
  }

  /** True if a request that an allowance covers was refused. */
  get sawRefusal(): boolean {
    return this.#refused !== null;
  }

  /**
   * Compares a request that an allowance covers and that was refused with others of its partner. Without a control
   * API no other partner repeats it, so it is sent again.
   *
   * @param isRested true to send it again after a minute's rest
   */
  async compareRefused(isRested: boolean): Promise<void> {
    if (!this.#refused) return;
    const { course } = this;
    const { hasControl } = course.ctx.facts;
    const { step, request, status } = this.#refused;
    this.#refused = null;
    const { auth_code: authCode } = request.fields;
    const same = typeof authCode === 'string' ? { authCode } : {};
    const times = hasControl ? Number(isRested) : MOST_REPEATS;
    for (let repeat = 1; repeat <= times; repeat++) {
      const again = await this.#requestOf(step, same);
      const rest = isRested && repeat === 1 ? 'minute' : undefined;
      const answer = again && (await this.#sendAgain(again, rest));
      if (answer?.outcome !== 'accepted') continue;
      course.ctx.rests.passed.add(status);
      break;
    }
    if (hasControl && kindOf(step) === 'refresh') await useUp(course, request.caller, 'refresh', 1);
  }

  /** Sends further steps although the script has ended: another ban is their first. */
  async playOn(steps: readonly Step[]): Promise<void> {
    this.#endedBy = null;
    this.course.ban = null;
    await this.play(steps);
  }

  /** Waits until what follows, up to the next long wait, lies on one day. */
  async #clear(steps: readonly Step[]): Promise<void> {
    if (!this.#options.isCounted) return;
    const { ctx } = this.course;
    const waits = steps.flatMap((step) => ('since' in step ? [step] : []));
    const end = waits.findIndex(isLong);
    const pausesMs = waits
      .slice(0, end === -1 ? undefined : end)
      .reduce((sum, { since, plusMs }) => sum + (since === 'answer' ? plusMs : 0), 0);
    await clearOfMidnight(
      ctx,
      pausesMs + (ctx.facts.hasControl ? SEQUENCE_MS : METERED_SEQUENCE_MS),
    );
  }

  async #get(step: Get): Promise<void> {
    const { ctx } = this.course;
    const { get: name, expects = 'accepted', wrong, untilRefused } = step;
    if (wrong !== undefined && !isMistake(ctx, wrong)) return;
    if (expects === 'either') this.#optional.add(name);
    const request = await this.#requestOf(step);
    if (!request) return;
    const sent = this.course.token(request.caller, request);
    const answer = await (expects === 'either' ? ifSent(sent) : sent);
    if (!answer) return;
    const { outcome } = answer;
    const isRefused = outcome === 'refused';
    const isExpected = expects === 'either' || outcome === expects;
    if (isRefused && this.#isBeyond(step)) this.course.ban ??= answer;
    if (this.#options.isCounted && (!isExpected || (isRefused && untilRefused)))
      this.#endedBy = outcome;
    if (isExpected && !isRefused) this.#hold(step, request.caller, answer);
    else if (!isExpected && isRefused) await this.#getAgain(step, request, answer);
  }

  /** Sends a request again that was refused and must not be, and compares it with others. */
  async #getAgain(step: Get, request: Request, refused: TokenAnswer): Promise<void> {
    const { course } = this;
    const { caller, purpose } = request;
    if (this.#options.isCounted) {
      const kind = kindOf(step);
      this.#refused = { step, request, status: refused.status };
      if (!course.ctx.facts.hasControl) return;
      return useUp(course, await course.ctx.freshPartner(), kind, ALLOWANCE_PER_DAY[kind]);
    }
    const answer = await this.#sendAgain(request);
    if (answer?.outcome === 'accepted') return this.#hold(step, caller, answer);
    course.miss(`${purpose} was not accepted (${describeAnswer(refused)})`);
    await this.#compareRefresh(step);
  }

  /** Sends a request again after a rest. */
  #sendAgain({ caller, ...request }: Request, rest?: Rest): Promise<TokenAnswer | null> {
    return ifSent(this.course.ask(caller, { ...request, ...AGAIN, ...(rest && { rest }) }));
  }

  async #compareRefresh({ from = '' }: Get): Promise<void> {
    const held = this.course.tokens.get(from);
    if (held && !this.#options.isCounted) await compareRefresh(this.course, held);
  }

  async #getAtOnce(steps: readonly Get[]): Promise<void> {
    const { course } = this;
    const requests: Request[] = [];
    for (const step of steps) {
      const request = await this.#requestOf({ ...step, expects: 'either' });
      if (request) requests.push(request);
    }
    const [first] = requests;
    if (!first || !course.last) return;
    const { caller } = first;
    const answers = await atOnce(caller, requests, course.last);
    for (const [at, answer] of answers.entries()) {
      answered(course.note(answer), 'one of several requests sent at once');
      this.#optional.add(steps[at]!.get);
      if (answer.outcome === 'accepted') this.#hold(steps[at]!, caller, answer);
    }
    if (answers.every(({ outcome }) => outcome === 'refused'))
      await this.#compareRefresh(steps[0]!);
  }

  async #use(step: Use): Promise<void> {
    const held = this.course.tokens.get(step.use);
    if (held?.answer.accessToken != null) await this.#estimates.use(held, step);
    else if (!this.#optional.has(step.use))
      this.course.miss(`token '${step.use}' could not be had`);
  }

  /** Token request of a step; null without the token that it needs. */
  async #requestOf(step: Get, more: { readonly authCode?: string } = {}): Promise<Request | null> {
    const { course } = this;
    const { from, wrong, expects = 'accepted' } = step;
    const held = course.tokens.get(from ?? '');
    if (from !== undefined && !held) {
      if (!this.#optional.has(from)) course.miss(`token '${from}' could not be had`);
      return null;
    }
    const caller = held?.caller ?? (await this.#callerOf(step.who));
    const { refreshToken = null } = held?.answer ?? {};
    const fields =
      (step.same && held?.used) ||
      (await bodyOf(caller, kindOf(step), { ...step, ...more, refreshToken }));
    if (held && expects !== 'refused') held.used ??= fields;
    const isRested =
      step.isRested || (this.#options.rested && this.#isBeyond(step) && course.ban === null);
    return {
      caller,
      purpose: wordsOf(step),
      ...withMistake(course.ctx, wrong, fields),
      expects,
      wellFormed: expects === 'accepted',
      rest: isRested ? 'minute' : undefined,
    };
  }

  #isBeyond({ expects, wrong }: Get): boolean {
    return this.#options.isCounted && expects === 'refused' && wrong === undefined;
  }

  #hold({ get: name, from = '', of, scope }: Get, caller: Caller, answer: TokenAnswer): void {
    const { tokens } = this.course;
    if (name === null) return;
    if (answer.refreshToken === null) {
      this.course.miss('a response had no refresh_token');
      return void tokens.delete(name);
    }
    const isUser = of === 'user' || (tokens.get(from)?.isUser ?? false);
    tokens.set(name, { answer, caller, isUser, scope, used: null });
  }

  /** @throws Inconclusive where the target has no other partner */
  async #callerOf(who: string | undefined): Promise<Caller> {
    const { ctx } = this.course;
    const known = this.#callers.get(who);
    const caller =
      known ?? (ctx.facts.hasControl ? await ctx.freshPartner() : await ctx.otherPartner());
    if (!caller) throw new Inconclusive('there is no second partner to compare with');
    this.#callers.set(who, caller);
    return caller;
  }
}
