/** Requests in a minute that no target refuses for its rate. */
const FEW = 3;

const MINUTE_MS = 60_000;

/** Times of a request and of its answer, ms. */
export interface AnsweredRequest {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Answers of the last minute, by which a refusal for the rate of a target is told from others. */
export class RecentAnswers {
  #answeredAtMs: readonly number[] = [];

  /** Takes a request that was answered; true if fewer than three were answered in the minute up to its sending. */
  take({ sentAtMs, answeredAtMs }: AnsweredRequest): boolean {
    const recent = this.#answeredAtMs.filter((atMs) => sentAtMs - atMs < MINUTE_MS);
    this.#answeredAtMs = [...recent.slice(1 - FEW), answeredAtMs];
    return recent.length < FEW;
  }
}

/** Requests of a stored run that {@link RecentAnswers} called rested: those of all batches, in the order of their answers. */
export function restedAmong<T extends AnsweredRequest>(requests: readonly T[]): ReadonlySet<T> {
  const answers = new RecentAnswers();
  const inOrder = requests.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs);
  return new Set(inOrder.filter((one) => answers.take(one)));
}
