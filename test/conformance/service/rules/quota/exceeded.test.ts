import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../../src/conformance/index.ts';
import type { Form } from '../../../../independent-service/form.ts';
import { judgeControlled, withVerdict } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;

const judgeQuota = (broken: readonly string[], oddities?: Form): Promise<ServiceResult> =>
  judgeControlled({ ...plain!, oddities }, broken, { only: ['quota/*'] });

it.each([
  'quota/ban-lasts-24h#begun-with-scope',
  'quota/ban-lasts-24h#one-at-a-time',
  'quota/platform-refuses-11th#beside-users',
  'quota/user-refuses-6th#carried-over',
])('%s is found, and no other rule is accused', { tags: ['long'] }, async (form) => {
  const result = await judgeQuota([form]);
  expect(withVerdict(result, 'fail', 'warn')).toEqual([form.split('#')[0]]);
});

describe('the first scripts of the rules', () => {
  const first = { only: ['quota/*'], requests: 1 };

  it.each([
    'quota/ban-lasts-24h#begun-with-scope',
    'quota/ban-lifts#refresh-25-hours',
    'quota/ban-lifts#user-never',
    'quota/counters-independent#platform-with-refresh',
    'quota/counters-independent#refresh-with-platform',
    'quota/counters-independent#user-refresh-spends-user',
    'quota/counters-independent#user-with-platform',
    'quota/per-partner#refresh',
    'quota/per-partner#user',
    'quota/platform-refuses-11th#by-scope',
    'quota/platform-refuses-11th#carried-over',
    'quota/platform-refuses-11th#given-back-by-an-old-time',
    'quota/platform-refuses-11th#once-only',
    'quota/refresh-allows-10#user-five',
    'quota/refresh-refuses-11th#by-chain',
    'quota/refresh-refuses-11th#by-scope',
    'quota/refresh-refuses-11th#cleared-by-a-wrong-signature',
    'quota/refresh-refuses-11th#user-uncounted',
    'quota/user-refuses-6th#cleared-by-an-unknown-code',
  ])('find %s, and accuse no other rule', { tags: ['long'] }, async (form) => {
    const result = await judgeControlled(plain!, [form], first);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([form.split('#')[0]]);
  });

  it.each(['refuses a scope in a refresh', 'grants the scope public only'])(
    'pass a service that %s',
    { tags: ['long'] },
    async (name) => {
      const result = await judgeControlled(styleWith([name]), [], first);
      expect(new Set(result.rules.map(({ verdict }) => verdict))).toEqual(
        new Set(['pass', 'excluded']),
      );
    },
  );
});

it('a request beyond the allowance that is refused for another reason has begun no ban', {
  tags: ['long'],
}, async () => {
  const busy = new Set<string>();
  const result = await judgeQuota([], {
    refuses: (r) => {
      const { partner, kind } = r;
      const asked = partner?.asked.filter((one) => one.kind === kind).length ?? 0;
      const key = `${partner?.id} ${kind}`;
      if (asked < (kind === 'user' ? 5 : 10) || busy.has(key)) return false;
      busy.add(key);
      return 'busy';
    },
  });
  expect(busy.size).toBeGreaterThan(0);
  expect(ruleOf(result, 'quota/ban-lasts-24h').verdict).toBe('pass');
});

it('a refusal that lasts is awaited for a minute once in a run', async () => {
  const pausesMs: number[] = [];
  const result = await judgeControlled(plain!, ['quota/ban-lifts'], {
    only: ['quota/ban-lifts'],
    onSleep: (forMs) => pausesMs.push(forMs),
  });
  expect(withVerdict(result, 'fail')).toEqual(['quota/ban-lifts']);
  expect(pausesMs.filter((forMs) => forMs > 60_000)).toHaveLength(1);
});
