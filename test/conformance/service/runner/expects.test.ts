import { expect, it } from 'vitest';
import { defineRule, pass } from '../../../../src/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

it('a request is judged by the answer that it expects, whatever its purpose says', async () => {
  const rule = (id: string, purpose: string, expects?: 'refused') =>
    defineRule({
      id: `house/${id}`,
      level: 'must',
      statement: 'A rule.',
      check: {
        baseRequest: 'standalone',
        spends: () => ({ platform: 1 }),
        run: async (ctx) =>
          pass((await ctx.token({ purpose, expects, fields: ctx.platform() })).outcome),
      },
    });
  const customRules = [
    rule('plain', 'a request'),
    rule('negative', 'negative: a request'),
    rule('gap', 'gap: a request'),
    rule('may-be', 'a request, which may be refused'),
    rule('refused', 'a request', 'refused'),
  ];
  // The service answers a right token request with another 2xx than 200.
  const run = { customRules, only: ['house/*'] };
  const { rules, exchanges } = await judgeControlled(STYLES[0]!, ['token/response-status'], run);
  expect(customRules.map(({ id }) => rules.find((one) => one.id === id)?.reason)).toEqual([
    'accepted',
    'accepted',
    'accepted',
    'accepted',
    'refused',
  ]);
  const sent = exchanges.filter(({ part }) => part?.check?.startsWith('house/'));
  expect(sent.map(({ expects }) => expects)).toEqual(expect.arrayContaining(['either', 'refused']));
});
