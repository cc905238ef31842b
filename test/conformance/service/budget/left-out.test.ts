import { describe, expect, it } from 'vitest';
import { describeLeftOut, planService } from '../../../../src/conformance/index.ts';
import { RUN, targetOf } from '../../../independent-service/judge.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';

type Plan = ReturnType<typeof planService>;

const [plain] = STYLES;

function planFor(partners: number, seed = 11): Plan {
  const service = new OutsideService(plain!, []);
  const profile = Array.from({ length: partners }, (_, at) => {
    const authCodes = Array.from({ length: 6 }, (_code, number) => `code-${at}-${number}`);
    const { id, key } = service.addPartner(`partner-${at}`, authCodes);
    return { id, signingKey: key, use: 'general' as const, authCodes };
  });
  return planService({ ...RUN, seed, target: targetOf(service, false, profile) });
}

/** Carriers by rule on which token requests are planned. */
function carriersIn({ batches }: Plan): Map<string, Set<string>> {
  const carriers = new Map<string, Set<string>>();
  for (const { name, checks } of batches) {
    for (const rule of checks.flatMap((check) => check.rules))
      carriers.set(rule, (carriers.get(rule) ?? new Set()).add(name));
  }
  return carriers;
}

const REFUSED = [
  'signature/invalid-refused',
  'signature/wrong-key-refused',
  'signature/covers-fields',
  'token/timestamp-iso8601',
  'token/timestamp-expired',
  'token/nostr-length',
  'token/nostr-alphabet',
  'token/nostr-case',
  'token/authorization-shape',
];

describe('a metered plan', () => {
  it('spreads the carriers of token requests over the rules', () => {
    const carriers = carriersIn(planFor(6));
    const used = REFUSED.flatMap((rule) => [...(carriers.get(rule) ?? [])]);
    for (const name of ['platform', 'refresh', 'refresh:of-user', 'user'])
      expect(used).toContain(name);
    const onOne = REFUSED.filter((rule) => (carriers.get(rule)?.size ?? 0) < 2);
    // The plan has the maximum of each check; what is not spent is planned again.
    expect(onOne.length).toBeLessThan(2);
  });

  it('is the same for the same seed, and spreads otherwise for another', () => {
    const [one, again, other] = [planFor(6), planFor(6), planFor(6, 12)].map(carriersIn);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('asks for estimates as widely as where requests are free', () => {
    const carriers = carriersIn(planFor(6));
    expect([...(carriers.get('auth/unknown-token') ?? [])].sort()).toEqual(
      ['estimate', 'user-estimate']
        .flatMap((base) =>
          ['', ':express', ':carpoolSeats', ':carpoolNoSeats', ':refreshed'].map(
            (more) => base + more,
          ),
        )
        .sort(),
    );
  });

  it('judges no rule less for what it adds', () => {
    const plan = planFor(1);
    const judged = new Set(
      plan.batches.flatMap(({ checks }) => checks).flatMap(({ rules }) => rules),
    );
    for (const rule of ['signature/covers-fields', 'token/nostr-alphabet', 'auth/scope-public'])
      expect(judged).toContain(rule);
    const furtherTokens = plan.batches
      .flatMap(({ checks }) => checks)
      .filter(({ rank, carriers }) => rank && carriers);
    const spending = furtherTokens.filter((check) =>
      check.rules.every((rule) => REFUSED.includes(rule)),
    );
    expect(spending).toEqual([]);
  });

  it('names what it leaves out of rules that it judges', () => {
    const { leftOut } = planFor(6);
    const some = leftOut.find(({ rule }) => rule === 'signature/invalid-refused');
    expect(some?.parts).toBeGreaterThan(0);
    expect(some?.parts).toBeLessThan(some?.of ?? 0);
    const none = { rule: 'token/json-body', parts: 2, of: 3, carriers: ['a refresh'] };
    expect(describeLeftOut(none)).toBe(
      'token/json-body: 2 of 3 further requests; not tried: a refresh',
    );
  });
});
