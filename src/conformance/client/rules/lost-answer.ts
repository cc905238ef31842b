import { type Traffic, trafficOf } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';
import { missingStimulus } from './resilience.ts';

/** The reaction to a lost answer, which must break none of `others` (interface.md, "Limits"). */
export function lostAnswerCheck(others: readonly ClientCheck[]): ClientCheck {
  return { rule: 'client/lost-answer-handled', judge: (traffic) => judgeLoss(traffic, others) };
}

function judgeLoss(traffic: Traffic, others: readonly ClientCheck[]): CheckOutcome {
  const { requests, scenario, complete } = traffic;
  const lost = requests.find(({ stimuli }) => stimuli.includes('lost-answer'));
  const passed = 'the client continues after a lost answer without breaking another rule';
  if (lost === undefined) {
    const planned = scenario?.stimuli.find(({ kind }) => kind === 'lost-answer');
    return { violations: [], judged: [], passed, missing: missingStimulus(planned) };
  }
  // By position: the next request may arrive in the same millisecond.
  const before = trafficOf(requests.slice(0, requests.indexOf(lost) + 1), scenario, complete);
  const violations = others.flatMap(({ rule, judge }): Violation | [] => {
    // A rule that was broken before has nothing to do with the lost answer.
    if (judge(before).violations.length > 0) return [];
    const [first] = judge(traffic).violations;
    return first === undefined
      ? []
      : {
          ...first,
          related: [lost.id, ...(first.related ?? [])],
          got: `${first.got} (${rule}), after the answer of ${lost.id} was lost`,
        };
  });
  return { violations, judged: [lost.id], passed, missing: '' };
}
