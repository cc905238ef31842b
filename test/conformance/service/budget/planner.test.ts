import { describe, expect, it } from 'vitest';
import { budgetsOf } from '../../../../src/conformance/service/budget/budgets.ts';
import { leftOutOf } from '../../../../src/conformance/service/budget/left-out.ts';
import {
  planSpending,
  type SpendPlan,
} from '../../../../src/conformance/service/budget/planner.ts';
import {
  beforeOthers,
  isFurther,
  priceOf,
} from '../../../../src/conformance/service/contract/check.ts';
import { spreadParts } from '../../../../src/conformance/service/contract/further.ts';
import { factsOf } from '../../../../src/conformance/service/contract/target.ts';
import { probeChecks } from '../../../../src/conformance/service/gaps/table.ts';
import { SERVICE_CHECKS } from '../../../../src/conformance/service/rules/all.ts';
import {
  applicableChecks,
  unmetPrerequisite,
} from '../../../../src/conformance/service/runner/prerequisites.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../../src/interface/limits.ts';
import { RUN, targetOf } from '../../../independent-service/judge.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain] = STYLES;

/** Plans all checks, and the probes of gaps, for metered partners at once. */
function planFor(
  partners: number,
  {
    codes = 6,
    seed = 11,
    first = '',
    cap = null,
    refusedRequestsCount,
  }: {
    codes?: number;
    seed?: number;
    first?: string;
    cap?: number | null;
    refusedRequestsCount?: boolean;
  } = {},
): SpendPlan {
  const service = new OutsideService(plain!, []);
  const profile = Array.from({ length: partners }, (_, at) => {
    const authCodes = Array.from({ length: codes }, (_code, number) => `code-${at}-${number}`);
    const { id, key } = service.addPartner(`partner-${at}`, authCodes);
    return { id, signingKey: key, use: 'general' as const, authCodes };
  });
  const target = { ...targetOf(service, false, profile), refusedRequestsCount };
  const facts = factsOf(target, { metered: true, partners, asked: () => true, waits: false });
  const probes = probeChecks({ findings: new Map(), refusals: [] });
  const checks = [...spreadParts(applicableChecks(SERVICE_CHECKS, facts, true), seed), ...probes];
  const run = { client: { facts, target }, allowBan: false };
  const runnable = checks
    .filter((check) => unmetPrerequisite(check, run) === null)
    // A run gets back most of what these reserve before it plans the other further parts.
    .filter(({ priority }) => priority?.stage !== 'early')
    .map((check) => (check.id === first ? beforeOthers(check) : check));
  return planSpending(runnable, budgetsOf(target, { ...RUN, ledger: undefined }), facts, {
    cap,
    help: 'wait',
  });
}

