import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import { type Answer, describeAnswer } from './answer.ts';
import type { Baseline } from './check.ts';

/** A request that must be refused, a description of what is wrong with it, and its answer. */
export interface Negative {
  readonly wrong: string;
  readonly answer: Answer;
}

/**
 * Judges requests that must be refused: they pass if each was refused between two accepted
 * baselines.
 *
 * @param tolerate true for an answer that is not a refusal but still follows the rule
 */
export function judgeRefusals(
  negatives: readonly Negative[],
  baseline: Baseline,
  tolerate?: (answer: Answer) => boolean,
): Judgement {
  const accepted = negatives.find(
    ({ answer }) => answer.outcome === 'accepted' && !tolerate?.(answer),
  );
  if (accepted) {
    return violated(
      `a refusal (any status but 200) of ${accepted.wrong}`,
      `${accepted.wrong} was accepted with status ${accepted.answer.status}`,
      accepted.answer.exchange,
    );
  }
  const broken = negatives.find(({ answer }) => answer.outcome === 'broken');
  if (broken) return inconclusive(`no answer to ${broken.wrong}: ${broken.answer.failure}`);
  const doubt = doubtBaseline(baseline);
  if (doubt !== null) return inconclusive(doubt);
  const statuses = [...new Set(negatives.map(({ answer }) => answer.status))].join(', ');
  return pass(
    `refused (${statuses}): ${negatives.map(({ wrong }) => wrong).join('; ')}; the same request without that was accepted`,
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
  if (answer.outcome === 'broken') return inconclusive(`no answer to ${right}: ${answer.failure}`);
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
    if (answer && answer.outcome !== 'accepted') {
      return `the well-formed request sent ${when} it was not accepted either (${describeAnswer(answer)}), so a refusal proves nothing`;
    }
  }
  return opening || closing ? null : 'no well-formed request could be sent to compare it with';
}
