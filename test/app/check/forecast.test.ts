import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forecastCheck } from '../../../src/app/check/forecast-check.ts';
import {
  type CheckServiceOptions,
  checkService,
  type Forecast,
  type ServiceResult,
  type Suite,
  suiteSchema,
  type TargetPartner,
} from '../../../src/conformance/index.ts';
import { openLedger } from '../../../src/spending/index.ts';
import { RUN, targetOf } from '../../independent-service/judge.ts';
import { runClock } from '../../independent-service/run-clock.ts';
import { OutsideService } from '../../independent-service/service.ts';
import { STYLES } from '../../independent-service/style.ts';
import { lockWorld, openedLedger } from '../../support/lock-world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Use = TargetPartner['use'];
type Options = CheckServiceOptions;

/** Profile and flags of a check. */
interface Profile {
  readonly uses: readonly Use[];
  readonly codes?: number;
  readonly run?: Partial<Options>;
  readonly environment?: 'test';
  readonly control?: true;
  readonly hasToken?: true;
  readonly shapes?: readonly string[];
  /** Platform requests of the first partner that the ledger has of today. */
  readonly spent?: number;
  /** Index of its style: a service that counts, bans and answers otherwise. */
  readonly style?: number;
}

const suiteOf = (include: string[], most: number): Suite =>
  suiteSchema.parse({ name: 'capped', rules: { include }, tokenRequests: { most } });

const ESTIMATES = ['estimate/*', 'record/*', 'carpool/*', 'auth/unknown-token'];

const PROFILES: Readonly<Record<string, Profile>> = {
  'one partner with codes': { uses: ['general'] },
  'one partner without codes': { uses: ['general'], codes: 0 },
  'one partner with one code': { uses: ['general'], codes: 1 },
  'two partners and a witness': { uses: ['general', 'general', 'witness'] },
  'a strict service': { uses: ['general', 'general'], style: 1 },
  'spendable partners that may be banned': {
    uses: ['general', 'witness', 'spendable', 'spendable', 'spendable'],
    run: { allowBan: true },
  },
  'a spendable partner that may not be banned': { uses: ['general', 'spendable'] },
  'a partner that has sent nine requests today': { uses: ['general'], spent: 9 },
  'one partner, and estimates that are explored': {
    uses: ['general'],
    run: { only: ['estimate/*'], exploreSeconds: 2 },
  },
  'six token requests at most, and estimates that are explored': {
    uses: ['general'],
    run: { suite: suiteOf(ESTIMATES, 6), exploreSeconds: 2 },
  },
  'an access token, and no token request': {
    uses: ['general'],
    hasToken: true,
    run: { suite: suiteOf(ESTIMATES, 0) },
  },
  'six token requests at most': {
    uses: ['general'],
    run: { suite: suiteOf([...ESTIMATES, 'token/*', 'signature/*'], 6) },
  },
  'the test environment, and one shape': {
    uses: ['general'],
    environment: 'test',
    shapes: ['plain'],
  },
  'a control API': { uses: [], control: true, run: { only: ['token/nostr-*', 'lock/*'] } },
  'no partner': { uses: [] },
};

/** Rules by what became of them, and spend by partner. */
type Outcome = Record<'judged' | 'pending' | 'inconclusive' | 'untestable', string[]> & {
  readonly spends: Record<string, unknown>;
  readonly leftOut: Forecast['leftOut'];
};

const idsOf = (open: Forecast['untestable']): string[] => open.map(({ rule }) => rule);

function forecastOutcome(forecast: Forecast): Outcome {
  const { judged, pending, inconclusive, untestable, partners, leftOut } = forecast;
  const spends = partners.map(({ partner, spends: { codes: _codes, ...kinds } }) => [
    partner,
    kinds,
  ]);
  return {
    judged: [...judged],
    pending: idsOf(pending),
    inconclusive: idsOf(inconclusive),
    untestable: idsOf(untestable),
    spends: Object.fromEntries(spends) as Record<string, unknown>,
    leftOut,
  };
}

