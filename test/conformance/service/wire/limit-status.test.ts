// @module-tag long

import { describe, expect, it } from 'vitest';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { ODD_STYLES } from '../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../independent-service/style.ts';

describe('a rate limit with a status of its own', () => {
  it('is told from a broken rule by what passes', async () => {
    const style = ODD_STYLES.find(({ name }) => name === 'limits tokens to 3 per second with 401');
    const { rules } = await judgeControlled(style!, []);
    expect(rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(rules.filter(({ verdict }) => verdict === 'inconclusive').length).toBeLessThan(4);
  });

  it.each(['signature/key-order#underscore-last', 'signature/key-order#descending'] as const)(
    'is not supposed of a service with %s, which refuses all that is right',
    async (form) => {
      const { rules } = await judgeControlled(STYLES[0]!, [form]);
      const rule = rules.find(({ id }) => id === 'signature/key-order');
      expect(rule?.verdict).toBe('fail');
    },
  );
});
