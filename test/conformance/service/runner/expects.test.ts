import { expect, it } from 'vitest';
import type { TokenAttempt } from '../../../../src/conformance/service/contract/messages.ts';
import {
  type Check,
  type CheckContext,
  defineRule,
  type Judgement,
  pass,
} from '../../../../src/index.ts';
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

it('a request says whether its auth code was given to its partner, and that it has another partner or a number', async () => {
  const rule = (id: string, check: Pick<Check, 'run' | 'effect'>) =>
    defineRule({
      id: `house/${id}`,
      level: 'must',
      statement: 'A rule.',
      check: { baseRequest: 'standalone', spends: () => ({ platform: 1, user: 1 }), ...check },
    });
  const send = async (ctx: CheckContext, attempt: Partial<TokenAttempt>): Promise<Judgement> => {
    await ctx.token({ purpose: 'a request', fields: ctx.platform(), ...attempt });
    return pass('sent');
  };
  const customRules = [
    rule('given', {
      run: async (ctx) => send(ctx, { fields: ctx.exchange(await ctx.authCode()) }),
    }),
    rule('made-up', { run: (ctx) => send(ctx, { fields: ctx.exchange('no-such-code') }) }),
    rule('known', {
      run: async (ctx) => send(ctx, { partnerId: (await ctx.otherPartner())?.id }),
    }),
    rule('unknown', { run: (ctx) => send(ctx, { partnerId: 'nobody-knows' }) }),
    rule('counted', { effect: 'counts', run: (ctx) => send(ctx, {}) }),
  ];
  const { exchanges } = await judgeControlled(STYLES[0]!, [], { customRules, only: ['house/*'] });
  const marks = exchanges.flatMap(({ part, partnerId, made, otherPartner }) =>
    part?.check === undefined
      ? []
      : [
          [
            part.check,
            Object.values(made ?? {}).find(({ is }) => is === 'auth_code')?.of === partnerId,
            otherPartner !== undefined,
            part.counted,
            otherPartner === partnerId,
          ],
        ],
  );
  expect(marks.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['house/counted', false, false, true, false],
    ['house/given', true, false, undefined, false],
    ['house/known', false, true, undefined, false],
    ['house/made-up', false, false, undefined, false],
    ['house/unknown', false, false, undefined, false],
  ]);
});
