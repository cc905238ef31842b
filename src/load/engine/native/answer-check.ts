import type { LoadPlan } from '../../plan/plan.ts';
import type { ShapeFault } from '../../record/recorder.ts';
import { createRandom, type Random } from '../../seeded-random.ts';
import { isEstimateList } from './estimate-shape.ts';

/** Checks the shape of a share of the answers (interface.md, "Estimate record"). */
export class AnswerCheck {
  readonly #share: number;
  readonly #random: Random;
  #hasMeasured = false;

  constructor(plan: Pick<LoadPlan, 'validateShare' | 'seed'>, generator: number) {
    this.#share = plan.validateShare;
    this.#random = createRandom(plan.seed, `validate ${generator}`);
  }

  /**
   * True if the next answer is to be checked: a share of them, and in any case the first of the
   * measured window, since a short run may have no other.
   */
  wantsNext(isMeasured: boolean): boolean {
    if (this.#share === 0) return false;
    const isFirst = isMeasured && !this.#hasMeasured;
    this.#hasMeasured ||= isMeasured;
    return isFirst || this.#share >= 1 || this.#random() < this.#share;
  }

  /** @returns null if the body is an array of estimates, or the code of the failure */
  faultOf(body: Buffer): ShapeFault | null {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return 'answer-not-json';
    }
    return isEstimateList(value) ? null : 'answer-shape';
  }
}
