import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkService,
  recheckService,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import type { FaultId } from '../../../../src/server/index.ts';
import { RUN, targetOf, withVerdict } from '../../../independent-service/judge.ts';
import { MeteredRun, verdicts } from '../../../independent-service/metered-run.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';
import { embeddedPair } from '../../../independent-service/world.ts';
import { expectSameAgain, stored } from '../recheck/same-again.ts';

const [plain, strict] = STYLES as [Style, Style];
const GAP = 'failed-requests-count';
const RULES = ['token/nostr-length', 'token/grant-type-known', 'token/timestamp-iso8601'];

/** Result of a run by two partners, and the partners that were banned. */
interface Judged {
  readonly result: ServiceResult;
  readonly again: ServiceResult;
  readonly bans: readonly string[];
}

const JUDGED = new Map<string, Promise<Judged>>();

/** Judges each service once: several tests look at the same run. */
function judge(...run: Parameters<typeof judgeOnce>): Promise<Judged> {
  const [{ name }, ...others] = run;
  const key = JSON.stringify([name, ...others]);
  const judged = JUDGED.get(key) ?? judgeOnce(...run);
  JUDGED.set(key, judged);
  return judged;
}

async function judgeOnce(
  style: Style,
  broken: readonly string[],
  refusedRequestsCount?: boolean,
  only: readonly string[] = [],
): Promise<Judged> {
  const run = new MeteredRun(style, broken, ['general', 'general'], { only });
  await run.service.start();
  const target = { ...targetOf(run.service, false, run.partners), refusedRequestsCount };
  try {
    const result = await run.judge('start', { target });
    const again = await run.judge('start', { target, only: RULES });
    return { result, again, bans: run.service.bans };
  } finally {
    await run.service.stop();
  }
}

const partsLeft = ({ leftOut = [] }: ServiceResult): number =>
  leftOut.reduce((sum, { parts }) => sum + parts, 0);

describe('a target that counts no refused request', () => {
  it.each([
    'token/nostr-length#longer',
    'token/nostr-length#one',
    'token/grant-type-known#password',
    'token/grant-type-known#zero',
  ])('is judged by all refusals if its profile says so: %s', { tags: ['long'] }, async (form) => {
    const [rule] = form.split('#');
    const declared = await judge(plain, [form], false);
    expect(withVerdict(declared.result, 'fail', 'warn')).toEqual([rule]);
    expect(declared.bans).toEqual([]);
    const silent = await judge(plain, [form]);
    expect(withVerdict(silent.result, 'fail', 'warn')).toEqual([]);
    expect(partsLeft(declared.result)).toBeLessThan(partsLeft(silent.result) / 2);
  });

  it('is shown to do so', async () => {
    const gapIn = ({ gaps }: ServiceResult) => gaps.find(({ id }) => id === GAP)?.observed;
    const declared = await judge(plain, [], false);
    expect(gapIn(declared.result)?.words).toMatch(/^at least \d+ of \d+ refused requests did not$/);
    expect(declared.result.notes).toEqual([]);
    expect(gapIn((await judge(plain, [])).result)).toBeNull();
    const wrong = gapIn((await judge(strict, [], false)).result)?.words;
    expect(wrong).toMatch(/^a right request was refused after \d+ accepted and \d+ refused ones$/);
  });

  it('keeps what was refused for a later run of the day', async () => {
    const declared = await judge(plain, [], false, RULES);
    const silent = await judge(plain, [], undefined, RULES);
    expect(withVerdict(declared.again, 'pass').sort()).toEqual(RULES.toSorted());
    expect(withVerdict(silent.again, 'pass')).toEqual([]);
    expect([...declared.bans, ...silent.bans]).toEqual([]);
  });

  it('loses no allowance to the requests that it should refuse and accepts', async () => {
    const { result, bans } = await judge(plain, RULES, false);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(expect.arrayContaining(RULES));
    expect(bans).toEqual([]);
  });
});

const USES = ['general', 'general', 'spendable'] as const;

