// @module-tag long

import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../../../src/conformance/index.ts';
import { judgeControlled, withVerdict } from '../../../../independent-service/judge.ts';
import { MeteredRun, ruleOf } from '../../../../independent-service/metered-run.ts';
import { runClock } from '../../../../independent-service/run-clock.ts';
import { STYLES, type Style } from '../../../../independent-service/style.ts';
import { judgeBehaviour } from '../../gaps/judge-behaviour.ts';
import { expectSameAgain } from '../../recheck/same-again.ts';

const LASTS = 'quota/ban-lasts-24h';
const [plain] = STYLES;

/**
 * A limit of the token requests of each partner, by a clock that the control API moves. It has room again
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
  sleep?: (forMs: number) => Promise<void>,
): Promise<ServiceResult> => {
  const style = { ...plain!, ...(limit ? limitedTo(...limit) : {}) };
  return judgeControlled(style, broken, {
    only: ['quota/*'],
    ...(sleep ? { clock: { ...runClock(), sleep } } : {}),
  });
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
])(
  'no ban begins where the limit answers with %i, at %i per second',
  { timeout: 120_000 },
  async (status, most) => {
    const behaviour = {
      'token-rate-limit': { perSecond: most },
      'error-status': { 'rate-limited': status },
    };
    const result = await judgeBehaviour(behaviour, 'control', 1, { only: ['quota/*'] });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  },
);

describe('a target that limits its rate', { timeout: 120_000 }, () => {
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

  it.each(['user-12-hours', 'begun-with-scope'])(
    'is accused if its bans end early (%s)',
    async (form) => {
      const result = await judgeLimited([`${LASTS}#${form}`], [10, 404, 1_000]);
      expect(withVerdict(result, 'fail', 'warn')).toEqual([LASTS]);
      await expectSameAgain(result);
    },
  );
});

describe('a target without a limit', { timeout: 120_000 }, () => {
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
    const result = await judgeLimited([], null, async (forMs) => {
      pausesMs.push(forMs);
    });
    expect(ruleOf(result, LASTS).verdict).toBe('pass');
    expect(pausesMs).toEqual([]);
  });
});

it.each([
  [404, 1_000],
  [429, 1_000],
  [404, 60_000],
  [500, 60_000],
])(
  'where time cannot be moved, a request refused with %i for the rate until a pause of %i ms begins no ban',
  async (status, forMs) => {
    const style = { ...plain!, ...limitedTo(10, status, forMs) };
    const uses = ['general', 'witness', 'spendable'] as const;
    const run = new MeteredRun(style, [], uses, { allowBan: true, only: [LASTS] });
    await run.service.start();
    try {
      const { pendingUntil } = ruleOf(await run.judge('start'), LASTS);
      run.passUntil(pendingUntil);
      expect(ruleOf(await run.judge('resume'), LASTS).verdict).toBe('pass');
    } finally {
      await run.service.stop();
    }
  },
);
