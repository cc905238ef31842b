import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import { allowanceOf, knewAnswer } from '../traffic/request-fields.ts';
import { processesOf, type Traffic } from '../traffic/traffic.ts';
import { type CheckOutcome, type ClientCheck, groupBy, type Violation } from './check.ts';

const DAY_MS = 86_400_000;

/** Daily allowances (interface.md, "Limits"). */
export const QUOTA_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/quota-platform', judge: (of) => judgeQuota(of, 'platform') },
  { rule: 'client/quota-user', judge: (of) => judgeQuota(of, 'user') },
  { rule: 'client/quota-refresh', judge: (of) => judgeQuota(of, 'refresh') },
];

function judgeQuota({ tokenRequests, scenario }: Traffic, kind: AllowanceKind): CheckOutcome {
  const max = ALLOWANCE_PER_DAY[kind];
  const [noun, nouns] =
    kind === 'refresh'
      ? ['refresh', 'refreshes']
      : [`${kind} token request`, `${kind} token requests`];
  // A process does not know how often others were refused.
  const isAlone = processesOf(scenario) === 1;
  const counted = tokenRequests.filter(
    (request) => allowanceOf(request) === kind && (isAlone || request.answer.status === 200),
  );
  const byDay = groupBy(
    counted,
    ({ receivedMs, authorization }) =>
      `${Math.floor(receivedMs / DAY_MS)} ${authorization.partnerId}`,
  );
  const violations = [...byDay.values()].flatMap((requests) => {
    const [surplus, ...more] = requests.slice(max);
    if (surplus === undefined) return [];
    return {
      exchange: surplus.id,
      related: more.map(({ id }) => id),
      expected: `at most ${max} ${nouns} a day`,
      got: `${requests.length} in a day`,
    };
  });
  return {
    violations,
    judged: counted.map(({ id }) => id),
    passed: `${counted.length} of at most ${max} ${nouns} a day`,
    missing: `no ${noun} was sent`,
  };
}

const REFUSALS_BEFORE_STOP = 3;
/** Requests in flight at most: more would use up a day's allowance. */
const MAX_IN_FLIGHT = ALLOWANCE_PER_DAY.platform;

/** The reaction to refused token requests (interface.md, "Limits"). */
export function judgeBan({ tokenRequests, scenario }: Traffic): CheckOutcome {
  const byPartner = groupBy(tokenRequests, ({ authorization }) => authorization.partnerId);
  const outcomes = [...byPartner.values()].map((requests) => judgeRefusals(requests, scenario));
  return {
    violations: outcomes.flatMap(({ violations }) => violations),
    judged: outcomes.flatMap(({ judged }) => judged),
    passed: 'the client stops requesting tokens once it is refused',
    missing: outcomes.some(({ isOpen }) => isOpen)
      ? 'the client may have asked again after the end of the scenario'
      : 'no token request was refused',
  };
}

function judgeRefusals(
  tokenRequests: readonly ParsedRequest[],
  scenario: ScenarioFrame | null,
): Pick<CheckOutcome, 'violations' | 'judged'> & { readonly isOpen: boolean } {
  const violations: Violation[] = [];
  const judged: string[] = [];
  const most = REFUSALS_BEFORE_STOP * processesOf(scenario);
  let refusals: ParsedRequest[] = [];
  for (const request of tokenRequests) {
    const known = refusals.filter(
      (refused, at) => knewAnswer(request, refused) || at < refusals.length - MAX_IN_FLIGHT,
    );
    if (known.length >= most) {
      violations.push({
        exchange: request.id,
        related: known.slice(-REFUSALS_BEFORE_STOP).map(({ id }) => id),
        expected: `no token request after ${REFUSALS_BEFORE_STOP} refused in a row`,
        got: `another one after ${known.length} refused in a row`,
      });
    }
    const { status, whole } = request.answer;
    if (status === 200 && whole) refusals = [];
    else if (whole) refusals.push(request);
    if (refusals.length >= REFUSALS_BEFORE_STOP) judged.push(request.id);
  }
  const pace = scenario && paceAtEnd(refusals, scenario);
  const [last] = refusals.slice(-1);
  if (pace === 'steady' && last && violations.length === 0) {
    violations.push({
      exchange: last.id,
      expected: `no token request after ${REFUSALS_BEFORE_STOP} refused in a row`,
      got: `one at a steady pace, ${refusals.length} refused in a row, until the scenario ended`,
    });
  }
  if (pace === 'open') return { violations, judged: [], isOpen: true };
  // A client that gives up after fewer refusals respects a ban too.
  judged.push(...refusals.map(({ id }) => id));
  return { violations, judged: [...new Set(judged)], isOpen: false };
}

/** Factor by which a pause may be longer than the one before at a steady pace. */
const STEADY_FACTOR = 1.5;
/** Factor by which a pause is longer than the one before if a client has stopped. */
const STOPPED_FACTOR = 3;

/**
 * Pace of a client when the time limit ended it: a steady one, with its next request still to
 * come; `open` if the next one may have been still to come; null if it had stopped.
 */
function paceAtEnd(
  refusals: readonly ParsedRequest[],
  { ended, endedMs }: ScenarioFrame,
): 'steady' | 'open' | null {
  if (ended !== 'time-limit') return null;
  const times = refusals.map(({ receivedMs }) => receivedMs);
  const pauses = times.slice(1).map((ms, at) => ms - (times[at] ?? ms));
  const [last, before] = pauses.toReversed();
  if (last === undefined) return null;
  const waited = endedMs - (times.at(-1) ?? endedMs);
  if (before !== undefined && last <= STEADY_FACTOR * before && waited <= last) return 'steady';
  return waited <= STOPPED_FACTOR * last ? 'open' : null;
}
