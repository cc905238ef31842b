import { describe, expect, it } from 'vitest';
import {
  judgeControlled,
  judgeMetered,
  withVerdict,
} from '../../../../independent-service/judge.ts';
import { STYLES } from '../../../../independent-service/style.ts';
import { expectSameAgain } from '../../recheck/same-again.ts';

const [plain, strict] = STYLES;
const LIMIT = { timeout: 120_000 };
const LONG = { ...LIMIT, tags: ['long'] };

const RULES = [
  ['imei', 'estimate/imei-optional'],
  ['map_type', 'estimate/map-type-optional'],
  ['departure_time', 'estimate/departure-time'],
] as const;

describe('a parameter that may be left out', () => {
  const accusation = (name: string): string =>
    `an estimate request without ${name} was refused with status 400, the same request with it accepted (refused in 5 of 5 requests`;

  it.each(RULES)(
    '%s is demanded: that rule fails, and all others on estimates are judged',
    LONG,
    async (name, rule) => {
      const only = ['estimate/*', 'record/*', 'lock/*', 'auth/*'];
      const result = await judgeControlled(plain!, [`${name} is demanded`], { only });
      expect(withVerdict(result, 'fail', 'warn')).toEqual([rule]);
      expect(withVerdict(result, 'inconclusive', 'untestable')).toEqual([]);
      expect(result.rules.find(({ id }) => id === rule)?.reason).toContain(accusation(name));
    },
  );

  it('all three are required at once, also when the run is judged again', LONG, async () => {
    const broken = RULES.map(([name]) => `${name} is demanded`);
    const result = await judgeControlled(strict!, broken);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(RULES.map(([, rule]) => rule));
    expect(withVerdict(result, 'inconclusive')).toEqual([]);
    await expectSameAgain(result);
  });

  it('one is required of metered partners: the others are judged too', LONG, async () => {
    const six = Array.from({ length: 6 }, () => 'general' as const);
    const { result } = await judgeMetered(plain!, ['imei is demanded'], six);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(['estimate/imei-optional']);
    expect(withVerdict(result, 'inconclusive')).toEqual([]);
  });

  it('none is accused if no estimate request is answered', LIMIT, async () => {
    const result = await judgeControlled(plain!, ['estimate/platform', 'estimate/user'], {
      only: RULES.map(([, rule]) => rule),
    });
    expect(withVerdict(result, 'fail', 'warn', 'pass')).toEqual([]);
    expect(withVerdict(result, 'inconclusive')).toEqual(RULES.map(([, rule]) => rule));
  });
});

describe('the price of a departure', () => {
  const only = ['estimate/departure-time-price'];
  const [rule] = only;

  it.each([0, 7, 26, 33, 58])(
    'is seen to differ in half an hour of a day, %i minutes past the hour',
    LIMIT,
    async (past) => {
      const style = { ...plain!, dearMinutes: [8 * 60, 8 * 60 + 30] as const };
      const startMs = Date.UTC(2026, 6, 8, 10, past);
      const { result } = await judgeMetered(style, [], ['general'], { only, startMs });
      expect(withVerdict(result, 'pass')).toEqual(only);
    },
  );

  it('is seen to differ if departures are accepted only some hours ahead', {
    ...LIMIT,
    tags: ['long'],
  }, async () => {
    const style = {
      ...plain!,
      aheadMinutes: 180,
      dearMinutes: [11 * 60 + 15, 11 * 60 + 25] as const,
    };
    const { result } = await judgeMetered(style, [], ['general'], { only });
    expect(withVerdict(result, 'pass')).toEqual(only);
  });

  it('cannot be told where the same price holds for the few hours that are accepted', {
    ...LIMIT,
    tags: ['long'],
  }, async () => {
    const style = { ...plain!, aheadMinutes: 180, dearMinutes: [1, 2] as const };
    const { result } = await judgeMetered(style, [], ['general'], { only });
    const judged = result.rules.find(({ id }) => id === rule);
    expect(judged?.verdict).toBe('inconclusive');
    expect(judged?.reason).toMatch(/^the same price \(3000\) for the 3[45] departures/);
  });

  it('fails where it is the same all day, and not where the token ends before that is known', {
    ...LIMIT,
    tags: ['long'],
  }, async () => {
    const broken = ['estimate/departure-time-price'];
    const { result } = await judgeMetered(plain!, broken, ['general'], { only });
    expect(withVerdict(result, 'fail')).toEqual(only);
    const short = { ...plain!, expiresIn: 60 };
    const ended = await judgeMetered(short, broken, ['general'], { only }, (service) => {
      service.onRequest = () => service.advance(500);
    });
    const judged = ended.result.rules.find(({ id }) => id === rule);
    expect(judged?.verdict).toBe('inconclusive');
    expect(judged?.reason).toContain('departures of the same price (3000)');
  });

  it('is probed with new tokens if they cost nothing', { ...LIMIT, tags: ['long'] }, async () => {
    const short = { ...plain!, expiresIn: 60, delayMs: 500 };
    const broken = ['estimate/departure-time-price'];
    const result = await judgeControlled(short, broken, { only });
    expect(withVerdict(result, 'fail')).toEqual(only);
  });
});
