// @module-tag long

import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../../src/conformance/index.ts';
import { judgeControlled, withVerdict } from '../../../../independent-service/judge.ts';
import { MeteredRun, ruleOf } from '../../../../independent-service/metered-run.ts';
import { STYLES, type Style } from '../../../../independent-service/style.ts';
import { watchedClock } from '../../../../independent-service/world.ts';
import { judgeBehaviour } from '../../gaps/judge-behaviour.ts';
import { expectSameAgain } from '../../recheck/same-again.ts';

const LASTS = 'quota/ban-lasts-24h';
const [plain] = STYLES;

/**
 * A limit of the token requests of each partner, by a clock that the control API moves. It has reset
 * once none was let through for a time: how fast a machine is makes no difference.
 */
const limitedTo = (most: number, status: number, forMs: number): Pick<Style, 'limit'> => ({
  limit: {
    status,
    endpoint: 'token',
    per: 'partner',
    byOwnClock: true,
    periodMs: 3_600_000,
    isOver: (_number, recentMs, nowMs) => {
      const times = [...recentMs, nowMs];
      const start = times.findLastIndex((atMs, at) => atMs - (times[at - 1] ?? 0) >= forMs);
      return times.length - start > most;
    },
  },
});

const judgeLimited = (
  broken: readonly string[],
  limit: Parameters<typeof limitedTo> | null,
  onSleep?: (forMs: number) => void,
): Promise<ServiceResult> => {
  const style = { ...plain!, ...(limit ? limitedTo(...limit) : {}) };
  return judgeControlled(style, broken, { only: ['quota/*'], onSleep });
};

it('a request that is refused for the rate of the target begins no ban', {
  timeout: 120_000,
}, async () => {
  const limit = { 'token-rate-limit': { perSecond: 10 } };
  const only = ['quota/refresh-refuses-11th', LASTS];
  const result = await judgeBehaviour(limit, 'control', 1, { only });
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  expect(withVerdict(result, 'pass')).toContain(LASTS);
});

it.each([
  [404, 10],
  [500, 25],
])('no ban begins where the limit answers with %i, at %i per second', async (status, most) => {
  const behaviour = {
    'token-rate-limit': { perSecond: most },
    'error-status': { 'rate-limited': status },
  };
  const result = await judgeBehaviour(behaviour, 'control', 1, { only: ['quota/*'] });
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
});

describe('a target that limits its rate', () => {
  it.each([
    { most: 5, status: 404, forMs: 1_000 },
    { most: 10, status: 403, forMs: 60_000 },
  ])(
    'to $most until a pause of $forMs ms, and answers $status, is not accused',
    async ({ most, status, forMs }) => {
      const result = await judgeLimited([], [most, status, forMs]);
      expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      expect(ruleOf(result, LASTS).verdict).toBe('pass');
      await expectSameAgain(result);
    },
  );

  it('is accused if its bans end early', async () => {
    const result = await judgeLimited([`${LASTS}#begun-with-scope`], [10, 404, 1_000]);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([LASTS]);
    await expectSameAgain(result);
  });

  it('is not accused where the one long rest of the run was spent on another refusal', async () => {
    const result = await judgeLimited([`${LASTS}#user-12-hours`], [10, 404, 1_000]);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(ruleOf(result, LASTS).verdict).toBe('inconclusive');
    await expectSameAgain(result);
  });
});

describe('a target without a limit', () => {
  it('is accused of bans that end early', async () => {
    const result = await judgeLimited([`${LASTS}#platform-hour`], null);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([LASTS]);
    expect(ruleOf(result, LASTS).reason).toContain('accepted a platform token request');
    await expectSameAgain(result);
  });

  it('is accused of bans of less than a minute', async () => {
    const result = await judgeLimited([`${LASTS}#user-none`], null);
    // The sixth is accepted once another one was refused.
    expect(withVerdict(result, 'fail', 'warn')).toContain('quota/user-refuses-6th');
  });

  it('gets no rest if its bans last', async () => {
    const pausesMs: number[] = [];
    const result = await judgeLimited([], null, (forMs) => pausesMs.push(forMs));
    expect(ruleOf(result, LASTS).verdict).toBe('pass');
    expect(pausesMs).toEqual([]);
  });
});

describe('where time cannot be moved', () => {
  const REFUSES = 'quota/platform-refuses-11th';

  /** Results of a run and of those that resume it, each at the time for which the length of a ban is pending. */
  const judgeByDays = async (
    style: Style,
    broken: readonly string[] = [],
  ): Promise<{ results: readonly ServiceResult[]; pausesMs: readonly number[] }> => {
    const uses = ['general', 'witness', 'spendable'] as const;
    const run = new MeteredRun(style, broken, uses, { allowBan: true, only: [LASTS, REFUSES] });
    await run.service.start();
    const pausesMs: number[] = [];
    const clock = watchedClock(run.clock, (forMs) => pausesMs.push(forMs));
    try {
      const results = [await run.judge('start', { clock })];
      for (let last = results[0]!; ruleOf(last, LASTS).pendingUntil; results.push(last)) {
        run.passUntil(ruleOf(last, LASTS).pendingUntil);
        last = await run.judge('resume');
      }
      return { results, pausesMs };
    } finally {
      await run.service.stop();
    }
  };

  it('a ban that lasts is judged on the next day, and nothing waits for a minute', async () => {
    const { results, pausesMs } = await judgeByDays(plain!);
    expect(results.map((one) => ruleOf(one, LASTS).verdict)).toEqual(['untestable', 'pass']);
    expect(pausesMs.filter((forMs) => forMs >= 10_000)).toEqual([]);
  });

  it.each([
    [404, 1_000],
    [429, 1_000],
    [404, 60_000],
    [500, 60_000],
  ])(
    'a request refused with %i for the rate until a pause of %i ms begins no ban',
    async (status, forMs) => {
      const { results } = await judgeByDays({ ...plain!, ...limitedTo(10, status, forMs) });
      const last = results.at(-1)!;
      expect(results).toHaveLength(3);
      expect(ruleOf(last, LASTS)).toMatchObject({ verdict: 'pass' });
      expect(withVerdict(last, 'fail', 'warn')).toEqual([]);
      await expectSameAgain(last);
    },
  );

  it.each(['platform-hour', 'platform-23-hours', 'to-the-midnight'])(
    'a ban that ends early is begun again, and then judged (%s)',
    async (form) => {
      const { results } = await judgeByDays(plain!, [`${LASTS}#${form}`]);
      const last = results.at(-1)!;
      expect(results).toHaveLength(3);
      expect(withVerdict(last, 'fail', 'warn')).toEqual([LASTS]);
      await expectSameAgain(last);
    },
  );

  it('a rate limit is no allowance', async () => {
    const style = { ...plain!, ...limitedTo(10, 404, 60_000) };
    const { results } = await judgeByDays(style, [REFUSES]);
    const last = results.at(-1)!;
    expect(withVerdict(last, 'fail', 'warn')).toEqual([REFUSES]);
    expect(ruleOf(last, LASTS).verdict).toBe('inconclusive');
    await expectSameAgain(last);
  });
});
