import { type Judgement, pass, violated } from '../../../verdict.ts';
import type { CheckContext } from '../../contract/check.ts';
import { Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type EstimateAnswer } from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';
import { checkOnEach } from '../../contract/templates.ts';
import { pricesOf } from './price.ts';

const RULE = 'estimate/departure-time-price';

const STEP_SECONDS = 300;
const STEPS_PER_HOUR = 12;
const STEPS_PER_DAY = 288;

/** Hours of the day in an order that finds a difference early, whatever the hour it starts at. */
const HOURS = [
  0, 12, 6, 18, 3, 9, 15, 21, 1, 4, 7, 10, 13, 16, 19, 22, 2, 5, 8, 11, 14, 17, 20, 23,
];

/** Steps between two whole hours, those that most likely differ first. */
const BETWEEN = [6, 3, 9, 1, 2, 4, 5, 7, 8, 10, 11];

/** Share of a day's departures that must have a price before it counts as the same all day. */
const MOST_OF_A_DAY = 0.9;

/**
 * Number of tokens that the check may request to replace expired ones, within a fresh partner's
 * allowance.
 */
const MOST_RENEWALS = 4;

/** Asks at each hour of a day, and at every five minutes before it reports a violation. */
export const departureTimePrice = checkOnEach({
  rule: RULE,
  acceptance: 'read',
  baseRequest: 'estimate',
  run: async (ctx, { baseRequest, setting: { shape } }) => {
    const day = new DepartureDay(ctx, baseRequest === 'user-estimate' ? 'user' : 'platform', shape);
    await day.ask(HOURS.map((hour) => hour * STEPS_PER_HOUR));
    // Hundreds of requests, which one place sends once a rule is broken.
    if (!day.hasDifference)
      await ctx.alone(async () => {
        if (ctx.rests.confirmed.has(RULE))
          throw new Inconclusive(
            'the same price for departures an hour apart, and no more was asked',
          );
        await day.ask(day.stepsBetween());
        if (day.judge().verdict === 'violated') ctx.rests.confirmed.add(RULE);
      });
    return day.judge();
  },
});

/** The prices of departures over a day, in steps of five minutes from ten minutes from now on. */
class DepartureDay {
  readonly #ctx: CheckContext;
  readonly #as: 'platform' | 'user';
  readonly #shape: Shape | undefined;
  readonly #startSeconds: number;
  /** The first exchange with each price. */
  readonly #prices = new Map<string, string>();
  /** Steps that got a price. */
  readonly #priced = new Set<number>();
  #renewals = 0;

  constructor(ctx: CheckContext, as: 'platform' | 'user', shape: Shape | undefined) {
    this.#ctx = ctx;
    this.#as = as;
    this.#shape = shape;
    this.#startSeconds = Math.floor(ctx.now() / 1000) + 600;
  }

  get hasDifference(): boolean {
    return this.#prices.size > 1;
  }

  /**
   * Asks for departures until two prices differ.
   *
   * @throws Inconclusive if estimates are not accepted any more
   */
  async ask(steps: readonly number[]): Promise<void> {
    for (const step of steps) {
      const answer = await this.#priceAt(step);
      if (!answer) continue;
      this.#priced.add(step);
      const price = pricesOf(answer);
      if (price === null)
        throw new Inconclusive(
          'the estimates have no price to compare (see record/estimate-price)',
        );
      if (!this.#prices.has(price)) this.#prices.set(price, answer.exchange);
      if (this.hasDifference) return;
    }
  }

  /** Steps between the hours, where a departure is not too far off for this target. */
  stepsBetween(): number[] {
    const isNear = (hour: number): boolean =>
      hour === 0 || [hour, hour + 1].some((one) => this.#priced.has(one * STEPS_PER_HOUR));
    const hours = HOURS.filter(isNear);
    return BETWEEN.flatMap((between) => hours.map((hour) => hour * STEPS_PER_HOUR + between));
  }

  judge(): Judgement {
    const prices = [...this.#prices.keys()].join(' and ');
    if (this.hasDifference) {
      return pass(`the price differs between departures over a day (${prices})`, [
        ...this.#prices.values(),
      ]);
    }
    const { size } = this.#priced;
    if (size === 0) throw new Inconclusive('no departure over a day got an estimate');
    if (size < MOST_OF_A_DAY * STEPS_PER_DAY) {
      throw new Inconclusive(
        `the same price (${prices}) for the ${size} departures that got an estimate, of ${STEPS_PER_DAY} over a day; the others may differ`,
      );
    }
    const [exchange = ''] = this.#prices.values();
    return violated(
      'prices that differ between departures over a day',
      `the same price (${prices}) for ${size} departures over a day, five minutes apart`,
      exchange,
      [exchange],
    );
  }

  /** The answer for a departure; null if that departure gets no price. */
  async #priceAt(step: number): Promise<EstimateAnswer | null> {
    let answer = await this.#send(step);
    if (answer.outcome === 'refused') {
      const baseline = await this.#baseline();
      if (baseline.outcome !== 'refused') return null;
      if (!(await this.#renew())) throw this.#ended(baseline);
      answer = await this.#send(step);
    }
    if (answer.outcome === 'refused') {
      const baseline = await this.#baseline();
      if (baseline.outcome === 'refused') throw this.#ended(baseline);
    }
    return answer.outcome === 'accepted' && answer.records.length > 0 ? answer : null;
  }

  #send(step: number): Promise<EstimateAnswer> {
    const departure = this.#startSeconds + step * STEP_SECONDS;
    return this.#ctx.estimate({
      expects: 'either',
      purpose: `price for a departure ${10 + (step * STEP_SECONDS) / 60} minutes from now`,
      query: this.#ctx.query({ departure_time: String(departure) }),
      shape: this.#shape,
      wellFormed: true,
    });
  }

  #baseline(): Promise<EstimateAnswer> {
    return this.#ctx.estimate({
      purpose: 'baseline: an estimate without that departure',
      query: this.#ctx.query(),
      wellFormed: true,
    });
  }

  /** Replaces a token that may have expired; not where that costs an allowance. */
  async #renew(): Promise<boolean> {
    if (this.#ctx.facts.metered || ++this.#renewals > MOST_RENEWALS) return false;
    const purpose = 'a new token in place of one that is accepted no more';
    if (this.#as === 'platform')
      return (await this.#ctx.sendPlatform(purpose)).accessToken !== null;
    const fields = this.#ctx.exchange(await this.#ctx.authCode());
    return (await this.#ctx.token({ purpose, fields, wellFormed: true })).accessToken !== null;
  }

  #ended(baseline: EstimateAnswer): Inconclusive {
    const { size } = this.#priced;
    const before =
      size === 0
        ? ''
        : `after ${size} departures of the same price (${[...this.#prices.keys()].join()}) `;
    return new Inconclusive(
      `${before}the well-formed request beside them was not accepted (${describeAnswer(baseline)})`,
    );
  }
}
