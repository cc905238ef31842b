import { describe, expect, it } from 'vitest';
import { checkContext } from '../../../../src/conformance/service/runner/check-context.ts';
import { defineRule, pass } from '../../../../src/index.ts';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { ruleOf } from '../../../independent-service/metered-run.ts';
import { ODD_STYLES } from '../../../independent-service/odd-styles.ts';
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

const NO_CODES = { opening: null, codes: [], close: async () => null };

/** Auth codes of the profile in token requests, one for each that was sent. */
const codesIn = (bodies: readonly string[]): string[] =>
  bodies.flatMap((body) => /"auth_code":"(code-[^"]*)"/.exec(body)?.[1] ?? []);

const USER_RULES = [
  'token/nostr-length',
  'token/nostr-required',
  'token/timestamp-expired',
  'token/auth-code-unknown',
  'signature/invalid-refused',
  'token/authorization-required',
];

describe('with metered partners', () => {
  it('a code that was refused within the allowance is sent again, and no other one', async () => {
    const rule = 'quota/user-allows-5';
    const { result, service } = await judgeMetered(STYLES[0]!, [rule], ['spendable'], {
      only: [rule],
      allowBan: true,
    });
    const sent = codesIn(service.bodies);
    expect(sent).toHaveLength(6);
    expect(new Set(sent).size).toBe(5);
    expect(withVerdict(result, 'fail')).toEqual([rule]);
  });

  it.each(USER_RULES)('a code that was accepted wrongly is not sent again (%s)', async (rule) => {
    const { result, service } = await judgeMetered(STYLES[0]!, [rule], ['general'], {
      only: [rule],
    });
    const sent = codesIn(service.bodies);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent).size).toBe(sent.length);
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([rule]);
    expect(ruleOf(result, rule).verdict).not.toBe('inconclusive');
    // A refusal of one would let the run rest, as if the target limited its rate.
    const closing = result.exchanges.filter(({ part }) => part?.step === 'close');
    expect(closing.map(({ response }) => response?.status)).toEqual(closing.map(() => 200));
  });

  it('a code that was refused is not sent again', async () => {
    const burning = ODD_STYLES.find(({ name }) => name === 'burns an auth_code with a refusal')!;
    const { result, service } = await judgeMetered(burning, [], ['general'], { only: USER_RULES });
    const sent = codesIn(service.bodies);
    expect(new Set(sent).size).toBe(sent.length);
    expect(withVerdict(result, 'fail', 'inconclusive')).toEqual([]);
  });

  it('the plan counts each code, of requests that count for nobody too', async () => {
    const uses = Array.from({ length: 6 }, () => 'general' as const);
    const run = { only: ['token/*'] };
    const { result, service } = await judgeMetered(STYLES[0]!, [], uses, run);
    const onUser = result.exchanges.filter(
      ({ part }) => part?.check === 'token/partner-unknown:1:user',
    );
    expect(onUser).toHaveLength(1);
    expect(result.rules.filter(({ reason }) => reason.includes('codes are used up'))).toEqual([]);
    const sent = codesIn(service.bodies);
    expect(new Set(sent).size).toBe(sent.length);
  });

  it('a check without a code of its own sends none', async () => {
    const rule = defineRule({
      id: 'house/third',
      level: 'must',
      statement: 'A rule.',
      check: {
        baseRequest: 'user',
        // Fewer than it sends.
        spends: () => ({ user: 2, codes: 0 }),
        run: async (ctx) =>
          pass((await ctx.token({ purpose: 'an exchange', fields: ctx.base() })).outcome),
      },
    });
    const run = { customRules: [rule], only: ['house/*'] };
    const { result, service } = await judgeMetered(STYLES[0]!, [], ['general'], run);
    const { verdict, reason } = result.rules.find(({ id }) => id === 'house/third')!;
    expect([verdict, reason]).toEqual([
      'inconclusive',
      'its auth codes are used up (1 sent); add authCodes to the profile',
    ]);
    expect(codesIn(service.bodies)).toHaveLength(1);
  });

  it('an exchange is not made without a code, whose refusal would say nothing', () => {
    const own = { sentCodes: new Set(['a-code']), client: { facts: {} }, partner: {} };
    const made = checkContext(
      {} as never,
      own as never,
      {} as never,
      'user',
      NO_CODES,
      {} as never,
    );
    expect(() => made.base()).toThrow('its auth codes are used up (1 sent)');
  });
});