function runOutcome(
  { rules, spend, leftOut = [] }: ServiceResult,
  partners: readonly TargetPartner[],
): Outcome {
  const having = (isMeant: (rule: (typeof rules)[number]) => boolean): string[] =>
    rules.filter(isMeant).map(({ id }) => id);
  const open = (verdict: string): string[] =>
    having((rule) => rule.verdict === verdict && rule.pendingUntil === undefined);
  const nothing = { platform: 0, user: 0, refresh: 0 };
  return {
    judged: having(({ verdict }) => ['pass', 'fail', 'warn'].includes(verdict)),
    pending: having(({ pendingUntil }) => pendingUntil !== undefined),
    inconclusive: open('inconclusive'),
    untestable: open('untestable'),
    spends: Object.fromEntries(partners.map(({ id }) => [id, spend[id] ?? nothing])),
    leftOut,
  };
}

/** Forecasts a check of a service written apart from the reference server, then runs it. */
async function forecastAndRun(profile: Profile): Promise<[forecast: Outcome, run: Outcome]> {
  const clock = runClock();
  const { uses, codes = 6, environment = 'production', spent = 0, style = 0 } = profile;
  const service = await new OutsideService(STYLES[style]!, [], environment, clock).start();
  const partners = uses.map((use, at): TargetPartner => {
    const authCodes = Array.from({ length: codes }, (_, number) => `code-${at}-${number}`);
    const partner = service.addPartner(`partner-${at}`, authCodes);
    const { id, key } = partner;
    if (!profile.hasToken) return { id, signingKey: key, use, authCodes };
    const [user, endedAt, usedAt] = [null, null, null];
    const life = { issued: service.now(), expires: service.now() + 7_200_000, endedAt, usedAt };
    const token = { text: 'own', partner, user, scope: 'public', generation: 0, uses: 0, ...life };
    service.tokens.set('own', token);
    return { id, signingKey: key, use, authCodes, accessToken: 'own' };
  });
  const ledger = await openLedger(
    join(temporaryFolder(), 'ledger.jsonl'),
    lockWorld({ wall: clock.now }),
  );
  for (let sent = 0; sent < spent; sent++)
    ledger.spend(service.baseUrl, 'partner-0', ['platform'], clock.now() - 1000);
  const target = targetOf(service, profile.control ?? false, partners);
  const shapes = Object.entries(target.estimates).filter(
    ([shape]) => profile.shapes?.includes(shape) ?? true,
  );
  const options = {
    ...RUN,
    clock,
    target: { ...target, estimates: Object.fromEntries(shapes) },
    ledger: openedLedger(ledger),
    ...profile.run,
  };
  try {
    const forecast = await forecastCheck(options);
    expect(service.bodies).toEqual([]);
    const result = await checkService(options);
    return [forecastOutcome(forecast), runOutcome(result, profile.control ? [] : partners)];
  } finally {
    ledger.close();
    await service.stop();
  }
}

function expectTrue([forecast, run]: readonly [Outcome, Outcome]): void {
  expect(forecast).toEqual(run);
  expect(run.leftOut.filter(({ rule }) => run.untestable.includes(rule))).toEqual([]);
  expect(run.judged.length + run.untestable.length).toBeGreaterThan(5);
}

/** Profiles whose runs take little time. */
const QUICK = ['an access token, and no token request', 'six token requests at most', 'no partner'];

const isQuick = ([name]: [string, Profile]): boolean => QUICK.includes(name);

describe('the forecast of a check', () => {
  const all = Object.entries(PROFILES);

  it.each(all.filter(isQuick))('is what the run comes to, with %s', async (_name, profile) => {
    expectTrue(await forecastAndRun(profile));
    expect.hasAssertions();
  });

  it.each(all.filter((one) => !isQuick(one)))(
    'is what the run comes to, with %s',
    { tags: ['long'] },
    async (_name, profile) => {
      expectTrue(await forecastAndRun(profile));
      expect.hasAssertions();
    },
  );
});
