import { describe, expect, it } from 'vitest';
import { judgeControlled } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import type { OddStyle } from '../../../../independent-service/odd/odd-style.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const RULE = 'token/timestamp-fresh';

const judge = async (style: OddStyle, broken: readonly string[]) =>
  ruleOf(await judgeControlled(style, broken, { only: [RULE] }), RULE);

describe('current times in other forms of ISO 8601', () => {
  it.each([
    ['negative-offset'],
    ['whole-hours-only'],
    ['minutes-of-offset-dropped'],
    ['offset-in-exchange'],
    ['fraction-in-refresh'],
  ])('show that a service is broken by %s', async (form) => {
    const { verdict, expected } = await judge(STYLES[0]!, [`${RULE}#${form}`]);
    expect(verdict).toBe('fail');
    expect(expected).toContain('a current _ with');
  });

  it.each([
    ['takes times with Z or +08:00'],
    ['wants times with Z'],
    ['wants times without fractions'],
    ['wants times with fractions'],
    ['has a clock 20 s behind, and refuses the future'],
  ])('accuse no service that %s', async (style) => {
    expect((await judge(styleWith([style]), [])).verdict).toBe('pass');
  });

  it('accuse no service that refuses refresh_tokens for their age', async () => {
    const form = 'lifecycle/refresh-never-expires#newer-token';
    expect((await judge(STYLES[0]!, [form])).verdict).toBe('pass');
  });
});
