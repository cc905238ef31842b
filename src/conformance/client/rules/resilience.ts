import type { ParsedRequest, StimulusKind } from '../traffic/parsed-request.ts';
import { sentAccessToken, sentRefreshToken, type Traffic } from '../traffic/traffic.ts';
import type { ClientCheck, ClientOutcome, Violation } from './check.ts';

/** How a client lives with what may come (interface.md, "Errors" and "Estimate record"). */
export const RESILIENCE_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/failure-handled',
    judge: (traffic) => ({
      ...afterStimuli(traffic, 'failure', 'it goes on after failures, and uses nothing of them'),
      violations: usesOfFailures(traffic),
    }),
  },
  {
    rule: 'client/carpool-tolerated',
    judge: (traffic) =>
      afterStimuli(traffic, 'carpool', 'it goes on after carpool records of every shape'),
  },
  {
    rule: 'client/unknown-fields-tolerated',
    judge: (traffic) =>
      afterStimuli(traffic, 'unknown-fields', 'it goes on after fields that it does not know'),
  },
];

/** Held where each of the scenario's stimuli was given; whether it then went on is judged for all. */
function afterStimuli({ scenario }: Traffic, kind: StimulusKind, held: string): ClientOutcome {
  const planned = (scenario?.stimuli ?? []).filter((stimulus) => stimulus.kind === kind);
  const waiting = planned.find(({ given }) => given === null);
  const given = planned.flatMap((stimulus) => (stimulus.given === null ? [] : [stimulus.given]));
  return {
    violations: [],
    judged: waiting === undefined ? given : [],
    held,
    missing:
      waiting === undefined
        ? 'a scenario that brings it about was not run'
        : `${waiting.waitsFor} was not sent`,
  };
}

function usesOfFailures({ requests }: Traffic): Violation[] {
  return requests.flatMap((failed) => {
    const { status, accessToken, refreshToken, estimateIds } = failed.answer;
    if (status === 200) return [];
    const later = requests.filter(
      ({ receivedMs, id }) => receivedMs >= failed.receivedMs && id !== failed.id,
    );
    const use = (what: string, request: ParsedRequest | undefined): Violation[] =>
      request === undefined
        ? []
        : [
            {
              exchange: request.id,
              beside: [failed.id],
              expected: `nothing of the answer with status ${status} is used`,
              got: `its ${what} is`,
            },
          ];
    return [
      ...use(
        'access_token',
        later.find((request) => accessToken !== null && sentAccessToken(request) === accessToken),
      ),
      ...use(
        'refresh_token',
        later.find(
          (request) => refreshToken !== null && sentRefreshToken(request) === refreshToken,
        ),
      ),
      ...use(
        'estimate_id',
        later.find((request) => estimateIds.some((id) => carries(request, id))),
      ),
    ];
  });
}

function carries({ path, estimate, token }: ParsedRequest, text: string): boolean {
  const values = [
    path,
    ...Object.values(estimate?.parameters ?? {}),
    ...Object.values(token?.fields ?? {}),
  ];
  return values.some((value) => typeof value === 'string' && value.includes(text));
}
