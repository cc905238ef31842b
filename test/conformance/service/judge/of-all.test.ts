// @module-tag long

import { expect, it } from 'vitest';
import { recheckService } from '../../../../src/conformance/index.ts';
import { judgeControlled, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

const RULE = 'quota/platform-allows-10';

it('finds an allowance of all partners among all rules, in a run and when it is judged again', async () => {
  const result = await judgeControlled(STYLES[0]!, [`${RULE}#of-all-partners`]);
  expect(withVerdict(result, 'fail')).toEqual([RULE]);
  const { reason } = result.rules.find(({ id }) => id === RULE)!;
  expect(reason).toContain('once 10 of all partners had been accepted that day');
  const stored = JSON.parse(JSON.stringify(result)) as typeof result;
  expect(withVerdict(await recheckService(stored), 'fail')).toEqual([RULE]);
});
