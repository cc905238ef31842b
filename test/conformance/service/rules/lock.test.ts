import { expect, it } from 'vitest';
import { suiteSchema } from '../../../../src/conformance/index.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import type { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';

const MINUTE_MS = 60_000;
const RULE = 'lock/default-10-minutes';
const suite = suiteSchema.parse({ name: 'locks', rules: { include: [RULE] } });

type LockView = NonNullable<OutsideService['form']['lockView']>;

const movedBy =
  (ms: number): LockView =>
  (view, { until }) => {
    view['lockedUntil'] = new Date(until + ms).toISOString();
  };

it.each<[string, string, LockView, string]>([
  ['as it is', 'pass', () => undefined, ''],
  ['with its end rounded to a minute', 'pass', movedBy(-30_000), ''],
  ['with an early lockedUntil', 'fail', movedBy(-2 * MINUTE_MS), '480 s after the estimate'],
  ['with a late lockedUntil', 'fail', movedBy(2 * MINUTE_MS), '720 s after the estimate'],
  [
    'as one of another partner',
    'inconclusive',
    (view) => {
      view['partnerId'] = 'p-other';
    },
    "knows this estimate_id as another partner's",
  ],
])('a lock that the control API shows %s: %s', async (_case, verdict, lockView, words) => {
  const show = (service: OutsideService): void => {
    Object.assign(service.form, { lockView });
  };
  const { rules } = await judgeControlled(STYLES[0]!, [], { suite }, show);
  const rule = rules.find(({ id }) => id === RULE);
  expect(rule).toMatchObject({ verdict, clock: 'control' });
  expect(JSON.stringify(rule)).toContain(words);
});
