import type { Caller } from '../../contract/check.ts';
import type { Answer, TokenAnswer, TokenAttempt } from '../../contract/messages.ts';

/**
 * Sends token requests whose last bytes leave at the same moment.
 *
 * @param earlier an answer of the target, for the time that its connections take to open
 * @throws the error of the first request that could not be sent, such as `ALLOWANCE_GUARD`
 */
export async function atOnce(
  caller: Caller,
  attempts: readonly TokenAttempt[],
  earlier: Answer,
): Promise<TokenAnswer[]> {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const sent = attempts.map((attempt) => {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const answer = caller.token({ ...attempt, gate: { opened, arrive } });
    // One that is answered from a recording, or is not sent, never arrives by itself.
    answer.then(arrive, arrive);
    return { answer, arrived };
  });
  // Settled, so that a request that is not sent ends the check only once no other is under way.
  const racing = Promise.allSettled(sent.map(({ answer }) => answer));
  await Promise.all(sent.map(({ arrived }) => arrived));
  // Time for the connections to open; the gate holds back only each request's last byte.
  const connectMs = Math.max(0, earlier.answeredAtMs - earlier.sentAtMs);
  await caller.pause(20 + 3 * connectMs);
  open();
  const answers = (await racing).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return refusingOthers(answers);
}

/** A refusal may carry a token: where one answer has status 200, all others are refusals. */
function refusingOthers(answers: readonly TokenAnswer[]): TokenAnswer[] {
  const isAny = answers.some(({ status }) => status === 200);
  return answers.map((one) =>
    isAny && one.outcome === 'accepted' && one.status !== 200
      ? { ...one, outcome: 'refused' }
      : one,
  );
}
