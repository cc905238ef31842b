import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import { type Answer, describeAnswer } from './answer.ts';

/** Ends a check, or one of its findings, if its rule cannot be judged; the runner catches it. */
export class Undecided extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super(judgement.reason);
    this.judgement = judgement;
  }
}

/** Thrown if a precondition of a check failed, so that its answers would prove nothing. */
export class Inconclusive extends Undecided {
  constructor(reason: string) {
    super(inconclusive(reason));
  }
}

/** Thrown if the profile or the suite lacks a requirement of the check. */
export class Untestable extends Undecided {
  constructor(reason: string, remedy?: string) {
    super(untestable(reason, remedy));
  }
}

/** Thrown if the rest of a check needs a time that this run does not wait for. */
export class PendingUntil extends Undecided {
  /** @param untilMs since the epoch */
  constructor(untilMs: number) {
    // Whole seconds, rounded up so that the time has been reached by then.
    const until = `${new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
    const remedy = '`check --resume DIR` after that, or `check --wait`';
    super({ ...untestable(`pending until ${until}`, remedy), pendingUntil: until });
  }
}

/**
 * Returns the answer, if there is one.
 *
 * @param to the request, for the reason
 * @throws Inconclusive if the exchange broke
 */
export function answered<A extends Answer>(answer: A, to?: string): A {
  if (answer.outcome !== 'broken') return answer;
  throw new Inconclusive(`no answer${to === undefined ? '' : ` to ${to}`}: ${answer.failure}`);
}

/**
 * Returns the answer, if it is a success.
 *
 * @param reason why nothing can be judged otherwise; the answer is added to it
 * @throws Inconclusive if it was refused or broke
 */
export function accepted<A extends Answer>(answer: A, reason: string): A {
  if (answer.outcome === 'accepted') return answer;
  throw new Inconclusive(`${reason} (${describeAnswer(answer)})`);
}
