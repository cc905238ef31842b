import {
  ALLOWANCE_KINDS,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
} from '../../../interface/limits.ts';
import { groupBy } from '../traffic/group-by.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import { allowanceOf, knewAnswer, type Traffic } from '../traffic/traffic.ts';
import type { ClientCheck, ClientOutcome, Violation } from './check.ts';

const REFUSALS_BEFORE_STOP = 3;
/** More requests than this on their way at once would use up a day's allowance. */
const MOST_AT_ONCE = ALLOWANCE_PER_DAY.platform;

const WORDS: Readonly<Record<AllowanceKind, string>> = {
  platform: 'platform token requests',
  user: 'user token requests',
  refresh: 'refreshes',
};

/** How often a client asks for tokens (interface.md, "Limits"). */
export const QUOTA_CHECKS: readonly ClientCheck[] = [
  ...ALLOWANCE_KINDS.map(
    (kind): ClientCheck => ({
      rule: `client/quota-${kind}`,
      judge: (traffic) => judgeQuota(traffic, kind),
    }),
  ),
  { rule: 'client/ban-respected', judge: judgeBan },
];

function judgeQuota({ tokenRequests }: Traffic, kind: AllowanceKind): ClientOutcome {
  const most = ALLOWANCE_PER_DAY[kind];
  const asked = tokenRequests.filter((request) => allowanceOf(request) === kind);
  const byDay = groupBy(
    asked,
    ({ receivedMs, authorization }) =>
      `${Math.floor(receivedMs / 86_400_000)} ${authorization.partnerId}`,
  );
  const violations = [...byDay.values()].flatMap((requests): Violation[] => {
    const over = requests[most];
    if (over === undefined) return [];
    return [
      {
        exchange: over.id,
        expected: `at most ${most} ${WORDS[kind]} a day`,
        got: `${requests.length} in a day`,
      },
    ];
  });
  return {
    violations,
    judged: asked.map(({ id }) => id),
    held: `${asked.length} of at most ${most} ${WORDS[kind]} a day`,
    missing: `none of the ${WORDS[kind]} was sent`,
  };
}

function judgeBan({ tokenRequests }: Traffic): ClientOutcome {
  const byPartner = groupBy(tokenRequests, ({ authorization }) => authorization.partnerId);
  const outcomes = [...byPartner.values()].map(judgeRefusals);
  return {
    violations: outcomes.flatMap(({ violations }) => violations),
    judged: outcomes.flatMap(({ judged }) => judged),
    held: 'it stops asking once refused',
    missing: 'no token request was sent that could be refused',
  };
}

function judgeRefusals(
  tokenRequests: readonly ParsedRequest[],
): Pick<ClientOutcome, 'violations' | 'judged'> {
  const violations: Violation[] = [];
  const judged: string[] = [];
  let refusals: ParsedRequest[] = [];
  for (const request of tokenRequests) {
    const known = refusals.filter(
      (refused, at) => knewAnswer(request, refused) || at < refusals.length - MOST_AT_ONCE,
    );
    if (known.length >= REFUSALS_BEFORE_STOP) {
      violations.push({
        exchange: request.id,
        beside: known.slice(-REFUSALS_BEFORE_STOP).map(({ id }) => id),
        expected: `no token request after ${REFUSALS_BEFORE_STOP} refused in a row`,
        got: `another one after ${known.length} refused in a row`,
      });
    }
    const { status, whole } = request.answer;
    if (status === 200 && whole) refusals = [];
    else if (whole) refusals.push(request);
    if (refusals.length >= REFUSALS_BEFORE_STOP) judged.push(request.id);
  }
  // A client that gave up after fewer refusals respects a ban too.
  judged.push(...refusals.map(({ id }) => id));
  return { violations, judged: [...new Set(judged)] };
}
