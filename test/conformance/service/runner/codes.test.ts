import { expect, it } from 'vitest';
import { defineRule, pass } from '../../../../src/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

it('checks of a batch send other auth codes, as the one before may have used its own up', async () => {
  const customRules = ['first', 'second'].map((id) =>
    defineRule({
      id: `house/${id}`,
      level: 'must',
      statement: 'A rule.',
      check: {
        baseRequest: 'user',
        spends: () => ({ user: 1 }),
        run: async (ctx) =>
          pass((await ctx.token({ purpose: 'an exchange', fields: ctx.base() })).outcome),
      },
    }),
  );
  const run = { customRules, only: ['house/*'] };
  const { rules, exchanges } = await judgeControlled(STYLES[0]!, [], run);
  const reasons = customRules.map(({ id }) => rules.find((one) => one.id === id)?.reason);
  expect(reasons).toEqual(['accepted', 'accepted']);
  // They share a batch.
  const sent = exchanges.filter(({ part }) => part?.check?.startsWith('house/'));
  expect(new Set(sent.map(({ partnerId }) => partnerId)).size).toBe(1);
});
