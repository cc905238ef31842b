import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import { ALLOWS } from '../../model/allowance-causes.ts';
import { allowanceBreaches } from '../../model/allowances.ts';
import { tokenBreaches } from '../../model/tokens.ts';
import type { RequestStep, Twist, Walk } from '../contract/walk.ts';
import { isOfSigning } from './row.ts';
import { rowOf } from './rows.ts';
import { DIGITS } from './signature-rows.ts';
import type { Stage, Surprise } from './stage.ts';

/** Plays a walk on fresh partners. */
type Plays = (walk: Walk) => Promise<Surprise | null>;

const isRequest = (step: Walk['steps'][number] | undefined): step is RequestStep =>
  step !== undefined && 'twists' in step;

/** A walk whose last step has other twists. */
function withTwists(walk: Walk, twistsOf: (twists: readonly Twist[]) => readonly Twist[]): Walk {
  const last = walk.steps.at(-1);
  if (!isRequest(last)) return walk;
  const other = { ...last, twists: twistsOf(last.twists) };
  return { ...walk, steps: [...walk.steps.slice(0, -1), other] };
}

/** The same walk with any other signature, where that is accepted as well: then no step of signing is to blame. */
export async function withAnySignature(walk: Walk, plays: Plays): Promise<Walk> {
  const last = walk.steps.at(-1);
  const twist = isRequest(last) ? last.twists.at(-1) : undefined;
  if (!isRequest(last) || !twist) return walk;
  const row = rowOf(last, twist.name);
  if (!row || !isOfSigning(row)) return walk;
  const other = withTwists(walk, (twists) => [
    ...twists.slice(0, -1),
    { ...twist, name: `with ${DIGITS}` },
  ]);
  return (await plays(other)) ? other : walk;
}

/**
 * Finds the rule that a surprise breaks. A right request that is refused is blamed on what it does differently
 * from one that is accepted: on what is left of its twists, or else of the steps before it.
 *
 * @param stage where the shrunk walk was played
 */
export async function ruleOf(
  surprise: Surprise,
  walk: Walk,
  stage: Stage,
  plays: Plays,
): Promise<string> {
  const { steps } = walk;
  const last = steps.at(-1);
  if (surprise.what !== 'refused' || !isRequest(last) || last.twists.length > 0 || last.twice)
    return surprise.rule;
  const breaches = [...allowanceBreaches(stage.log), ...tokenBreaches(stage.log)];
  const breach = breaches.find(({ key }) => key === surprise.exchange);
  const requests = steps.slice(0, -1).filter(isRequest);
  const waits = steps.some((step) => step.do === 'wait');
  const rule =
    breach?.rule ?? byHistory(last, requests, waits, stage) ?? byTwists(requests) ?? surprise.rule;
  if (!/^estimate\/(user|platform)$/.test(rule)) return rule;
  const { shapes } = stage.client.facts;
  if (!shapes.includes('plain') || !shapes.includes('express')) return rule;
  // Where another shape is accepted in its place, the plain one is to blame.
  const inOther = withTwists(walk, () => [{ name: 'in the shape express', seed: 0 }]);
  return (await plays(inOther)) ? rule : 'estimate/private-car';
}

/** Rule of a twist of an earlier step, without which the last one is accepted. */
function byTwists(before: readonly RequestStep[]): string | undefined {
  const twisted = before.findLast(({ twists }) => twists.length > 0);
  return twisted && rowOf(twisted, twisted.twists.at(-1)?.name ?? '')?.rule;
}

function byHistory(
  last: RequestStep,
  before: readonly RequestStep[],
  waits: boolean,
  stage: Stage,
): string | undefined {
  const tokens = before.filter((step) => step.do === 'token' && step.id !== last.of);
  if (last.do === 'estimate') {
    const isRefreshed = stage.issued.get(last.of)?.step.grant === 'refresh';
    if (isRefreshed && tokens.length <= 1)
      return waits ? 'lifecycle/expired-replaced-by-refresh' : undefined;
    if (!waits && tokens.length === 0) return undefined;
    return waits || last.as === 'user'
      ? 'lifecycle/access-token-valid-until-expiry'
      : 'lifecycle/platform-tokens-coexist';
  }
  const { grant, partner } = last;
  if (grant === 'refresh' && waits && tokens.length === 0) return 'lifecycle/refresh-never-expires';
  const alike = tokens.filter((step) => step.do === 'token' && step.grant === grant);
  const own = alike.filter((step) => step.partner === partner);
  if (own.length >= ALLOWANCE_PER_DAY[grant]) return waits ? 'quota/daily-reset' : undefined;
  if (own.length > 0) return ALLOWS[grant];
  if (alike.length > 0) return 'quota/per-partner';
  return tokens.length > 0 && grant !== 'refresh' ? 'quota/counters-independent' : undefined;
}
