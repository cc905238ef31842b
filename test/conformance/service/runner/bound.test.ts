// @module-tag long

import { expect, it } from 'vitest';
import { defineRule } from '../../../../src/conformance/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { ruleOf } from '../../../independent-service/metered-run.ts';
import { STYLES } from '../../../independent-service/style.ts';

it('a run ends at a bound, with what it found by then', async () => {
  const endless = defineRule({
    id: 'house/endless',
    level: 'must',
    statement: 'A house rule whose check sends more than any run may.',
    check: {
      baseRequest: 'standalone',
      run: async (ctx) => {
        const { accessToken } = await ctx.issued('a token to work with');
        for (;;) await ctx.sendEstimate(accessToken, 'one more');
      },
    },
  });
  const result = await judgeControlled(STYLES[0]!, ['token/json-body'], {
    customRules: [endless],
    only: ['house/*', 'token/json-body'],
    probesGaps: false,
  });
  expect(result.exchanges).toHaveLength(2_500);
  expect(ruleOf(result, 'token/json-body').verdict).toBe('fail');
  expect(ruleOf(result, 'house/endless')).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringContaining('had sent 2500 requests'),
  });
});
