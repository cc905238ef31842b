import { type Traffic, trafficOf } from '../traffic/traffic.ts';
import type { ClientCheck, Violation } from './check.ts';

/** A client that goes on after a lost answer, and breaks none of `others` for it. */
export function lostAnswerCheck(others: readonly ClientCheck[]): ClientCheck {
  return {
    rule: 'client/lost-answer-handled',
    judge: (traffic) => {
      const lost = traffic.requests.find(({ stimuli }) => stimuli.includes('lost-answer'));
      if (lost === undefined) {
        return { violations: [], judged: [], held: '', missing: lackingFor(traffic) };
      }
      const before = trafficOf(
        // By their order: the next request may come within the same millisecond.
        traffic.requests.slice(0, traffic.requests.indexOf(lost) + 1),
        traffic.scenario,
        traffic.complete,
      );
      const violations = others.flatMap(({ rule, judge }): Violation[] => {
        // What the client does wrong anyway has nothing to do with the lost answer.
        if (judge(before).violations.length > 0) return [];
        return judge(traffic)
          .violations.slice(0, 1)
          .map((violation) => ({
            ...violation,
            beside: [lost.id, ...(violation.beside ?? [])],
            got: `${violation.got} (${rule}), after the answer of ${lost.id} was lost`,
          }));
      });
      return {
        violations,
        judged: [lost.id],
        held: 'it goes on after a lost answer without breaking another rule',
        missing: '',
      };
    },
  };
}

function lackingFor({ scenario }: Traffic): string {
  const planned = scenario?.stimuli.find(({ kind }) => kind === 'lost-answer');
  return planned === undefined
    ? 'a scenario that brings it about was not run'
    : `${planned.waitsFor} was not sent`;
}
