import type { EstimateAnswer, Fields, TokenAnswer } from '../contract/messages.ts';
import type { Seen, SeenEstimate } from '../contract/observation.ts';
import type { RequestStep } from '../contract/walk.ts';
import { BESIDE_EARLIER, OF_ONE, seenToken } from '../rules/of-one-answer.ts';
import { fieldOf, sameScopes } from '../rules/token/response.ts';
import type { Draft } from './row.ts';
import type { Stage } from './stage.ts';

/** A rule that an answer breaks. */
interface Problem {
  readonly rule: string;
  readonly reason: string;
}

const OF_ESTIMATES = OF_ONE.filter(({ from }) => from.includes('estimate'));
const OF_TOKENS = OF_ONE.filter((one) => !OF_ESTIMATES.includes(one));

/** Judges an accepted answer by the rules on what answers say; null where it keeps them. */
export function answerProblem(
  step: RequestStep,
  { draft, isRight }: { readonly draft: Draft; readonly isRight: boolean },
  answer: TokenAnswer | EstimateAnswer,
  stage: Stage,
): Problem | null {
  const { tokens, estimates, client, broken } = stage;
  const facts = { shapes: client.facts.shapes, metered: true };
  const isEstimate = 'records' in answer;
  if (isEstimate) estimates.push(seenEstimate(draft, answer));
  else tokens.push(seenToken(draft.fields, draft.session.partner.id, answer));
  for (const { rule, judge } of isEstimate ? OF_ESTIMATES : OF_TOKENS) {
    if (broken.has(rule) || (!isRight && rule === 'record/echoes-request')) continue;
    const from = BESIDE_EARLIER.has(rule) ? 0 : -1;
    const seen: Seen = {
      requests: [],
      tokens: isEstimate ? tokens.slice(0, 1) : tokens.slice(from),
      estimates: isEstimate ? estimates.slice(from) : [],
      facts,
    };
    const { verdict, reason } = judge(seen);
    if (verdict === 'violated') return { rule, reason: `${reason}` };
  }
  return isEstimate ? null : scopeProblem(step, draft.fields, answer, stage);
}

const seenEstimate = ({ fields, parts }: Draft, answer: EstimateAnswer): SeenEstimate => ({
  answer,
  query: fields as Record<string, string>,
  shape: parts.shape ?? null,
  as: parts.as ?? 'platform',
});

function scopeProblem(
  step: RequestStep,
  { scope: asked }: Fields,
  answer: TokenAnswer,
  { issued, broken }: Stage,
): Problem | null {
  const rule = 'token/scope-echo';
  if (broken.has(rule) || typeof asked !== 'string' || asked.trim() === '') return null;
  // The interface leaves open what a refresh grants that asks for more or less than its token had.
  const source = step.of === undefined ? undefined : issued.get(step.of);
  if (source && !sameScopes(source.scope, asked)) return null;
  const echoed = fieldOf(answer, 'scope');
  if (sameScopes(echoed, asked)) return null;
  return { rule, reason: `scope is ${JSON.stringify(echoed)} where "${asked}" was asked for` };
}
