import type { ParsedRequest, StimulusKind } from '../../../documents/parsed-request.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { sentAccessToken, sentRefreshToken } from '../traffic/request-fields.ts';
import { type Traffic, trafficOf } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';

/** Tolerance of failures and of unusual records (interface.md, "Errors" and "Estimate record"). */
export const RESILIENCE_CHECKS: readonly ClientCheck[] = [
  continues('client/failure-handled', 'failure', 'failures and uses nothing of them', (traffic) =>
    traffic.requests.flatMap((failed) => usesOfFailure(traffic, failed)),
  ),
  continues('client/carpool-tolerated', 'carpool', 'carpool records of every shape'),
  continues('client/unknown-fields-tolerated', 'unknown-fields', 'unknown fields'),
];

/**
 * A pass if each planned stimulus was given. That the client continued is judged for all scenarios
 * alike, by {@link ScenarioFrame.goesOnRule}.
 */
function continues(
  rule: ClientRuleId,
  kind: StimulusKind,
  stimuli: string,
  violationsIn: (traffic: Traffic) => Violation[] = () => [],
): ClientCheck {
  const judge = (traffic: Traffic): CheckOutcome => ({
    violations: violationsIn(traffic),
    passed: `the client continues after ${stimuli}`,
    ...stimuliGiven(traffic, kind),
  });
  return { rule, judge };
}

/** The exchanges that the stimuli of a kind were given to, or the reason why a rule on them is open. */
function stimuliGiven(
  { scenario }: Traffic,
  kind: StimulusKind,
): Pick<CheckOutcome, 'judged' | 'missing'> {
  const judged: string[] = [];
  for (const { kind: planned, given, waitsFor } of scenario?.stimuli ?? []) {
    if (planned !== kind) continue;
    if (given === null) return { judged: [], missing: `the client did not send ${waitsFor}` };
    judged.push(given);
  }
  return { judged, missing: 'no scenario that tests it was run' };
}

function usesOfFailure({ requests }: Traffic, failed: ParsedRequest): Violation[] {
  const { status, accessToken, refreshToken, estimateIds } = failed.answer;
  if (status === 200) return [];
  const later = requests.filter(
    ({ receivedMs, id }) => receivedMs >= failed.receivedMs && id !== failed.id,
  );
  const uses: readonly (readonly [what: string, (request: ParsedRequest) => unknown])[] = [
    ['access_token', (one) => accessToken && sentAccessToken(one) === accessToken],
    ['refresh_token', (one) => refreshToken && sentRefreshToken(one) === refreshToken],
    ['estimate_id', (one) => estimateIds.some((id) => contains(one, id))],
  ];
  return uses.flatMap(([what, isUse]): Violation | [] => {
    const use = later.find(isUse);
    if (use === undefined) return [];
    return {
      exchange: use.id,
      related: [failed.id],
      expected: `nothing of the response with status ${status} is used`,
      got: `its ${what} is used`,
    };
  });
}

function contains({ path, estimate, token }: ParsedRequest, text: string): boolean {
  return [path, ...Object.values({ ...estimate?.parameters, ...token?.fields })].some(
    (value) => typeof value === 'string' && value.includes(text),
  );
}

/** The reaction to a lost answer, which must break none of `others` (interface.md, "Limits"). */
export function judgeLoss(traffic: Traffic, others: readonly ClientCheck[]): CheckOutcome {
  const { requests, scenario, complete, clockSetsMs } = traffic;
  const passed = 'the client continues after a lost response without breaking another rule';
  const lost = requests.find((one) => one.stimuli.includes('lost-answer') && sentRefreshToken(one));
  // The client has every token: nothing but its end can follow from the loss.
  if (lost === undefined) {
    return { violations: [], passed, ...stimuliGiven(traffic, 'lost-answer') };
  }
  // By position: the next request may arrive in the same millisecond.
  const before = trafficOf(requests.slice(0, requests.indexOf(lost) + 1), scenario, complete, {
    clockSetsMs,
  });
  const violations = others.flatMap(({ rule, judge }): Violation | [] => {
    // A rule that was broken before has nothing to do with the lost answer.
    if (judge(before).violations.length > 0) return [];
    const first = judge(traffic).violations.find(({ mayBeChance }) => !mayBeChance);
    return first === undefined
      ? []
      : {
          ...first,
          followsFrom: rule,
          related: [lost.id, ...(first.related ?? [])],
          got: `${first.got} (${rule}), after the response of ${lost.id} was lost`,
        };
  });
  return { violations, judged: [lost.id], passed, missing: '' };
}
