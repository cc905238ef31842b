import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../../src/conformance/client/certify-client.ts';
import {
  sampleRunner,
  selfcheckClients,
} from '../../../../src/conformance/client/selfcheck/selfcheck-clients.ts';
import { WRONG_CLIENTS } from '../../../../src/conformance/client/selfcheck/wrong-clients.ts';
import { CLIENT_RULES } from '../../../../src/interface/index.ts';
import { SCENARIOS, sleepingWorld } from '../reference.ts';

describe('a right client', () => {
  it('passes every rule in every scenario', async () => {
    const common = { ...sleepingWorld(), scenarios: SCENARIOS };
    const runClient = sampleRunner({}, common, 3);
    const { result } = await certifyClient({
      ...common,
      name: 'sample',
      runClient,
      seed: 7,
      atOnce: 1,
    });
    const notPassed = result.rules.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
    const fell = result.scenarios.filter(({ verdict }) => verdict !== 'pass');
    expect(fell.map(({ name, missing, reason }) => ({ name, missing, reason }))).toEqual([]);
    expect(result).toMatchObject({ verdict: 'conformant', complete: true });
  });
});

describe('the wrong clients', () => {
  it('cover every client rule', () => {
    const rules = new Set(WRONG_CLIENTS.map(({ rule }) => rule));
    expect(CLIENT_RULES.filter(({ id }) => !rules.has(id))).toEqual([]);
  });

  it('are all found, and for nothing but their mistake', async () => {
    const proofs = await selfcheckClients({
      ...sleepingWorld(),
      scenarios: SCENARIOS,
      seed: 11,
      atOnce: 1,
    });
    const missed = proofs.filter(({ found }) => !found);
    expect(missed).toEqual([]);
    const accused = proofs.flatMap(({ rule, also }) =>
      also.filter(({ why }) => why === null).map((one) => `${rule}: ${one.rule}`),
    );
    expect(accused).toEqual([]);
    const needless = proofs.flatMap(({ rule, also }) => {
      const listed = WRONG_CLIENTS.find((client) => client.rule === rule)?.alsoBreaks ?? {};
      return Object.keys(listed).filter((id) => also.every((one) => one.rule !== id));
    });
    expect(needless).toEqual([]);
  });
});
