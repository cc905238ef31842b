import { describe, expect, it } from 'vitest';
import { judgeMetered, withVerdict } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;
const RULE = 'lifecycle/platform-tokens-coexist';

/** Token requests for other rules, whose tokens this one uses too. */
const ONLY = [RULE, 'token/nostr-*', 'signature/*'];

const judge = async (...broken: readonly string[]) => {
  const uses = ['general', 'general', 'general'] as const;
  const { result } = await judgeMetered(plain!, broken, uses, { only: ONLY });
  return result;
};

describe('platform tokens of a metered partner', () => {
  it('all work beside each other, those of other checks too', async () => {
    const { verdict, reason } = ruleOf(await judge(), RULE);
    expect(verdict).toBe('pass');
    expect(reason).toMatch(/^[3-9] platform tokens work beside each other/);
  });

  it.each(['two', 'newer-used'])('break the rule where a service has the form %s', async (form) => {
    expect(withVerdict(await judge(`${RULE}#${form}`), 'fail', 'warn')).toEqual([RULE]);
  });
});
