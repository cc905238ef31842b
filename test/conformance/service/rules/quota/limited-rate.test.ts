import { expect, it } from 'vitest';
import { withVerdict } from '../../../../independent-service/judge.ts';
import { judgeBehaviour } from '../../gaps/judge-behaviour.ts';

it('a request that is refused for the rate of the target begins no ban', {
  timeout: 120_000,
}, async () => {
  const limit = { 'token-rate-limit': { perSecond: 10 } };
  const only = ['quota/refresh-refuses-11th', 'quota/ban-lasts-24h'];
  const result = await judgeBehaviour(limit, 'control', 1, { only });
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  expect(withVerdict(result, 'pass')).toContain('quota/ban-lasts-24h');
});
