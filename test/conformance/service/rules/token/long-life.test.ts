import { expect, it } from 'vitest';
import { longLife } from '../../../../../src/conformance/service/rules/token/long-life.ts';
import { judgeControlled, withVerdict } from '../../../../independent-service/judge.ts';
import { ruleOf } from '../../../../independent-service/metered-run.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import type { OutsideService } from '../../../../independent-service/service.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const ONLY = { only: ['token/nostr-length', 'signature/invalid-refused'] };

it('finds a service that looks at no signature of a partner with many tokens', async () => {
  const form = 'signature/invalid-refused#after-ten-tokens';
  const result = await judgeControlled(STYLES[0]!, [form], ONLY);
  const { verdict, shownBy } = ruleOf(result, 'signature/invalid-refused');
  const shown = result.exchanges.find(({ id }) => id === shownBy);
  expect([verdict, shown?.part?.check]).toEqual(['fail', longLife.id]);
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
