import type { ParsedRequest, StimulusKind } from '../../../documents/parsed-request.ts';
import { sentAccessToken, sentRefreshToken } from '../traffic/request-fields.ts';
import { type Traffic, trafficOf } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';

/** Tolerance of failures and of unusual records (interface.md, "Errors" and "Estimate record"). */
export const RESILIENCE_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/failure-handled',
    judge: (traffic) => ({
      ...afterStimuli(
        traffic,
        'failure',
        'the client continues after failures and uses nothing of them',
      ),
      violations: traffic.requests.flatMap((failed) => usesOfFailure(traffic, failed)),
    }),
  },
  {
    rule: 'client/carpool-tolerated',
    judge: (traffic) =>
      afterStimuli(traffic, 'carpool', 'the client continues after carpool records of every shape'),
  },
  {
    rule: 'client/unknown-fields-tolerated',
    judge: (traffic) =>
      afterStimuli(traffic, 'unknown-fields', 'the client continues after unknown fields'),
  },
];

/**
 * A pass if each planned stimulus was given. That the client continued is judged for all scenarios
 * alike, by {@link ScenarioFrame.goesOnRule}.
 */
function afterStimuli({ scenario }: Traffic, kind: StimulusKind, passed: string): CheckOutcome {
  const planned = (scenario?.stimuli ?? []).filter((stimulus) => stimulus.kind === kind);
  const pending = planned.find(({ given }) => given === null);
  return {
    violations: [],
    judged: pending === undefined ? planned.flatMap(({ given }) => given ?? []) : [],
    passed,
    missing: missingStimulus(pending),
  };
}

/** The reason why a rule on a stimulus cannot be judged. */
function missingStimulus(pending: { readonly waitsFor: string } | undefined): string {
  return pending === undefined
    ? 'no scenario that tests it was run'
    : `the client did not send ${pending.waitsFor}`;
}

function usesOfFailure({ requests }: Traffic, failed: ParsedRequest): Violation[] {
  const { status, accessToken, refreshToken, estimateIds } = failed.answer;
  if (status === 200) return [];
  const later = requests.filter(
    ({ receivedMs, id }) => receivedMs >= failed.receivedMs && id !== failed.id,
  );
  const firstUse = (what: string, isUse: (request: ParsedRequest) => boolean): Violation | [] => {
    const use = later.find(isUse);
    if (use === undefined) return [];
    return {
      exchange: use.id,
      related: [failed.id],
      expected: `nothing of the answer with status ${status} is used`,
      got: `its ${what} is used`,
    };
  };
  return [
    firstUse('access_token', (one) => accessToken !== null && sentAccessToken(one) === accessToken),
    firstUse(
      'refresh_token',
      (one) => refreshToken !== null && sentRefreshToken(one) === refreshToken,
    ),
    firstUse('estimate_id', (one) => estimateIds.some((id) => contains(one, id))),
  ].flat();
}

function contains({ path, estimate, token }: ParsedRequest, text: string): boolean {
  const values = [
    path,
    ...Object.values(estimate?.parameters ?? {}),
    ...Object.values(token?.fields ?? {}),
  ];
  return values.some((value) => typeof value === 'string' && value.includes(text));
}

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
