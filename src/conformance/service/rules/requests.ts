import { inconclusive, type Judgement, violated } from '../../verdict.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/answer.ts';
import { describeAnswer } from '../contract/answer.ts';
import type { Caller, CheckContext } from '../contract/context.ts';

/** A well-formed platform token request. */
export function platformToken(caller: Caller, purpose: string): Promise<TokenAnswer> {
  return caller.token({ purpose, fields: caller.platform(), wellFormed: true });
}

/** A well-formed refresh. */
export function refreshWith(
  caller: Caller,
  refreshToken: string,
  purpose: string,
  gate?: Promise<void>,
): Promise<TokenAnswer> {
  return caller.token({ purpose, fields: caller.refresh(refreshToken), wellFormed: true, gate });
}

/** A plain estimate with a given token. */
export function estimateWith(
  ctx: CheckContext,
  caller: Caller,
  accessToken: string,
  purpose: string,
): Promise<EstimateAnswer> {
  return caller.estimate({ purpose, query: ctx.query(), accessToken, wellFormed: true });
}

/** Why nothing can be judged where a token was to come. */
export function noToken(answer: TokenAnswer): Judgement {
  return inconclusive(`no refresh_token could be had (${describeAnswer(answer)})`);
}

/** A refusal is a violation only where what differs in that one thing is accepted. */
export function mustWork(
  answer: EstimateAnswer,
  controls: readonly EstimateAnswer[],
  what: string,
): Judgement {
  if (answer.outcome === 'broken') return inconclusive(`no answer to ${what}: ${answer.failure}`);
  const doubtful = controls.find(({ outcome }) => outcome !== 'accepted');
  if (doubtful)
    return inconclusive(
      `refused, but the control was not accepted either (${describeAnswer(doubtful)})`,
    );
  return violated(`status 200 for ${what}`, `status ${answer.status}`, answer.exchange);
}
