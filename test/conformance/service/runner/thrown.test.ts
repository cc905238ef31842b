import { describe, expect, it } from 'vitest';
import { defineRule, FareproofError, Inconclusive, pass, violated } from '../../../../src/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

type Run = Parameters<typeof defineRule>[0]['check']['run'];

async function judge(run: Run): Promise<string> {
  const check = { baseRequest: 'estimate' as const, spends: () => ({}), run };
  const rule = defineRule({ id: 'house/rule', level: 'must', statement: 'a rule', check });
  const run1 = { customRules: [rule], only: ['house/rule'] };
  const { rules } = await judgeControlled(STYLES[0]!, [], run1);
  const { verdict, reason } = rules.find(({ id }) => id === 'house/rule')!;
  return `${verdict}: ${reason}`;
}

describe('a check that cannot judge its rule', () => {
  it('throws, and is inconclusive for that reason', async () => {
    const verdict = await judge(async () => {
      throw new Inconclusive('no token');
    });
    expect(verdict).toBe('inconclusive: no token');
  });

  it('throws in one of its findings, and the others are kept', async () => {
    const late = (): Promise<never> => Promise.reject(new Inconclusive('no token'));
    expect(await judge(async () => ({ 'house/rule': pass('seen'), 'house/other': late }))).toBe(
      'pass: seen',
    );
    expect(await judge(async () => ({ 'house/rule': late }))).toBe('inconclusive: no token');
  });

  it('crashes, and is inconclusive: our own bug accuses nobody', async () => {
    const verdict = await judge(async () => {
      throw new TypeError('x is undefined');
    });
    expect(verdict).toMatch(
      /^inconclusive: the check could not be completed: x is undefined \(at thrown\.test\.ts:\d+, check-run\.ts:/,
    );
  });

  it.each([undefined, null, true, 'pass', 1])('returns %j, which says nothing', async (found) => {
    const nothing = 'inconclusive: the check said nothing about this rule';
    expect(await judge(async () => found as never)).toBe(nothing);
    expect(await judge(async () => (() => found) as never)).toBe(nothing);
  });

  it('throws what is no error', async () => {
    const verdict = await judge(async () => {
      throw 'boom' as never as Error;
    });
    expect(verdict).toBe('inconclusive: the check could not be completed: it threw boom');
  });

  it('is stopped, and no line of ours is named', async () => {
    const verdict = await judge(async () => {
      throw new FareproofError('INTERRUPTED', 'the run was interrupted');
    });
    expect(verdict).toBe('inconclusive: the check could not be completed: the run was interrupted');
  });

  it('is not believed before its baseline is accepted', async () => {
    const verdict = await judge(async () => (baseline) => {
      if (baseline.closing?.outcome !== 'accepted') return violated('a baseline', 'none');
      throw new Inconclusive('thrown after the baseline');
    });
    expect(verdict).toBe('inconclusive: thrown after the baseline');
  });
});
