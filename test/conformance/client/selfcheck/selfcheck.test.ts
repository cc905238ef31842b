import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../../src/conformance/client/certify-client.ts';
import {
  differencesInNearMisses,
  judgeSampleClient,
  sampleRunner,
} from '../../../../src/conformance/client/selfcheck/judge-sample.ts';
import { WRONG_CLIENTS } from '../../../../src/conformance/client/selfcheck/wrong-clients.ts';
import { CLIENT_RULES } from '../../../../src/interface/index.ts';
import { saidTwice } from '../../said-twice.ts';
import { oneByOne, SCENARIOS, sleepingWorld } from '../reference.ts';

describe('a conformant client', () => {
  it('passes every rule in every scenario', { tags: ['long'] }, async () => {
    const world = sleepingWorld();
    const { result } = await certifyClient({
      ...world,
      name: 'sample',
      scenarios: SCENARIOS,
      runClient: oneByOne(sampleRunner({}, world, 3)),
      seed: 7,
      concurrency: 1,
      orders: 'yes',
    });
    const notPassed = result.rules.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
    const fell = result.scenarios.filter(({ verdict }) => verdict !== 'pass');
    expect(fell.map(({ name, missing, reason }) => ({ name, missing, reason }))).toEqual([]);
    expect(result).toMatchObject({ verdict: 'conformant', complete: true });
  });
});

describe('the faulty clients', () => {
  it('cover every client rule', () => {
    const rules = new Set(WRONG_CLIENTS.map(({ rule }) => rule));
    expect(CLIENT_RULES.filter(({ id }) => !rules.has(id))).toEqual([]);
  });

  it.each(WRONG_CLIENTS.map((wrong, index) => [wrong.mistake, wrong, index] as const))(
    'one that %s breaks its rule and, beside those that follow, no other',
    async (_mistake, { rule, alsoBreaks }, index) => {
      const options = { ...sleepingWorld(), scenarios: SCENARIOS };
      const rules = await judgeSampleClient(rule, options, 11 + index * 104_729);
      const red = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
      expect(red.map(({ id }) => id).sort()).toEqual([rule, ...Object.keys(alsoBreaks)].sort());
      expect(red.flatMap(saidTwice)).toEqual([]);
    },
  );
});

describe('the checker and the reference server', () => {
  const options = () => ({ ...sleepingWorld(), scenarios: SCENARIOS });

  it('refuse the same of what is nearly right', { tags: ['long'] }, async () => {
    expect(await differencesInNearMisses(options(), 3)).toEqual([]);
  });

  it('differ on a request that is refused and breaks no rule', async () => {
    const unknown = { query: (query: object) => ({ ...query, product_type: 'taxi' }) };
    const [difference] = await differencesInNearMisses(options(), 3, [unknown]);
    expect(difference).toMatch(/^the estimate request x\d+ in steady-user: 400 .*product_type/);
  });
});
