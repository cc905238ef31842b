import { describe, expect, it } from 'vitest';
import { judgeControlled } from '../../../../independent-service/judge.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;

describe('a time that is fresh, soon after midnight', () => {
  it.each([
    [
      'is seen to be refused by a service that compares the times of day',
      'token/timestamp-fresh#across-midnight',
      'fail',
    ],
    [
      'is not judged where no second token of a day is allowed',
      'quota/platform-allows-10#one',
      'pass',
    ],
  ])('%s', async (_, form, verdict) => {
    const only = ['token/timestamp-fresh'];
    const { rules } = await judgeControlled(plain!, [form], { only });
    expect(rules.find(({ id }) => id === only[0])?.verdict).toBe(verdict);
  });
});
