import type { Words } from '../../../documents/sealed.ts';
import { inconclusive, type Judgement, pass, untestable, violated } from '../../verdict.ts';
import type { Baseline } from './check.ts';
import { type Answer, describeAnswer } from './messages.ts';

/** Ends a check, or one of its findings, if its rule cannot be judged; the runner catches it. */
export class Undecided extends Error {
  readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    super(`${judgement.reason}`);
    this.judgement = judgement;
  }
}

/** Thrown if a precondition of a check failed, so that its answers would prove nothing. */
export class Inconclusive extends Undecided {
  constructor(reason: Words) {
    super(inconclusive(reason));
  }
}

/** Thrown if the profile or the suite lacks a requirement of the check. */
export class Untestable extends Undecided {
  constructor(reason: Words, remedy?: string) {
    super(untestable(reason, remedy));
  }
}

/** Thrown if the rest of a check needs a time that this run does not wait for. */
export class PendingUntil extends Undecided {
  /** @param untilMs since the epoch */
  constructor(untilMs: number) {
    // Whole seconds, rounded up so that the time has been reached by then.
    const until = `${new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
    const remedy = 'resume the run once the time of a pending rule has come, or let a run wait';
    super({ ...untestable(`pending until ${until}`, remedy), pendingUntil: until });
  }
}

/** Reason of a broken exchange. */
function brokenWords({ status, failure }: Answer, to?: string): string {
  const response = status === 0 ? 'no response' : `status ${status}`;
  return `${response}${to === undefined ? '' : ` to ${to}`}: ${failure}`;
}

/**
 * Returns the answer, if there is one.
 *
 * @param to the request, for the reason
 * @throws Inconclusive if the exchange broke
 */
export function answered<A extends Answer>(answer: A, to?: string): A {
  if (answer.outcome !== 'broken') return answer;
  throw new Inconclusive(brokenWords(answer, to));
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

/** Words for a frequency: `in 7 of 40 requests`. */
export function inSome(times: number, of: number, what: string): string {
  return `in ${times} of ${of} ${what}`;
}

/** A request that must be refused, a description of what is wrong with it, and its answer. */
export interface Negative {
  readonly wrong: string;
  readonly answer: Answer;
  /** True if the answer is no refusal but still follows the rule. */
  readonly isTolerated?: boolean | undefined;
}

/**
 * Judges requests that must be refused: they pass if each was refused between two accepted
 * baselines.
 */
export function judgeRefusals(negatives: readonly Negative[], baseline: Baseline): Judgement {
  const breaches = negatives.filter(
    ({ answer, isTolerated }) => answer.outcome === 'accepted' && !isTolerated,
  );
  const [breach] = breaches;
  if (breach) {
    const often =
      negatives.length > 1 ? ` (${inSome(breaches.length, negatives.length, 'requests')})` : '';
    return violated(
      `a refusal (any status but 200) of ${breach.wrong}`,
      `${breach.wrong} was accepted with status ${breach.answer.status}${often}`,
      breach.answer.exchange,
    );
  }
  const broken = negatives.find(({ answer }) => answer.outcome === 'broken');
  if (broken) return inconclusive(brokenWords(broken.answer, broken.wrong));
  const doubt = doubtBaseline(baseline);
  if (doubt !== null) return inconclusive(doubt);
  const statuses = [...new Set(negatives.map(({ answer }) => answer.status))].join(', ');
  return pass(
    `refused (${statuses}): ${[...new Set(negatives.map(({ wrong }) => wrong))].join('; ')}; the same request without that was accepted`,
  );
}

/** Judges one request that must be refused. */
export function refused(wrong: string, answer: Answer, baseline: Baseline): Judgement {
  return judgeRefusals([{ wrong, answer }], baseline);
}

/**
 * Judges one request that must succeed: a refusal is a violation only between accepted baselines.
 */
export function accepts(right: string, answer: Answer, baseline: Baseline): Judgement {
  if (answer.outcome === 'accepted') {
    const refusedOne = [baseline.opening, baseline.closing].find(
      (one) => one?.outcome === 'refused',
    );
    if (!refusedOne) return pass(`accepted: ${right}`);
    return inconclusive(`accepted, but the baseline was not (${describeAnswer(refusedOne)})`);
  }
  if (answer.outcome === 'broken') return inconclusive(brokenWords(answer, right));
  const doubt = doubtBaseline(baseline);
  if (doubt !== null) return inconclusive(`refused, but ${doubt}`);
  return violated(
    `status 200 for ${right}`,
    `${right} was refused with status ${answer.status}, while the request that it is compared with was accepted`,
    answer.exchange,
  );
}

/** Reason why a refusal with this baseline proves nothing; null if it does prove something. */
export function doubtBaseline({ opening, closing, problem }: Baseline): string | null {
  if (problem !== undefined) return `no well-formed request could be sent after it: ${problem}`;
  for (const [when, answer] of [
    ['before', opening],
    ['after', closing],
  ] as const) {
    if (answer && answer.outcome !== 'accepted')
      return `the well-formed request sent ${when} it was not accepted either (${describeAnswer(answer)}), so a refusal proves nothing`;
  }
  return opening || closing ? null : 'no well-formed request could be sent to compare it with';
}
