import { estimateProblem } from '../../../answers/estimate-record.ts';
import { parseAsItCame } from '../../../answers/json-text.ts';
import type { LoadPlan } from '../../plan.ts';
import { type FaultSample, RAW_SAMPLE_LENGTH } from '../../record/fault-sample.ts';
import type { ShapeFault } from '../../record/recorder.ts';
import { createRandom, type Random } from '../../seeded-random.ts';

/** Checks the shape of a share of the answers (interface.md, "Estimate record"). */
export class AnswerCheck {
  readonly #share: number;
  readonly #random: Random;
  readonly #samples = new Map<ShapeFault, FaultSample>();
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
    const text = body.toString('utf8');
    let value: unknown;
    try {
      value = parseAsItCame(text);
    } catch {
      this.#sample('answer-not-json', text, 'The body is not JSON.');
      return 'answer-not-json';
    }
    const problem = estimateProblem(value);
    if (problem === null) return null;
    this.#sample('answer-shape', text, problem);
    return 'answer-shape';
  }

  /** The first answer of each fault. */
  get samples(): FaultSample[] {
    return [...this.#samples.values()];
  }

  #sample(fault: ShapeFault, text: string, problem: string): void {
    if (this.#samples.has(fault)) return;
    const body = text.slice(0, RAW_SAMPLE_LENGTH);
    this.#samples.set(fault, { fault, problem, body });
  }
}
