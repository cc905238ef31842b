import { describe, expect, it } from 'vitest';
import type { ServiceRuleId } from '../../../src/interface/index.ts';
import { SERVICE_RULES } from '../../../src/interface/index.ts';
import { NEEDS_CONTROL } from '../../../src/server/faults/needs-control.ts';
import { FAULTS, type FaultId, startServer } from '../../../src/server/index.ts';
import { Caller, frozen } from '../caller.ts';
import { PROBES } from './fault-probes.ts';

const RULE_IDS: readonly ServiceRuleId[] = SERVICE_RULES.map(({ id }) => id);
/** Tests a few faults against the probe of every rule; `fareproof selfcheck` tests all of them. */
const SAMPLED_FAULTS = FAULTS.filter(({ id, rule }) => id === rule).filter(
  (_, index) => index % 25 === 7,
);
const PLACED = FAULTS.filter(({ id, rule }) => id !== rule);

/** True if a new server with those faults seems to follow the rule; false if the probe throws. */
async function isKept(rule: ServiceRuleId, faults: readonly FaultId[]): Promise<boolean> {
  const environment = rule === 'token/timestamp-unchecked-in-test' ? 'test' : 'production';
  const server = await startServer({ controlPort: 0, clock: frozen, environment, faults });
  try {
    return await PROBES[rule](server).catch(() => false);
  } finally {
    await server.close(0);
  }
}

describe('faults at one place', () => {
  it('are more than 150, each with a name of its own', () => {
    const ids = PLACED.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(150);
    expect(ids.filter((id) => !/^[a-z]+\/[a-z0-9-]+#[a-z0-9-]+$/.test(id))).toEqual([]);
  });

  it('say what the broken service does, each in a sentence of its own', () => {
    for (const rule of RULE_IDS) {
      const sentences = FAULTS.filter((fault) => fault.rule === rule).map(({ how }) => how);
      expect(new Set(sentences).size).toBe(sentences.length);
      expect(sentences.filter((how) => !/^[A-Z`'"0-9_a-z].*\.$/.test(how))).toEqual([]);
    }
  });

  for (const [at, { id }] of PLACED.entries()) {
    const tags = at % 5 === 0 ? [] : ['long'];
    it(`${id}: an ordinary request is answered by a server with it`, { tags }, async () => {
      const server = await startServer({ controlPort: 0, clock: frozen, faults: [id] });
      try {
        const caller = await Caller.fresh(server);
        const statuses = [
          (await caller.platform()).status,
          (await caller.user()).status,
          (await caller.estimate('unknown')).status,
        ];
        expect(statuses.filter((status) => status >= 500)).toEqual([]);
      } finally {
        await server.close(0);
      }
    });
  }

  it('that need a control API are faults, each listed once', () => {
    const listed = FAULTS.filter(({ needsControl }) => needsControl).map(({ id }) => id);
    expect(listed.toSorted()).toEqual([...NEEDS_CONTROL]);
    expect(listed).toContain('lock/default-10-minutes');
    expect(listed).not.toContain('token/nostr-length');
  });

  it('that are unknown are named with those of their rule', async () => {
    const faults = ['token/nostr-length#refrsh'] as const;
    await expect(startServer({ faults })).rejects.toThrow(
      /no fault "token\/nostr-length#refrsh"; did you mean token\/nostr-length#refresh/,
    );
  });
});

describe('faults', () => {
  it('exist for each service rule, in the order of the catalogue', () => {
    expect([...new Set(FAULTS.map(({ rule }) => rule))]).toEqual(RULE_IDS);
    expect(FAULTS.map(({ id }) => id)).toEqual(expect.arrayContaining([...RULE_IDS]));
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
    tags: ['long'],
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
