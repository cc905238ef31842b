import { expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../src/interface/default-behaviour.ts';
import type { FaultForms } from '../../../src/server/faults/fault.ts';
import { QUOTA_FORMS } from '../../../src/server/faults/quota.ts';
import { allowanceRules } from '../../../src/server/service/state/allowances.ts';

const HOUR_MS = 3_600_000;
const AT_MS = Date.UTC(2026, 0, 2, 13, 30);

/** The limits of a service with a form of a fault, and those of a sound one. */
function rulesOf(form: string) {
  const sound = allowanceRules(DEFAULT_BEHAVIOUR);
  const { replace } = QUOTA_FORMS[`quota/${form}` as keyof FaultForms]!;
  return { sound, broken: replace.allowanceRules!(sound, undefined as never) };
}

it.each([
  ['ban-lasts-24h#none', 0],
  ['ban-lasts-24h#an-hour', 1],
  ['ban-lasts-24h#twenty-three-hours', 23],
  ['ban-lifts#twenty-five-hours', 25],
  ['ban-lifts#a-week', 7 * 24],
])('with %s a ban lasts %d hours', (form, hours) => {
  const { sound, broken } = rulesOf(form);
  expect(broken).toEqual({ ...sound, banMs: hours * HOUR_MS });
});

it.each([
  ['platform-allows-10#two-fewer', 'platform', -2],
  ['refresh-allows-10#two-fewer', 'refresh', -2],
  ['user-allows-5#two-fewer', 'user', -2],
  ['platform-refuses-11th#two-more', 'platform', 2],
  ['user-refuses-6th#two-more', 'user', 2],
  ['user-refuses-6th#unlimited', 'user', Number.POSITIVE_INFINITY],
] as const)('with %s the allowance of %s tokens differs by %d', (form, kind, more) => {
  const { sound, broken } = rulesOf(form);
  const perDay = { ...sound.perDay, [kind]: sound.perDay[kind] + more };
  expect(broken).toEqual({ ...sound, perDay });
});

it('with daily-reset#two-days the requests of 48 hours count', () => {
  const { broken } = rulesOf('daily-reset#two-days');
  expect(broken.dayStartMs(AT_MS)).toBe(AT_MS - 48 * HOUR_MS + 1);
});
