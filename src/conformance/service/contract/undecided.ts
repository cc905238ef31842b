import { inconclusive, type Judgement, untestable } from '../../verdict.ts';
import { type Answer, describeAnswer } from './answer.ts';

/** Ends a check, or one of its findings, where its rule cannot be judged; the runner catches it. */
export class Undecided extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super(judgement.reason);
    this.judgement = judgement;
  }
}

/** Thrown where a precondition of a check failed, so that an answer would say nothing of its rule. */
export class Inconclusive extends Undecided {
  constructor(reason: string) {
    super(inconclusive(reason));
  }
}

/** Thrown where the profile or the suite lacks what a check needs. */
export class Untestable extends Undecided {
  constructor(reason: string, remedy?: string) {
    super(untestable(reason, remedy));
  }
}

/** Thrown where the rest of a check has to wait for a time that this run does not wait for. */
export class PendingUntil extends Undecided {
  /** @param untilMs since the epoch */
  constructor(untilMs: number) {
    // Whole seconds, rounded up so that the time has come by then.
    const until = `${new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
    const remedy = '`check --resume DIR` after that, or `check --wait`';
    super({ ...untestable(`pending until ${until}`, remedy), pendingUntil: until });
  }
}

/**
 * The answer, if one came at all.
 *
 * @param to what was asked, for the reason
 * @throws Inconclusive where the exchange broke
 */
export function answered<A extends Answer>(answer: A, to?: string): A {
  if (answer.outcome !== 'broken') return answer;
  throw new Inconclusive(`no answer${to === undefined ? '' : ` to ${to}`}: ${answer.failure}`);
}

/**
 * The answer, if it is a success.
 *
 * @param reason why nothing can be judged without it; what came instead is added
 * @throws Inconclusive where it was refused, or broke
 */
export function accepted<A extends Answer>(answer: A, reason: string): A {
  if (answer.outcome === 'accepted') return answer;
  throw new Inconclusive(`${reason} (${describeAnswer(answer)})`);
}
