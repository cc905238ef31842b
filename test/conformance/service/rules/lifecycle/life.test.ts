import { describe, expect, it } from 'vitest';
import { FULL_SUITE, type Suite } from '../../../../../src/conformance/index.ts';
import { judgeMetered, withVerdict } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;
const EXPIRES = 'lifecycle/access-token-expires';
const RULES = [
  'lifecycle/access-token-valid-until-expiry',
  EXPIRES,
  'lifecycle/expired-replaced-by-refresh',
];

const judge = async (broken: readonly string[], waits: boolean, suite: Suite = FULL_SUITE) => {
  const uses = ['general', 'general'] as const;
  const { result } = await judgeMetered(plain!, broken, uses, { only: RULES, waits, suite });
  return result;
};

describe('the life of a token of a metered partner', () => {
  it('is judged by a run that waits for its end', async () => {
    expect(withVerdict(await judge([], true), 'pass').toSorted()).toEqual(RULES.toSorted());
    expect(withVerdict(await judge([EXPIRES], true), 'fail')).toEqual([EXPIRES]);
  });

  it('takes a token of other checks, and one refresh', async () => {
    // The token that an estimate is sent with, and its refresh.
    const capped = { ...FULL_SUITE, tokenRequests: { most: 2 } };
    expect(withVerdict(await judge([], true, capped), 'pass').toSorted()).toEqual(RULES.toSorted());
    expect(withVerdict(await judge([EXPIRES], true, capped), 'fail')).toEqual([EXPIRES]);
  });

  it('is untestable otherwise, and the reason says how long tokens live', async () => {
    const { verdict, reason } = ruleOf(await judge([EXPIRES], false), EXPIRES);
    expect(verdict).toBe('untestable');
    expect(reason).toMatch(/^its tokens live \d+ s, and this run does not wait$/);
  });
});
