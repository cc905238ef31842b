import type { TokenAnswer } from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import { compareEstimate } from './comparisons.ts';
import type { Course, Estimate, Held } from './course.ts';
import type { Use } from './steps.ts';

/** Share of a token's life in which no clock that is some seconds off has ended it. */
const SAFE_SHARE = 0.5;

/** Estimates of a script. */
export class Estimates {
  readonly #course: Course;
  readonly #acceptedForms = new Set<string>();
  readonly #refusedShapes = new Set<Shape>();
  #isUnknownTried = false;

  constructor(course: Course) {
    this.#course = course;
  }

  /** Sends estimates with a token that the script has. */
  async use(held: Held, { use: name, expects = 'accepted', inShapes }: Use): Promise<void> {
    const { ctx } = this.#course;
    const { expiresInSeconds, sentAtMs } = held.answer;
    const lifeMs = (expiresInSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    if (expects === 'accepted' && ctx.now() > sentAtMs + lifeMs) {
      this.#course.tooLate ??= `token '${name}' had expired before it could be used`;
      return;
    }
    const own = held.isUser ? 'user' : 'platform';
    const headers =
      held.isUser && expects === 'refused' ? (['user', 'platform'] as const) : ([own] as const);
    for (const as of headers) {
      for (const shape of inShapes && as === own ? [undefined, ...ctx.facts.shapes] : [undefined]) {
        if (shape !== undefined && this.#refusedShapes.has(shape)) continue;
        const words = `an estimate with token '${name}'${shape === undefined ? '' : `, shape ${shape}`}`;
        if (expects === 'refused') await this.#refuse({ held, as, shape }, words);
        else await this.#accept({ held, as, shape }, words, expects);
      }
    }
  }

  /** Sends an estimate that may be accepted. */
  async #accept(
    estimate: Estimate,
    purpose: string,
    expects: 'accepted' | 'either',
  ): Promise<void> {
    const { as, shape } = estimate;
    const wellFormed = expects === 'accepted';
    const { outcome } = await this.#course.estimate(estimate, { purpose, expects, wellFormed });
    if (!wellFormed) return;
    const form = `${as} ${shape}`;
    if (outcome === 'accepted') this.#acceptedForms.add(form);
    else if (shape !== undefined && !this.#acceptedForms.has(form)) this.#refusedShapes.add(shape);
    else if (outcome === 'refused') await compareEstimate(this.#course, estimate);
  }

  /** Sends an estimate that must be refused. */
  async #refuse(estimate: Estimate, words: string): Promise<void> {
    const purpose = `negative: ${words}, which is no longer valid`;
    const { outcome } = await this.#course.estimate(estimate, { purpose, expects: 'refused' });
    if (outcome !== 'accepted' || this.#isUnknownTried) return;
    this.#isUnknownTried = true;
    // A service that has forgotten a token may treat it as one that was never issued.
    const { held } = estimate;
    const accessToken = `never-issued-${this.#course.ctx.random.text(16)}`;
    await this.#course.estimate(
      { ...estimate, held: { ...held, answer: { ...held.answer, accessToken } } },
      { purpose: 'an estimate with a token that was never issued, to compare with' },
    );
  }

  /** Sends estimates with the platform tokens of earlier checks of a metered partner. */
  async useEarlier(): Promise<void> {
    const { ctx } = this.#course;
    if (!ctx.facts.metered) return;
    const isYoung = ({ answeredAtMs, expiresInSeconds }: TokenAnswer): boolean =>
      ctx.now() < answeredAtMs + SAFE_SHARE * 1000 * (expiresInSeconds ?? 0);
    for (const answer of ctx.earlierPlatformTokens.filter(isYoung))
      await this.use(this.#lent(answer), { use: 'of another check' });
  }

  /** Takes the newest platform token of earlier checks. */
  lend(name: string): void {
    const newest = this.#course.ctx.earlierPlatformTokens.at(-1);
    if (newest) this.#course.tokens.set(name, this.#lent(newest));
  }

  #lent(answer: TokenAnswer): Held {
    return { answer, caller: this.#course.ctx, isUser: false, scope: undefined, used: null };
  }
}
