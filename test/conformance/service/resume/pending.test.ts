import { afterEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../../independent-service/judge.ts';
import { MeteredRun, ruleOf } from '../../../independent-service/metered-run.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { expectSameAgain } from '../recheck/same-again.ts';

const [LASTS, LIFTS, RESET] = ['quota/ban-lasts-24h', 'quota/ban-lifts', 'quota/daily-reset'];
const QUARTER_MS = 900_000;
const USES = ['general', 'general', 'witness', 'general', 'spendable', 'spendable'] as const;
const running: MeteredRun[] = [];

afterEach(async () => {
  for (const { service } of running.splice(0)) await service.stop();
});

async function open(
  style: (typeof STYLES)[number],
  broken: readonly string[] = [],
  only: readonly string[] = [LASTS, LIFTS, RESET],
): Promise<MeteredRun> {
  const run = new MeteredRun(style, broken, USES, { allowBan: true, only });
  running.push(run);
  await run.service.start();
  return run;
}

for (const [at, style] of STYLES.entries()) {
  describe(`a rule that needs another day (${style.name})`, {
    tags: at === 0 ? [] : ['long'],
  }, () => {
    it('is pending until its time, and judged by a resumed run', {
      tags: ['long'],
    }, async () => {
      const run = await open(style, [], []);
      // A partner that may be banned is not asked whether refused requests count.
      const refusedRequestsCount = style.failedCount ? true : undefined;
      const target = { ...targetOf(run.service, false, run.partners), refusedRequestsCount };
      const first = await run.judge('start', { target });
      for (const id of [LASTS, LIFTS, RESET]) {
        const { verdict, reason, pendingUntil } = ruleOf(first, id);
        expect(verdict).toBe('untestable');
        expect(reason).toBe(`pending until ${pendingUntil}`);
      }
      expect(first.summary).toMatchObject({ fail: 0, warn: 0, inconclusive: 0 });
      expect(new Set(run.service.bans)).toEqual(new Set(['partner-4', 'partner-5']));
      const requests = run.service.bodies.length;

      const early = await run.judge('resume', { target });
      expect(early.rules).toEqual(first.rules);
      expect(early.gaps).toEqual(first.gaps);
      expect(early.spend).toEqual(first.spend);
      expect(run.service.bodies).toHaveLength(requests);

      run.passUntil(ruleOf(first, LASTS).pendingUntil);
      const second = await run.judge('resume', { target });
      expect(ruleOf(second, LASTS)).toMatchObject({ verdict: 'pass', clock: 'wall' });
      expect(ruleOf(second, LIFTS).verdict).toBe('untestable');
      run.passUntil(ruleOf(second, LIFTS).pendingUntil);
      const third = await run.judge('resume', { target });
      expect(ruleOf(third, LIFTS).verdict).toBe('pass');
      run.passUntil(ruleOf(third, RESET).pendingUntil);
      const last = await run.judge('resume', { target });
      expect(ruleOf(last, RESET).verdict).toBe('pass');
      expect(last.summary).toMatchObject({ fail: 0, warn: 0, inconclusive: 0 });
      expect(last.startedAt).toBe(first.startedAt);
      expect(run.service.bodies.length).toBeLessThan(requests + 30);
      // A partner that must not be banned is not banned on any day.
      expect(new Set(run.service.bans)).toEqual(new Set(['partner-4', 'partner-5']));
      const ids = last.exchanges.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('is judged by a run that waits', async () => {
      const run = await open(style);
      const before = run.service.now();
      const waitedFor = new Set<string>();
      const onWait = (_until: number, _now: number, rules: readonly string[]): void =>
        rules.forEach((rule) => waitedFor.add(rule));
      const result = await run.judge('start', { waits: true, onWait });
      expect([...waitedFor]).toEqual(expect.arrayContaining([LASTS, LIFTS, RESET]));
      for (const id of [LASTS, LIFTS, RESET]) expect(ruleOf(result, id).verdict).toBe('pass');
      expect(ruleOf(result, LASTS).reason).not.toContain('--wait');
      expect(run.service.now() - before).toBeGreaterThan(25 * 3_600_000);
      expect(run.service.now() - before).toBeLessThan(26 * 3_600_000);
    });
  });
}

it('knows the tokens that its first part got', async () => {
  const rules = ['lifecycle/access-token-expires', 'lifecycle/expired-replaced-by-refresh'];
  const run = await open(STYLES[0]!, [], rules);
  const first = await run.judge('start');
  expect(rules.map((rule) => ruleOf(first, rule).verdict)).toEqual(['untestable', 'untestable']);
  await run.clock.sleep(25 * 3_600_000);
  const later = await run.judge('resume');
  expect(rules.map((rule) => ruleOf(later, rule).verdict)).toEqual(['pass', 'pass']);
  await expectSameAgain(later);
});

describe('a rule that is broken on another day', () => {
  for (const [at, style] of STYLES.entries()) {
    const options = { tags: at === 0 ? [] : ['long'] };
    it.each([LIFTS, RESET, LASTS])(
      `%s turns red, waited for (${style.name})`,
      options,
      async (rule) => {
        const run = await open(style, [rule]);
        const result = await run.judge('start', { waits: true });
        const red = result.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
        expect(red).toEqual([rule]);
      },
    );
  }

  it.each([LASTS, LIFTS, RESET])('%s turns red, resumed', { tags: ['long'] }, async (rule) => {
    const run = await open(STYLES[0]!, [rule]);
    let result = await run.judge('start');
    for (let resumed = 0; resumed < 3 && ruleOf(result, rule).pendingUntil; resumed++) {
      run.passUntil(ruleOf(result, rule).pendingUntil);
      result = await run.judge('resume');
    }
    const red = result.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(red).toEqual([rule]);
  });
});

describe('a run that does not wait', () => {
  it('judges a ban after the day that explains it, also if that waits for a quarter of an hour', {
    tags: ['long'],
  }, async () => {
    const run = await open(STYLES[0]!, [LIFTS]);
    const first = await run.judge('start');
    run.passUntil(ruleOf(first, LIFTS).pendingUntil);
    const second = await run.judge('resume');
    const atMs = Date.parse(ruleOf(second, LIFTS).pendingUntil ?? '');
    // No day is begun so shortly before a quarter of an hour, at which another one may begin.
    const beforeQuarterMs = Math.ceil(atMs / QUARTER_MS) * QUARTER_MS + QUARTER_MS - 15_000;
    run.service.advance(beforeQuarterMs - run.service.now());
    const third = await run.judge('resume');
    expect(ruleOf(third, RESET).verdict).toBe('pass');
    expect(ruleOf(third, LIFTS).verdict).toBe('fail');
  });

  it('a ban that ended before it was checked again is reported as such', async () => {
    const run = await open(STYLES[0]!);
    const first = await run.judge('start');
    run.passUntil(ruleOf(first, RESET).pendingUntil);
    const late = await run.judge('resume');
    expect(ruleOf(late, LASTS)).toMatchObject({ verdict: 'untestable' });
    expect(ruleOf(late, LASTS).reason).toContain('before it was probed again');
    expect(ruleOf(late, LIFTS).verdict).toBe('pass');
    expect(ruleOf(late, RESET).verdict).toBe('pass');
  });

  it('other runs leave the partners alone meanwhile', {
    tags: ['long'],
  }, async () => {
    const run = await open(STYLES[0]!);
    const first = await run.judge('start');
    const counted = new Map(run.service.counted);
    run.service.advance(3_600_000);
    const other = await run.judge('start', { only: ['token/*'], runLog: undefined });
    expect(other.summary.fail).toBe(0);
    for (const { id } of run.partners.filter(({ use }) => use === 'spendable'))
      expect(run.service.counted.get(id)).toBe(counted.get(id));
    run.passUntil(ruleOf(first, RESET).pendingUntil);
    expect(ruleOf(await run.judge('resume'), RESET).verdict).toBe('pass');
    expect(new Set(run.service.bans)).toEqual(new Set(['partner-4', 'partner-5']));
  });

  it('an interrupted wait keeps everything', async () => {
    const run = await open(STYLES[0]!);
    const interruption = new AbortController();
    const onWait = (untilMs: number, nowMs: number): void => {
      if (untilMs - nowMs > 3_600_000) interruption.abort();
    };
    const first = await run.judge('start', {
      waits: true,
      signal: interruption.signal,
      onWait,
    });
    expect(first.interrupted).toBe(true);
    expect(ruleOf(first, LIFTS).pendingUntil).toBeDefined();
    const requests = run.service.bodies.length;
    const last = await run.judge('resume', { waits: true });
    for (const id of [LASTS, LIFTS, RESET]) expect(ruleOf(last, id).verdict).toBe('pass');
    expect(run.service.bodies.length).toBeLessThan(requests + 30);
  });
});

describe('a profile that is too small', () => {
  it('is told what these rules need', async () => {
    const run = new MeteredRun(STYLES[0]!, [], ['general', 'spendable'], {
      allowBan: true,
      only: [LASTS, LIFTS],
    });
    running.push(run);
    await run.service.start();
    const result = await run.judge('start');
    expect(ruleOf(result, LASTS).reason).toMatch(/^pending until/);
    expect(ruleOf(result, LIFTS)).toMatchObject({
      verdict: 'untestable',
      remedy: 'mark another partner of the profile as "use: spendable"',
    });
  });
});
