import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import { groupBy } from '../traffic/group-by.ts';
import { allowanceOf } from '../traffic/request-fields.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck } from './check.ts';

const DAY_MS = 86_400_000;

/** Daily allowances (interface.md, "Limits"). */
export const QUOTA_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/quota-platform',
    judge: (traffic) => judgeQuota(traffic, 'platform', 'platform token request'),
  },
  {
    rule: 'client/quota-user',
    judge: (traffic) => judgeQuota(traffic, 'user', 'user token request'),
  },
  {
    rule: 'client/quota-refresh',
    judge: (traffic) => judgeQuota(traffic, 'refresh', 'refresh'),
  },
];

function judgeQuota({ tokenRequests }: Traffic, kind: AllowanceKind, noun: string): CheckOutcome {
  const max = ALLOWANCE_PER_DAY[kind];
  const nouns = kind === 'refresh' ? 'refreshes' : `${noun}s`;
  const counted = tokenRequests.filter((request) => allowanceOf(request) === kind);
  const byDay = groupBy(
    counted,
    ({ receivedMs, authorization }) =>
      `${Math.floor(receivedMs / DAY_MS)} ${authorization.partnerId}`,
  );
  const violations = [...byDay.values()].flatMap((requests) => {
    const surplus = requests[max];
    const got = `${requests.length} in a day`;
    return surplus ? { exchange: surplus.id, expected: `at most ${max} ${nouns} a day`, got } : [];
  });
  return {
    violations,
    judged: counted.map(({ id }) => id),
    passed: `${counted.length} of at most ${max} ${nouns} a day`,
    missing: `no ${noun} was sent`,
  };
}
