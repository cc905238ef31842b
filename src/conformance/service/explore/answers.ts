import type { EstimateAnswer, TokenAnswer } from '../contract/messages.ts';
import type { Observation, Seen, SeenEstimate, SeenToken } from '../contract/observation.ts';
import type { RequestStep } from '../contract/walk.ts';
import { SERVICE_OBSERVATIONS } from '../rules/all.ts';
import { sameScopes } from '../rules/token/response.ts';
import { type Draft, grantOf } from './row.ts';
import type { Stage } from './stage.ts';

/** A rule that an answer breaks. */
interface Problem {
  readonly rule: string;
  readonly reason: string;
}

/** Those that need no more than one answer. */
const OF_ONE: readonly Observation[] = SERVICE_OBSERVATIONS.filter(({ overall }) => !overall);
const OF_TOKENS = OF_ONE.filter(({ from }) => !from.includes('estimate'));
const OF_ESTIMATES = OF_ONE.filter(({ from }) => from.includes('estimate'));

/** Rules of which the tokens before count too. */
const BY_ALL_TOKENS: ReadonlySet<string> = new Set(['lifecycle/refresh-rotates']);

/** Judges an accepted answer by the rules on what answers say; null where it keeps them. */
export function answerProblem(
  step: RequestStep,
  { draft, isRight }: { readonly draft: Draft; readonly isRight: boolean },
  answer: TokenAnswer | EstimateAnswer,
  stage: Stage,
): Problem | null {
  return 'records' in answer
    ? estimateProblem(step, draft, isRight, answer, stage)
    : tokenProblem(step, draft, answer, stage);
}

const firstOf = (
  observations: readonly Observation[],
  seenFor: (rule: string) => Omit<Seen, 'requests' | 'facts'>,
  { client, broken }: Stage,
): Problem | null => {
  const facts = { shapes: client.facts.shapes, metered: true };
  for (const { rule, judge } of observations) {
    if (broken.has(rule)) continue;
    const { verdict, reason } = judge({ requests: [], facts, ...seenFor(rule) });
    if (verdict === 'violated') return { rule, reason: `${reason}` };
  }
  return null;
};

function tokenProblem(
  step: RequestStep,
  { fields, session }: Draft,
  answer: TokenAnswer,
  stage: Stage,
): Problem | null {
  const seen: SeenToken = {
    answer,
    fields,
    partnerId: session.partner.id,
    isWellFormed: true,
    firstOfFresh: false,
    isRested: true,
  };
  stage.tokens.push(seen);
  const found = firstOf(
    OF_TOKENS,
    (rule) => ({ tokens: BY_ALL_TOKENS.has(rule) ? stage.tokens : [seen], estimates: [] }),
    stage,
  );
  if (found) return found;
  const { scope: asked } = fields;
  const echoed = (answer.json as Readonly<Record<string, unknown>> | null)?.['scope'];
  if (typeof asked !== 'string' || asked.trim() === '') return null;
  // The interface leaves open what a refresh grants that asks for more or less than its token had.
  const had =
    step.do === 'token' && step.of !== undefined ? stage.issued.get(step.of)?.scope : asked;
  const isOpen = grantOf(step) === 'refresh' && !sameScopes(had, asked);
  const isKnown = stage.broken.has('token/scope-echo');
  if (isOpen || isKnown || sameScopes(echoed, asked)) return null;
  return {
    rule: 'token/scope-echo',
    reason: `scope is ${JSON.stringify(echoed)} where "${asked}" was asked for`,
  };
}

function estimateProblem(
  _step: RequestStep,
  { fields, parts }: Draft,
  isRight: boolean,
  answer: EstimateAnswer,
  stage: Stage,
): Problem | null {
  const { as = 'platform', shape = null } = parts;
  const query = fields as Record<string, string>;
  const seen: SeenEstimate = { answer, query, shape, as };
  const found = firstOf(
    OF_ESTIMATES,
    () => ({ tokens: stage.tokens.slice(0, 1), estimates: [seen] }),
    stage,
  );
  if (found && (isRight || found.rule !== 'record/echoes-request')) return found;
  for (const { estimate_id: id } of answer.records) {
    if (typeof id !== 'string') continue;
    const earlier = stage.estimateIds.get(id);
    stage.estimateIds.set(id, answer.exchange);
    const isKnown = stage.broken.has('record/estimate-id-unique');
    if (earlier !== undefined && earlier !== answer.exchange && !isKnown)
      return {
        rule: 'record/estimate-id-unique',
        reason: `two records carry the estimate_id ${JSON.stringify(id)}`,
      };
  }
  return null;
}
