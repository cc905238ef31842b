import { expect, it } from 'vitest';
import { longLife } from '../../../../../src/conformance/service/rules/token/long-life.ts';
import { judgeControlled, withVerdict } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import type { OutsideService } from '../../../../independent-service/service.ts';
import { STYLES } from '../../../../independent-service/style.ts';

it.each([
  [
    'looks at no signature of a partner with many tokens',
    'signature/invalid-refused#after-ten-tokens',
  ],
  ['asks for no Authorization of refreshes', 'token/authorization-required#refresh'],
])('finds a service that %s', async (_which, form) => {
  const [rule = ''] = form.split('#');
  // Its own requests and the first parts of the rules, no further ones.
  const run = { only: [rule, 'token/nostr-length'], requests: 70 };
  const result = await judgeControlled(STYLES[0]!, [form], run);
  expect(withVerdict(result, 'fail')).toEqual([rule]);
  const { shownBy } = ruleOf(result, rule);
  const shown = result.exchanges.find(({ id }) => id === shownBy);
  expect(shown?.part?.check).toBe(longLife.id);
});

it('bans no partner of a service that counts what it refuses', async () => {
  const style = styleWith(['counts what it refuses, and bans everything']);
  let service: OutsideService | undefined;
  const result = await judgeControlled(style, [], { only: longLife.rules }, (one) => {
    service = one;
  });
  expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
  expect(service?.bans).toEqual([]);
});
