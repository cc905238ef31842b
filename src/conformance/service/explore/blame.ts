import { ALLOWANCE_PER_DAY } from '../../../interface/limits.ts';
import { ALLOWS } from '../../model/allowance-causes.ts';
import { allowanceBreaches } from '../../model/allowances.ts';
import { tokenBreaches } from '../../model/tokens.ts';
import type { RequestStep, Step, Walk } from '../contract/walk.ts';
import { rowOf } from './rows.ts';
import type { Stage } from './stage.ts';
import type { Surprise } from './surprise.ts';

/**
 * Finds the rule that a surprise breaks. A right request that is refused is blamed on what it does differently
 * from one that is accepted: on what is left of its twists, or else of the steps before it.
 *
 * @param stage where the shrunk walk was played
 */
export function ruleOf(surprise: Surprise, { steps }: Walk, stage: Stage): string {
  const last = steps.at(-1);
  if (surprise.what !== 'refused' || !last || last.do === 'wait' || last.do === 'lock')
    return surprise.rule;
  if (last.twists.length > 0 || last.twice) return surprise.rule;
  const breaches = [...allowanceBreaches(stage.log), ...tokenBreaches(stage.log)];
  const breach = breaches.find(({ key }) => key === surprise.exchange);
  return (
    breach?.rule ?? byHistory(last, steps.slice(0, -1), stage) ?? byTwists(steps) ?? surprise.rule
  );
}

/** Rule of a twist of an earlier step, without which the last one is accepted. */
function byTwists(steps: readonly Step[]): string | undefined {
  const twisted = steps.findLast((step) => 'twists' in step && step.twists.length > 0);
  if (!twisted || !('twists' in twisted)) return undefined;
  return rowOf(twisted, twisted.twists.at(-1)?.name ?? '')?.rule;
}

function byHistory(last: RequestStep, before: readonly Step[], stage: Stage): string | undefined {
  const waits = before.some((step) => step.do === 'wait');
  const tokens = before.filter((step) => step.do === 'token' && step.id !== last.of);
  const source = stage.issued.get(last.of ?? -1);
  if (last.do === 'estimate') {
    if (source?.step.grant === 'refresh' && tokens.length <= 1)
      return waits ? 'lifecycle/expired-replaced-by-refresh' : undefined;
    if (waits) return 'lifecycle/access-token-valid-until-expiry';
    return tokens.length > 0 ? 'lifecycle/platform-tokens-coexist' : undefined;
  }
  if (last.grant === 'refresh' && waits && tokens.length === 0)
    return 'lifecycle/refresh-never-expires';
  const alike = tokens.filter((step) => step.do === 'token' && step.grant === last.grant);
  const own = alike.filter((step) => step.do === 'token' && step.partner === last.partner);
  if (own.length >= ALLOWANCE_PER_DAY[last.grant]) return waits ? 'quota/daily-reset' : undefined;
  if (own.length > 0) return ALLOWS[last.grant];
  if (alike.length > 0) return 'quota/per-partner';
  return tokens.length > 0 && last.grant !== 'refresh' ? 'quota/counters-independent' : undefined;
}
