import type { Caller, CheckContext } from '../../contract/check.ts';
import { answered, PendingUntil, Untestable } from '../../contract/judge.ts';
import type {
  Answer,
  EstimateAnswer,
  Fields,
  TokenAnswer,
  TokenAttempt,
} from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import { atOnce } from '../at-once.ts';
import { nextMidnight } from '../midnight.ts';
import { isMistake, withMistake } from '../mistakes.ts';
import type { Get, Step, Use } from './steps.ts';

/** Token that a script has, and how it came. */
interface Held {
  readonly answer: TokenAnswer;
  readonly caller: Caller;
  readonly isUser: boolean;
  readonly scope: string | undefined;
  /** Body by which its refresh_token was used; null before. */
  used: Fields | null;
}

/** Share of a token's life in which no clock that is some seconds off has ended it. */
const SAFE_SHARE = 0.5;

/** Requests that show why another was refused, at most, in one script. */
const MOST_COMPARED = 2;

/** Sends the steps of a script. What an answer means is for the model of tokens to say. */
export class TokenPlayer {
  /** Ids of the exchanges that it sent, and of the partners that it sent them as. */
  readonly sent: Set<string> = new Set();
  readonly partners: Set<string> = new Set();
  readonly #ctx: CheckContext;
  readonly #held = new Map<string, Held>();
  readonly #callers = new Map<string | undefined, Caller>();
  /** Tokens that need not come. */
  readonly #optional = new Set<string>();
  readonly #acceptedForms = new Set<string>();
  readonly #refusedShapes = new Set<Shape>();
  #last: Answer | null = null;
  #missing: string | null = null;
  #tooLate: string | null = null;
  #compared = 0;
  #isKnownTried = false;

  constructor(ctx: CheckContext) {
    this.#ctx = ctx;
    this.#callers.set(undefined, ctx);
  }

  /** The last answer; null before the first. */
  get last(): Answer | null {
    return this.#last;
  }

  /** Reason why some steps could not be sent; null if all were. */
  get missing(): string | null {
    return this.#missing;
  }

  /** Reason why a token was not used in its life; null for none. */
  get tooLate(): string | null {
    return this.#tooLate;
  }

