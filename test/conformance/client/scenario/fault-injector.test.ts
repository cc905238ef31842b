import { expect, it } from 'vitest';
import { FaultInjector } from '../../../../src/conformance/client/scenario/fault-injector.ts';
import { SeededRandom } from '../../../../src/conformance/seeded-random.ts';
import { NOON } from '../client-traffic.ts';

it('takes its time for a refresh, and for nothing else', async () => {
  const injector = new FaultInjector(
    {
      scenario: { name: 'one', stimuli: [], refreshTakesMs: 40 },
      source: new SeededRandom(1),
      attempt: 1,
      otherOrigin: 'http://localhost:1',
      reservedCode: 'code-of-another',
      issueElsewhere: () => Promise.resolve(),
    },
    () => undefined,
  );
  const delayOf = async (grant: string): Promise<number | undefined> => {
    const body = Buffer.from(JSON.stringify({ grant_type: grant }));
    const request = { method: 'POST', target: '/v1/oauth/token', headers: {}, body };
    const answer = { status: 200, headers: {}, body: '{}' };
    return (await injector.rewrite({ ...request, receivedMs: NOON }, answer)).delayMs;
  };
  expect(await delayOf('refresh_token')).toBe(40);
  expect(await delayOf('authorization_code')).toBeUndefined();
});

it('injects nothing into what the scenario sends itself, as another client', () => {
  const injector = new FaultInjector(
    {
      scenario: {
        refreshTakesMs: 0,
        name: 'one',
        stimuli: [
          {
            on: 'token',
            nth: 1,
            always: false,
            do: { answer: { status: 500, carrying: 'error' } },
          },
        ],
      },
      source: new SeededRandom(1),
      attempt: 1,
      otherOrigin: 'http://localhost:1',
      reservedCode: 'code-of-another',
      issueElsewhere: () => Promise.resolve(),
    },
    () => undefined,
  );
  const statusOf = (code: string): number | undefined => {
    const fields = { grant_type: 'authorization_code', auth_code: code };
    const body = Buffer.from(JSON.stringify(fields));
    const request = { method: 'POST', target: '/v1/oauth/token', headers: {}, body };
    return injector.respond({ ...request, receivedMs: NOON })?.status;
  };
  expect(statusOf('code-of-another')).toBeUndefined();
  expect(statusOf('code')).toBe(500);
});