describe('a spendable partner', () => {
  /** Results of a run that may ban, and of one that resumes it when the ban is over. */
  async function judgeWithBan(
    style: Style,
    broken: readonly string[] = [],
  ): Promise<{ first: ServiceResult; later: () => Promise<ServiceResult>; run: MeteredRun }> {
    const run = new MeteredRun(style, broken, USES, {
      allowBan: true,
      requests: undefined,
    });
    await run.service.start();
    onTestFinished(async () => run.service.stop());
    const first = await run.judge('start');
    const later = async (): Promise<ServiceResult> => {
      await run.clock.sleep(25 * 3_600_000);
      return run.judge('resume');
    };
    return { first, later, run };
  }

  const learnedBy = ({ exchanges }: ServiceResult): (number | undefined)[] =>
    exchanges
      .filter(({ part }) => part?.check === 'survey:refused-count')
      .map(({ response }) => response?.status);

  it('shows that no refused request counts, and the run sends what it left out', async () => {
    const { first, run } = await judgeWithBan(plain);
    const afterTokens = [200, 400, 200, 400, 200, 400];
    expect(learnedBy(first)).toEqual([
      ...afterTokens,
      200,
      ...Array.from({ length: 10 }, () => 200),
    ]);
    expect(withVerdict(first, 'fail', 'warn')).toEqual([]);
    expect(run.service.bans).toEqual(['partner-2']);
    const silent = await judge(plain, []);
    expect(partsLeft(first)).toBeLessThan(partsLeft(silent.result) / 2);
    await expectSameAgain(first);
    expect(withVerdict(first, 'pass')).toEqual(
      expect.arrayContaining(['quota/platform-allows-10', 'quota/platform-refuses-11th']),
    );
  });

  it.each(['token/nostr-length#longer', 'token/grant-type-known#password'])(
    'lets a run find what needs many refusals: %s',
    { tags: ['long'] },
    async (form) => {
      const { first } = await judgeWithBan(plain, [form]);
      expect(withVerdict(first, 'fail', 'warn')).toEqual([form.split('#')[0]]);
    },
  );

  it.each(['token/timestamp-expired#refresh', 'token/nostr-length#refresh'])(
    'shows a mistake of a refresh that is accepted, and learns from the others: %s',
    async (fault) => {
      const partners = USES.map((use, at) => ({
        id: `partner-${at}`,
        signingKey: `key-of-partner-${at}`,
        use,
        authCodes: Array.from({ length: 6 }, (_, code) => `code-${at}-${code}`),
      }));
      const faults = [fault as FaultId];
      const { companion: _, ...world } = await embeddedPair({ partners, faults });
      const run = { ...RUN, allowBan: true, requests: undefined, ...world };
      const result = await checkService(run);
      const [rule = ''] = fault.split('#');
      expect(withVerdict(result, 'fail')).toContain(rule);
      expect(learnedBy(result).filter((status) => status !== 200)).toHaveLength(2);
      expect(partsLeft(result)).toBeLessThan(200);
      expect(verdicts(await recheckService(stored(result)))).toEqual(verdicts(result));
    },
  );

  it('is banned at once where refused requests count, and its ban is judged on another day', async () => {
    const { first, later, run } = await judgeWithBan(strict);
    expect(learnedBy(first).at(-1)).not.toBe(200);
    expect(run.service.bans).toEqual(['partner-2']);
    expect(withVerdict(first, 'fail', 'warn', 'inconclusive')).toEqual([]);
    const gap = first.gaps.find(({ id }) => id === GAP)?.observed;
    expect(gap).toMatchObject({ value: 'yes' });
    const pending = first.rules.filter(({ pendingUntil }) => pendingUntil !== undefined);
    expect(pending.map(({ id }) => id)).toContain('quota/platform-allows-10');
    const second = await later();
    await expectSameAgain(second);
    expect(withVerdict(second, 'fail', 'warn')).toEqual([]);
    expect(withVerdict(second, 'pass')).toEqual(
      expect.arrayContaining(['quota/platform-allows-10', 'quota/platform-refuses-11th']),
    );
  });
});

describe('a target that counts refused requests', () => {
  it('bans nobody where nothing is declared', async () => {
    const { result, bans } = await judge(strict, []);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(bans).toEqual([]);
  });

  it('is accused of nothing by a profile that is wrong', { tags: ['long'] }, async () => {
    const { result, bans } = await judge(strict, [], false);
    expect(bans).not.toEqual([]);
    expect(result.notes.join()).toContain('set refusedRequestsCount to true');
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  });
});

describe('exploring a target that counts no refused request', () => {
  const FORM = 'token/nostr-length#longer';
  const RULE = 'token/nostr-length';

  const exploreOnce = async (
    broken: readonly string[],
    refusedRequestsCount?: boolean,
    exploreSeconds: number | undefined = 20,
  ) => {
    const run = new MeteredRun(plain, broken, ['general'], { only: [RULE] });
    await run.service.start();
    const target = { ...targetOf(run.service, false, run.partners), refusedRequestsCount };
    try {
      const result = await run.judge('start', { target, exploreSeconds });
      const [partner] = run.service.partners.values();
      const accepted = partner!.asked.filter(({ kind }) => kind === 'platform').length;
      return { result, accepted, sent: run.service.bodies.length, bans: run.service.bans };
    } finally {
      await run.service.stop();
    }
  };

  it('sends it wrong token requests, until four were accepted', {
    tags: ['long'],
  }, async () => {
    const { result, accepted, bans } = await exploreOnce([FORM], false);
    expect(withVerdict(result, 'fail')).toEqual([RULE]);
    expect(result.explored?.finds.map(({ words }) => words)).toEqual([
      [expect.stringMatching(/^1\. a platform token request, with a nostr .*accepted/)],
    ]);
    const held = await exploreOnce([FORM], false, 0);
    expect(accepted - held.accepted).toBe(4);
    expect(bans).toEqual([]);
  });

  it('finds nothing where it follows the rules', { tags: ['long'] }, async () => {
    const { result, bans } = await exploreOnce([], false);
    expect(result.explored).toMatchObject({ finds: [], unconfirmed: 0 });
    expect(result.explored?.actions['platform']).toBeGreaterThan(20);
    expect(bans).toEqual([]);
  });

  it('sends none where refused ones may count', { tags: ['long'] }, async () => {
    const { result, sent } = await exploreOnce([FORM]);
    const held = await exploreOnce([FORM], undefined, 0);
    expect(result.explored?.steps).toBeGreaterThan(100);
    expect(sent).toBe(held.sent);
  });
});
