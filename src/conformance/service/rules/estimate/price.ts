import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { EstimateAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';

const STEP_SECONDS = 300;
const STEPS_PER_HOUR = 12;
const STEPS_PER_DAY = 288;

/** Hours of the day in an order that finds a difference early, whatever the hour it starts at. */
const HOURS = [
  0, 12, 6, 18, 3, 9, 15, 21, 1, 4, 7, 10, 13, 16, 19, 22, 2, 5, 8, 11, 14, 17, 20, 23,
];

/** Steps between two whole hours, such as tell most first. */
const BETWEEN = [6, 3, 9, 1, 2, 4, 5, 7, 8, 10, 11];

/** So much of a day has to have a price before it is held for the same all day. */
const MOST_OF_A_DAY = 0.9;

/** Tokens that the check may ask for where those before expired; a fresh partner's allowance holds them. */
const MOST_RENEWALS = 5;

/** estimate/departure-time-price: each hour of a day, and each five minutes before it accuses. */
export const departureTimePrice: Check = {
  id: 'estimate/departure-time-price',
  rules: ['estimate/departure-time-price'],
  baseRequest: 'estimate',
  spends: () => ({}),
  run: async (ctx) => {
    const day = new DepartureDay(ctx);
    const hourly = await day.look(HOURS.map((hour) => hour * STEPS_PER_HOUR));
    return hourly ?? (await day.look(day.finer())) ?? day.sameAllDay();
  },
};

/** The prices of departures over a day, in steps of five minutes from ten minutes from now on. */
class DepartureDay {
  readonly #ctx: CheckContext;
  readonly #startSeconds: number;
  /** The first exchange with each price. */
  readonly #prices = new Map<string, string>();
  /** Steps that got a price. */
  readonly #priced = new Set<number>();
  #renewals = 0;

  constructor(ctx: CheckContext) {
    this.#ctx = ctx;
    this.#startSeconds = Math.floor(ctx.now() / 1000) + 600;
  }

  /** Asks for departures until two prices differ, or nothing is accepted any more; null for neither. */
  async look(steps: readonly number[]): Promise<Judgement | null> {
    for (const step of steps) {
      const answer = await this.#askOn(step);
      if (!answer) continue;
      if (answer.outcome === 'refused') return this.#ended(answer);
      this.#priced.add(step);
      const price = priceOf(answer);
      if (!this.#prices.has(price)) this.#prices.set(price, answer.exchange);
      if (this.#prices.size > 1) {
        return pass(
          `the price differs between departures over a day (${[...this.#prices.keys()].join(' and ')})`,
          [...this.#prices.values()],
        );
      }
    }
    return null;
  }

  /** Steps between the hours, where a departure is not too far off for this target. */
  finer(): number[] {
    const isNear = (hour: number): boolean =>
      hour === 0 || [hour, hour + 1].some((one) => this.#priced.has(one * STEPS_PER_HOUR));
    const hours = [...HOURS].filter(isNear);
    return BETWEEN.flatMap((between) => hours.map((hour) => hour * STEPS_PER_HOUR + between));
  }

  sameAllDay(): Judgement {
    const [[price, exchange] = ['', '']] = this.#prices;
    const { size } = this.#priced;
    if (size === 0) return inconclusive('no departure over a day got an estimate');
    if (size < MOST_OF_A_DAY * STEPS_PER_DAY) {
      return inconclusive(
        `the same price (${price}) for the ${size} departures that got an estimate, of ${STEPS_PER_DAY} over a day; whether the others differ cannot be told`,
      );
    }
    return violated(
      'prices that differ between departures over a day',
      `the same price (${price}) for ${size} departures over a day, five minutes apart`,
      exchange,
      [exchange],
    );
  }

  /** The answer to a departure; null where that one gets no price, a refusal where nothing does. */
  async #askOn(step: number): Promise<EstimateAnswer | null> {
    const first = await this.#ask(step);
    if (first.outcome !== 'refused') return withPrice(first);
    const control = await this.#control();
    if (control.outcome !== 'refused') return null;
    if (!(await this.#renew())) return control;
    const again = await this.#ask(step);
    if (again.outcome !== 'refused') return withPrice(again);
    const last = await this.#control();
    return last.outcome === 'refused' ? last : null;
  }

  #ask(step: number): Promise<EstimateAnswer> {
    const departure = this.#startSeconds + step * STEP_SECONDS;
    return this.#ctx.estimate({
      purpose: `price for a departure ${10 + (step * STEP_SECONDS) / 60} minutes from now`,
      query: this.#ctx.query({ departure_time: String(departure) }),
      wellFormed: true,
    });
  }

  #control(): Promise<EstimateAnswer> {
    return this.#ctx.estimate({
      purpose: 'baseline: an estimate without that departure',
      query: this.#ctx.query(),
      wellFormed: true,
    });
  }

  /** A token may expire before a day is looked at; where it costs an allowance it is not replaced. */
  async #renew(): Promise<boolean> {
    if (this.#ctx.facts.metered || ++this.#renewals > MOST_RENEWALS) return false;
    const renewed = await this.#ctx.token({
      purpose: 'a new token in place of one that is accepted no more',
      fields: this.#ctx.platform(),
      wellFormed: true,
    });
    return renewed.accessToken !== null;
  }

  #ended(control: EstimateAnswer): Judgement {
    const { size } = this.#priced;
    const before =
      size === 0
        ? ''
        : `after ${size} departures of the same price (${[...this.#prices.keys()].join()}) `;
    return inconclusive(
      `${before}the well-formed request beside them was not accepted (${describeAnswer(control)})`,
    );
  }
}

function withPrice(answer: EstimateAnswer): EstimateAnswer | null {
  return answer.outcome === 'accepted' && answer.records.length > 0 ? answer : null;
}

function priceOf(answer: EstimateAnswer): string {
  return answer.records.map((record) => String(record['estimate_price'])).join(',');
}
