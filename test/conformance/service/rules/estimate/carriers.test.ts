import { describe, expect, it } from 'vitest';
import {
  judgeControlled,
  judgeMetered,
  withVerdict,
} from '../../../../independent-service/judge.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;
const LIMIT = { timeout: 120_000 };

describe('a rule on estimates that is broken in a part of them', () => {
  it.each([
    'estimate/departure-time-price#user-estimate',
    'estimate/imei-optional#express-demands',
    'estimate/map-type-optional#other-default',
    'auth/scope-public#user-estimate',
    'auth/token-of-partner#refreshed-token',
    'carpool/seat-sharing#one-in-five',
  ])('%s: is found', LIMIT, async (form) => {
    const rule = form.replace(/#.*/, '');
    const result = await judgeControlled(plain!, [form], { only: [rule] });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([rule]);
  });

  it.each(['auth/authorization-required#carpool', 'estimate/imei-optional#carpool'])(
    '%s: is found with metered partners',
    LIMIT,
    async (form) => {
      const rule = form.replace(/#.*/, '');
      const { result } = await judgeMetered(plain!, [form], ['general'], { only: [rule] });
      expect(withVerdict(result, 'fail')).toEqual([rule]);
    },
  );

  it('names how often, and over how many it judged', LIMIT, async () => {
    const only = ['carpool/seat-sharing', 'record/pay-type'];
    const { rules } = await judgeControlled(plain!, ['carpool/seat-sharing#one-in-five'], { only });
    const [payType, seats] = only.reverse().map((id) => rules.find((rule) => rule.id === id));
    expect(seats?.reason).toMatch(/\(in \d+ of \d+ records\)$/);
    expect(payType?.reason).toMatch(
      /in each of \d+ records \(\d\d plain, \d\d express, \d\d carpoolSeats, \d\d carpoolNoSeats, \d+ with a platform's header, \d+ with a user's\)/,
    );
  });
});
