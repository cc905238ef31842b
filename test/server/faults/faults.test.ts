import { describe, expect, it } from 'vitest';
import type { ServiceRuleId } from '../../../src/interface/index.ts';
import { SERVICE_RULES } from '../../../src/interface/index.ts';
import { FAULTS, startServer } from '../../../src/server/index.ts';
import { frozen } from '../caller.ts';
import { PROBES } from './fault-probes.ts';

const RULE_IDS: readonly ServiceRuleId[] = SERVICE_RULES.map(({ id }) => id);
/** Tests a few faults against the probe of every rule; `fareproof selfcheck` tests all of them. */
const SAMPLED_FAULTS = FAULTS.filter((_, index) => index % 25 === 7);

/** True if a new server with those faults seems to follow the rule; false if the probe throws. */
async function isKept(rule: ServiceRuleId, faults: readonly ServiceRuleId[]): Promise<boolean> {
  const environment = rule === 'token/timestamp-unchecked-in-test' ? 'test' : 'production';
  const server = await startServer({ controlPort: 0, clock: frozen, environment, faults });
  try {
    return await PROBES[rule](server).catch(() => false);
  } finally {
    await server.close(0);
  }
}

describe('faults', () => {
  it('exist for each service rule, in the order of the catalogue', () => {
    expect(FAULTS.map(({ id }) => id)).toEqual(RULE_IDS);
    expect(Object.keys(PROBES)).toEqual(RULE_IDS);
  });

  it.each(RULE_IDS)('%s: kept by the sound server, broken by its fault', async (rule) => {
    expect(await isKept(rule, [])).toBe(true);
    expect(await isKept(rule, [rule])).toBe(false);
  });

  it.each<readonly ServiceRuleId[]>([
    ['token/nostr-length', 'token/nostr-alphabet', 'token/nostr-required'],
    ['token/timestamp-required', 'token/timestamp-iso8601', 'token/timestamp-expired'],
    ['token/authorization-required', 'token/authorization-shape', 'token/partner-unknown'],
    ['token/response-access-token', 'token/response-expires', 'token/response-status'],
    ['lifecycle/refresh-single-use', 'lifecycle/access-token-expires', 'quota/ban-lifts'],
    ['quota/platform-allows-10', 'quota/user-refuses-6th', 'quota/daily-reset'],
    ['estimate/coordinates-numeric', 'estimate/coordinates-range', 'estimate/imei-optional'],
    ['auth/scheme', 'auth/scope-public', 'auth/token-of-partner'],
    ['record/dynamic', 'carpool/plain', 'carpool/seats-distinct'],
  ])('%s, %s and %s are broken together, in any order', async (...rules) => {
    for (const faults of [rules, rules.toReversed()]) {
      const kept = await Promise.all(rules.map((rule) => isKept(rule, faults)));
      expect(kept).toEqual([false, false, false]);
    }
  });

  it('break only their own rule and those that they name', {
    timeout: 120_000,
  }, async () => {
    const surprises: string[] = [];
    for (const { id, breaks } of SAMPLED_FAULTS) {
      for (const rule of RULE_IDS) {
        const isExpected = rule === id || breaks.some((broken) => broken.rule === rule);
        if (isExpected || (await isKept(rule, [id]))) continue;
        surprises.push(`${id} breaks ${rule}`);
      }
    }
    expect(surprises).toEqual([]);
  });
});
