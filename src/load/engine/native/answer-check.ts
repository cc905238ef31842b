import { estimateResponseSchema } from '../../../interface/index.ts';
import type { LoadPlan } from '../../plan/plan.ts';
import { createRandom, type Random } from '../../seeded-random.ts';

/** Checks the shape of a share of the answers (interface.md, "Estimate record"). */
export class AnswerCheck {
  readonly #share: number;
  readonly #random: Random;

  constructor(plan: Pick<LoadPlan, 'validateShare' | 'seed'>, generator: number) {
    this.#share = plan.validateShare;
    this.#random = createRandom(plan.seed, `validate ${generator}`);
  }

  /** True if the next answer is to be checked. */
  wantsNext(): boolean {
    return this.#share > 0 && (this.#share >= 1 || this.#random() < this.#share);
  }

  /** @returns null if the body is an array of estimates, or the code of the failure */
  faultOf(body: Buffer): 'answer-not-json' | 'answer-shape' | null {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return 'answer-not-json';
    }
    return estimateResponseSchema.safeParse(value).success ? null : 'answer-shape';
  }
}