  /** @throws Inconclusive, Untestable or PendingUntil where nothing more can be sent */
  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if ('get' in step) await this.#get(step);
      else if ('use' in step) await this.#use(step);
      else if ('atOnce' in step) await this.#getAtOnce(step.atOnce);
      else if ('useEarlier' in step) await this.#useEarlier();
      else if ('lend' in step) this.#lend(step.lend);
      else await this.#wait(step);
    }
  }

  async #wait(
    step: Extract<
      Step,
      { afterMs: number } | { endOf: string } | { lifeOf: string } | { zone: number }
    >,
  ) {
    const ctx = this.#ctx;
    if ('afterMs' in step) await ctx.reach((this.#last?.answeredAtMs ?? ctx.now()) + step.afterMs);
    else if ('zone' in step)
      await ctx.reach(nextMidnight(ctx.now(), step.zone) - step.beforeMidnightMs);
    else {
      const answer = this.#held.get('endOf' in step ? step.endOf : step.lifeOf)?.answer;
      const lifeMs = (answer?.expiresInSeconds ?? 0) * 1000;
      if (!answer || lifeMs === 0) {
        this.#missing ??= 'no token with expires_in_second could be had';
        return;
      }
      const atMs =
        'lifeOf' in step
          ? answer.sentAtMs + lifeMs * step.part
          : step.plusMs < 0
            ? answer.sentAtMs + lifeMs - Math.min(-step.plusMs, lifeMs / 4)
            : answer.answeredAtMs + lifeMs + step.plusMs;
      await this.#reachEnd(atMs, lifeMs);
    }
  }

  /** A run that is resumed later finds the token at its end only by chance. */
  async #reachEnd(atMs: number, lifeMs: number): Promise<void> {
    try {
      await this.#ctx.reach(atMs);
    } catch (error) {
      if (!(error instanceof PendingUntil)) throw error;
      throw new Untestable(
        `its tokens live ${lifeMs / 1000} s, and this run does not wait`,
        'a control API, or a run that waits',
      );
    }
  }

  async #get(step: Get): Promise<void> {
    const { from, expects = 'accepted' } = step;
    if (step.wrong !== undefined && !isMistake(this.#ctx, step.wrong)) return;
    if (expects === 'either') this.#optional.add(step.get);
    const attempt = await this.#attemptOf(step);
    if (!attempt) return;
    const { caller } = attempt;
    let answer = await this.#token(caller, attempt);
    if (answer.outcome === 'refused' && expects === 'accepted') {
      const again = { ...attempt, ...AGAIN, wellFormed: false, expects: 'either' } as const;
      answer = await this.#token(caller, again);
      if (answer.outcome === 'refused' && from !== undefined) await this.#compareRefresh(step);
    }
    if (answer.outcome === 'accepted' && expects !== 'refused') this.#hold(step, caller, answer);
    else if (expects === 'accepted') this.#missing ??= `${attempt.purpose} was not accepted`;
  }

  /** Token request of a step; null without the token that it needs. */
  async #attemptOf(step: Get): Promise<(TokenAttempt & { readonly caller: Caller }) | null> {
    const { get: name, from, of, scope, wrong, expects = 'accepted' } = step;
    const held = from === undefined ? undefined : this.#held.get(from);
    if (from !== undefined && !held) {
      if (!this.#optional.has(from)) this.#missing ??= `token '${from}' could not be had`;
      return null;
    }
    const caller = held?.caller ?? (await this.#callerOf(step.who));
    const changes = scope === undefined ? {} : { scope };
    const fieldsOf = async (): Promise<Fields> => {
      if (held) return caller.refresh(held.answer.refreshToken ?? '', changes);
      if (of !== 'user') return caller.platform(changes);
      return caller.exchange(await caller.authCode(), changes);
    };
    const fields = step.same && held?.used ? held.used : await fieldsOf();
    const isWrong = expects === 'refused';
    if (held && !isWrong) held.used ??= fields;
    const request = held ? `the refresh of token '${from}'` : `${of ?? 'platform'} token '${name}'`;
    const what = isWrong && held && !wrong ? `the used refresh_token of token '${from}'` : request;
    return {
      caller,
      purpose: `${isWrong ? 'negative: ' : ''}${what}${wrong ? `, with a wrong ${wrong}` : ''}`,
      ...withMistake(this.#ctx, wrong, fields),
      expects,
      wellFormed: expects === 'accepted',
    };
  }

  #hold({ get: name, from, of, scope }: Get, caller: Caller, answer: TokenAnswer): void {
    const parent = from === undefined ? undefined : this.#held.get(from);
    const isUser = of === 'user' || (parent?.isUser ?? false);
    if (answer.accessToken === null || answer.refreshToken === null)
      this.#missing ??= 'an answer had no access_token or no refresh_token';
    else this.#held.set(name, { answer, caller, isUser, scope, used: null });
  }

  async #getAtOnce(steps: readonly Get[]): Promise<void> {
    const attempts = [];
    for (const step of steps) {
      const attempt = await this.#attemptOf({ ...step, expects: 'either' });
      if (attempt) attempts.push(attempt);
    }
    const [first] = attempts;
    if (!first || !this.#last) return;
    const answers = await atOnce(first.caller, attempts, this.#last);
    for (const [at, answer] of answers.entries()) {
      this.#record(first.caller, answer);
      answered(answer, 'one of several requests sent at once');
      this.#optional.add(steps[at]!.get);
      if (answer.outcome === 'accepted') this.#hold(steps[at]!, first.caller, answer);
    }
    const [step] = steps;
    if (step?.from !== undefined && answers.every(({ outcome }) => outcome === 'refused'))
      await this.#compareRefresh(step);
  }

  /** Refreshes a new token of the same partner: that shows whether refreshes are refused anyway. */
  async #compareRefresh({ from = '' }: Get): Promise<void> {
    const held = this.#held.get(from);
    if (!held || this.#ctx.facts.metered || this.#compared++ >= MOST_COMPARED) return;
    const { caller } = held;
    const token = await this.#newToken(held);
    if (token.refreshToken === null) return;
    const purpose = 'baseline: the refresh of a new token';
    await this.#token(caller, {
      purpose,
      fields: caller.refresh(token.refreshToken),
      wellFormed: true,
    });
  }

  async #newToken({ isUser, scope, caller }: Held): Promise<TokenAnswer> {
    const changes = scope === undefined ? {} : { scope };
    const fields = isUser
      ? caller.exchange(await caller.authCode(), changes)
      : caller.platform(changes);
    return this.#token(caller, {
      purpose: 'a new token, to compare with',
      fields,
      wellFormed: true,
    });
  }

  async #use(step: Use): Promise<void> {
    const held = this.#held.get(step.use);
    const lifeMs = (held?.answer.expiresInSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    if (held && step.expects === undefined && this.#ctx.now() > held.answer.sentAtMs + lifeMs)
      this.#tooLate ??= `token '${step.use}' had expired before it could be used`;
    else if (held) await this.#useHeld(held, step);
    else if (!this.#optional.has(step.use))
      this.#missing ??= `token '${step.use}' could not be had`;
  }

  async #useHeld(held: Held, { use: name, expects = 'accepted', inShapes }: Use): Promise<void> {
    const own = held.isUser ? 'user' : 'platform';
    const headers =
      held.isUser && expects === 'refused' ? (['user', 'platform'] as const) : ([own] as const);
    const { shapes } = this.#ctx.facts;
    for (const as of headers) {
      for (const shape of inShapes && as === own ? [undefined, ...shapes] : [undefined]) {
        if (shape !== undefined && this.#refusedShapes.has(shape)) continue;
        const words = `token '${name}'${shape === undefined ? '' : `, shape ${shape}`}`;
        const estimate: Estimate = { held, as, shape };
        if (expects !== 'accepted') {
          const purpose = `${expects === 'refused' ? 'negative: ' : ''}an estimate with ${words}${expects === 'refused' ? ', which is no longer valid' : ''}`;
          const { outcome } = await this.#estimate(estimate, { purpose, expects });
          if (outcome === 'accepted' && expects === 'refused') await this.#tryUnknown(estimate);
          continue;
        }
        const purpose = `an estimate with ${words}`;
        const { outcome } = await this.#estimate(estimate, { purpose, wellFormed: true });
        const form = `${as} ${shape}`;
        if (outcome === 'accepted') this.#acceptedForms.add(form);
        else if (shape !== undefined && !this.#acceptedForms.has(form))
          this.#refusedShapes.add(shape);
        else if (outcome === 'refused') await this.#compareUse(estimate);
      }
    }
  }

  async #useEarlier(): Promise<void> {
    const ctx = this.#ctx;
    if (!ctx.facts.metered) return;
    const isYoung = ({ answeredAtMs, expiresInSeconds }: TokenAnswer): boolean =>
      ctx.now() < answeredAtMs + SAFE_SHARE * 1000 * (expiresInSeconds ?? 0);
    for (const answer of ctx.earlierPlatformTokens.filter(isYoung))
      await this.#useHeld(this.#heldOf(answer), { use: 'of another check' });
  }

  #lend(name: string): void {
    const newest = this.#ctx.earlierPlatformTokens.at(-1);
    if (newest) this.#held.set(name, this.#heldOf(newest));
  }

  /** A platform token of another check. */
  #heldOf(answer: TokenAnswer): Held {
    return { answer, caller: this.#ctx, isUser: false, scope: undefined, used: null };
  }

  /** Sends a refused estimate again after a rest, and then with another token. */
  async #compareUse(estimate: Estimate): Promise<void> {
    const { held } = estimate;
    const { outcome } = await this.#estimate(estimate, AGAIN);
    if (outcome === 'accepted' || this.#compared++ >= MOST_COMPARED) return;
    const others = [...this.#held.values()].filter(
      (one) => one !== held && one.isUser === held.isUser,
    );
    const answer = this.#ctx.facts.metered ? others.at(-1)?.answer : await this.#newToken(held);
    if (answer?.accessToken != null)
      await this.#estimate(
        { ...estimate, held: { ...held, answer } },
        { purpose: 'baseline: an estimate with another token', wellFormed: true },
      );
  }

  /** A service that has forgotten a token may treat it as one that was never issued. */
  async #tryUnknown(estimate: Estimate): Promise<void> {
    if (this.#isKnownTried) return;
    this.#isKnownTried = true;
    const accessToken = `never-issued-${this.#ctx.random.text(16)}`;
    const answer = { ...estimate.held.answer, accessToken };
    await this.#estimate(
      { ...estimate, held: { ...estimate.held, answer } },
      { purpose: 'an estimate with a token that was never issued, to compare with' },
    );
  }

  async #estimate(
    { held, as, shape }: Estimate,
    attempt: Pick<Parameters<Caller['estimate']>[0], 'purpose' | 'expects' | 'wellFormed' | 'rest'>,
  ): Promise<EstimateAnswer> {
    const query = this.#ctx.query({}, shape);
    const accessToken = held.answer.accessToken ?? '';
    return this.#record(
      held.caller,
      await held.caller.estimate({ ...attempt, query, accessToken, as, shape }),
    );
  }

  async #token(caller: Caller, attempt: TokenAttempt): Promise<TokenAnswer> {
    return answered(this.#record(caller, await caller.token(attempt)), attempt.purpose);
  }

  #record<A extends Answer>(caller: Caller, answer: A): A {
    this.#last = answer;
    this.sent.add(answer.exchange);
    this.partners.add(caller.id);
    return answer;
  }

  async #callerOf(who: string | undefined): Promise<Caller> {
    const known = this.#callers.get(who) ?? (await this.#ctx.freshPartner());
    this.#callers.set(who, known);
    return known;
  }
}

interface Estimate {
  readonly held: Held;
  readonly as: 'platform' | 'user';
  readonly shape: Shape | undefined;
}

const AGAIN = { purpose: 'the same after a rest, which may be refused', rest: 'second' } as const;