/** Carriers by rule on which token requests are planned. */
function carriersIn({ batches }: SpendPlan): Map<string, Set<string>> {
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
  it('gives the checks that come first what they need, before any other', () => {
    const expensive = 'lifecycle/refresh-single-use-concurrent';
    const plannedIn = ({ batches }: SpendPlan): readonly string[] =>
      batches.flatMap(({ checks }) => checks.map(({ id }) => id));
    expect(plannedIn(planFor(1, { codes: 0 }))).not.toContain(expensive);
    expect(plannedIn(planFor(1, { codes: 0, first: expensive }))).toContain(expensive);
  });

  it.each([
    [0, 'the suite allows no token requests'],
    [1, 'the suite allows 1 token request, which went to 1 well-formed request'],
    [
      3,
      'the suite allows 3 token requests, which went to 2 well-formed requests and signature/invalid-refused',
    ],
    [6, /^the suite allows 6 token requests, which went to 2 well-formed requests, signature.*/],
  ])('says what the %i token requests of a suite went to', (cap, words) => {
    const { unplanned } = planFor(1, { cap, codes: 0 });
    const one = unplanned.find(({ check }) => check.id === 'token/nostr-length');
    expect(one?.judgement.reason).toMatch(words);
  });

  it('each request and its maximum cost is planned before anything is sent', () => {
    const plan = planFor(1, { codes: 2 });
    const sum = (kind: 'platform' | 'user' | 'refresh' | 'codes'): number =>
      plan.batches.reduce((total, { spends }) => total + spends[kind], 0);
    expect(sum('platform')).toBeGreaterThan(0);
    expect(sum('platform')).toBeLessThanOrEqual(10);
    expect(sum('user')).toBeLessThanOrEqual(5);
    expect(sum('refresh')).toBeLessThanOrEqual(10);
    expect(sum('codes')).toBeLessThanOrEqual(2);
    expect(plan.unplanned.length).toBeGreaterThan(0);
    for (const {
      judgement: { reason, remedy },
    } of plan.unplanned)
      expect(`${reason} ${remedy}`.length).toBeGreaterThan(30);
  });

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
    const [one, again, other] = [planFor(6), planFor(6), planFor(6, { seed: 12 })].map(carriersIn);
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
      .filter((check) => isFurther(check) && check.rules.some((rule) => REFUSED.includes(rule)));
    const spending = furtherTokens.filter((check) =>
      check.rules.every((rule) => REFUSED.includes(rule)),
    );
    expect(spending).toEqual([]);
  });

  it('names what it leaves out of rules that it judges', () => {
    const { batches, unplanned } = planFor(6);
    const left = leftOutOf(
      batches,
      unplanned.map(({ check }) => check),
    );
    const some = left.find(({ rule }) => rule === 'signature/invalid-refused');
    expect(some?.parts).toBeGreaterThan(0);
    expect(some?.parts).toBeLessThan(some?.of ?? 0);
  });
});

it('names the partners that are kept for bans, where one of them would serve a check', () => {
  const service = new OutsideService(plain!, []);
  const partners = (['general', 'spendable'] as const).map((use) => {
    const { id, key } = service.addPartner(use, []);
    return { id, signingKey: key, use, authCodes: [] };
  });
  const target = targetOf(service, false, partners);
  const facts = factsOf(target, { metered: true, partners: 1, asked: () => true, waits: false });
  const checks = applicableChecks(SERVICE_CHECKS, facts, true);
  const reasonsWhere = (allowBan: boolean): string[] => {
    const budgets = budgetsOf(target, { ...RUN, allowBan, ledger: undefined });
    const { unplanned } = planSpending(checks, budgets, facts, { cap: null, help: 'wait' });
    return unplanned.map(({ judgement }) => `${judgement.reason}`);
  };
  const kept = /, but for spendable, kept for bans$/;
  expect(reasonsWhere(true).filter((reason) => kept.test(reason)).length).toBeGreaterThan(5);
  expect(reasonsWhere(false).filter((reason) => kept.test(reason))).toEqual([]);
});

describe('where no refused request counts', () => {
  const target = targetOf(new OutsideService(plain!, []), false);
  const facts = factsOf(target, { metered: true, partners: 1, asked: () => true, waits: false });

  it.each([1, 2, 3])('%i partners have room for one that is accepted', (partners) => {
    const plan = planFor(partners, { refusedRequestsCount: false });
    const refused = plan.batches.flatMap(({ partnerId, baseRequest, checks }) =>
      checks
        .map((check) => ({ partnerId, spends: priceOf(check, facts, baseRequest) }))
        .filter(({ spends }) => spends.isRefused),
    );
    for (const id of new Set(plan.batches.map(({ partnerId }) => partnerId))) {
      for (const kind of ALLOWANCE_KINDS) {
        const own = refused.filter((one) => one.partnerId === id && (one.spends[kind] ?? 0) > 0);
        const sent = plan.batches
          .filter(({ partnerId }) => partnerId === id)
          .reduce((sum, { spends }) => sum + spends[kind], 0);
        const free = own.reduce((sum, { spends }) => sum + (spends[kind] ?? 0), 0);
        const most = ALLOWANCE_PER_DAY[kind] - (own.length > 0 ? 1 : 0);
        expect([id, kind, Math.max(most, sent - free)]).toEqual([id, kind, most]);
      }
    }
    const counted = planFor(partners);
    expect(plan.unplanned.length).toBeLessThan(counted.unplanned.length / 2);
  });
});
