import { describe, expect, it } from 'vitest';
import { allowanceOutlook } from '../../../src/conformance/model/allowance-outlook.ts';
import { allowanceBreaches } from '../../../src/conformance/model/allowances.ts';
import type { Asked } from '../../../src/conformance/model/asked.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../src/interface/limits.ts';
import fc from '../../support/property.ts';
import {
  DAY_MS,
  HOUR_MS,
  type Manner,
  MINUTE_MS,
  PLAIN,
  SimulatedService,
} from './simulated-service.ts';

/** Rules that a log breaks, of those that last. */
const brokenIn = ({ log }: SimulatedService): string[] => [
  ...new Set(allowanceBreaches(log).flatMap(({ rule, isLasting }) => (isLasting ? [rule] : []))),
];

const anyManner: fc.Arbitrary<Manner> = fc.record({
  day: fc.oneof(
    fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15),
    fc.constantFrom('last 24 hours' as const, 'from the first' as const),
  ),
  countsRefused: fc.boolean(),
  banReach: fc.constantFrom('kind', 'tokens'),
  extendsBan: fc.boolean(),
  countsWrong: fc.boolean(),
});

const anyRate: fc.Arbitrary<Manner['rate']> = fc.option(
  fc
    .tuple(
      fc.constantFrom('partner', 'all'),
      fc.nat({ max: 10 }),
      fc.constantFrom(429, 503, 403, 401, 500),
    )
    .map(([of, more, status]) => ({ of, most: more + (of === 'all' ? 9 : 3), status })),
  { nil: undefined },
);

/** Requests as any checks may send them: in bursts, after pauses, and beyond what is allowed. */
const anyUse = fc.array(
  fc.record({
    partner: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom(...ALLOWANCE_KINDS),
    count: fc.integer({ min: 1, max: 12 }),
    wrong: fc.constantFrom(0, 0, 0, 1, 2),
    pauseMs: fc.constantFrom(
      0,
      1_000,
      61_000,
      5 * MINUTE_MS,
      HOUR_MS,
      5 * HOUR_MS,
      13 * HOUR_MS,
      DAY_MS - 10_000,
      DAY_MS + 10_000,
      30 * HOUR_MS,
    ),
  }),
  { minLength: 4, maxLength: 25 },
);

const soundIsNotAccused = fc.property(anyManner, anyRate, anyUse, (manner, rate, uses) => {
  const service = new SimulatedService({ ...manner, ...(rate && { rate }) });
  for (const { partner, kind, count, wrong, pauseMs } of uses) {
    service.pass(pauseMs);
    // A limit of the rate may refuse what follows wrong requests, and those by another status.
    for (let at = 0; at < (rate ? 0 : wrong); at++)
      service.ask(partner, kind, { isRight: false, isWrong: true, hasOtherCause: true });
    service.use(partner, kind, count);
  }
  return brokenIn(service).length === 0;
});

/** Sends the requests of a run: each allowance used up and exceeded, its ban watched, and what comes after it. */
function watch(service: SimulatedService): void {
  const again = (partner: string, kind: (typeof ALLOWANCE_KINDS)[number], most: number): void => {
    if (service.use(partner, kind, most) === most) return;
    service.pass(61_000);
    service.ask(partner, kind);
  };
  for (const kind of ALLOWANCE_KINDS) {
    const most = ALLOWANCE_PER_DAY[kind];
    again(`witness ${kind}`, kind, 1);
    again(`banned ${kind}`, kind, most);
    service.pass(5 * MINUTE_MS);
    const sentMs = service.nowMs;
    service.ask(`banned ${kind}`, kind);
    again(`witness ${kind}`, kind, 1);
    service.pass(61_000);
    service.ask(`banned ${kind}`, kind);
    service.pass(sentMs + DAY_MS - 10_000 - service.nowMs);
    service.ask(`banned ${kind}`, kind);
    service.pass(20_000);
    service.pass(2 * HOUR_MS);
    again(`lifted ${kind}`, kind, most);
    service.ask(`lifted ${kind}`, kind);
    service.pass(DAY_MS + MINUTE_MS);
    again(`lifted ${kind}`, kind, most);
    service.pass(30 * HOUR_MS);
    again(`used ${kind}`, kind, most);
    service.pass(DAY_MS + 10_000);
    again(`used ${kind}`, kind, most);
    service.pass(50 * HOUR_MS);
  }
  for (const kind of ALLOWANCE_KINDS) again('all', kind, ALLOWANCE_PER_DAY[kind]);
  service.pass(50 * HOUR_MS);
  for (const kind of [...ALLOWANCE_KINDS].reverse())
    again('reversed', kind, ALLOWANCE_PER_DAY[kind]);
}

const FAULTS: readonly (readonly [string, string, Partial<Manner>])[] = [
  ['an allowance of nine', 'quota/platform-allows-10', { limit: { platform: 9 } }],
  ['an allowance of three', 'quota/user-allows-5', { limit: { user: 3 } }],
  ['an allowance of one', 'quota/refresh-allows-10', { limit: { refresh: 1 } }],
  ['an allowance of eleven', 'quota/platform-refuses-11th', { limit: { platform: 11 } }],
  ['an allowance of six', 'quota/user-refuses-6th', { limit: { user: 6 } }],
  ['an allowance without end', 'quota/refresh-refuses-11th', { limit: { refresh: 99 } }],
  [
    'counts a platform token as a refresh',
    'quota/counters-independent',
    { together: ['platform', 'refresh'] },
  ],
  [
    'counts a refresh as a platform token',
    'quota/counters-independent',
    { together: ['refresh', 'platform'] },
  ],
  [
    'counts a refresh as a user token',
    'quota/counters-independent',
    { together: ['refresh', 'user'] },
  ],
  ['ends a ban an hour early', 'quota/ban-lasts-24h', { banMs: 23 * HOUR_MS }],
  ['ends a ban an hour late', 'quota/ban-lifts', { banMs: 26 * HOUR_MS + 5 * MINUTE_MS }],
  ['ends no ban', 'quota/ban-lifts', { banMs: 1e12 }],
  ['has days of 49 hours', 'quota/daily-reset', { windowMs: 49 * HOUR_MS, day: 'last 24 hours' }],
  ['bans all partners', 'quota/per-partner', { bansAll: true }],
];

describe('the model of allowances', () => {
  it.each(FAULTS)('finds a service that has %s', (_what, rule, fault) => {
    const service = new SimulatedService({ ...PLAIN, day: 'last 24 hours', ...fault });
    watch(service);
    expect(brokenIn(service)).toEqual([rule]);
  });

  it('finds a ban that ends early by any reading of the gaps', () => {
    fc.assert(
      fc.property(anyManner, (manner) => {
        const service = new SimulatedService({ ...manner, banMs: 20 * HOUR_MS, extendsBan: false });
        watch(service);
        expect(brokenIn(service)).toContain('quota/ban-lasts-24h');
      }),
      { numRuns: 4 },
    );
  });

  it('names what the service did, and the exchanges that show it', () => {
    const service = new SimulatedService({ ...PLAIN, limit: { user: 6 } });
    service.use('a', 'user', 6);
    const [breach] = allowanceBreaches(service.log);
    expect(breach).toMatchObject({
      reason: 'the service accepted the sixth user token request of the day',
      key: 'x6',
      exchanges: ['x1', 'x2', 'x3', 'x4', 'x5', 'x6'],
      place: 6,
    });
  });

  it('names what a request beyond the allowance had, and none that was refused at its place', () => {
    const reasonOf = (body: string, between: (service: SimulatedService) => void): string => {
      const service = new SimulatedService(PLAIN);
      service.use('a', 'platform', 11);
      service.use('b', 'platform', 10);
      between(service);
      const got = { accessToken: 'eleventh', refreshToken: null, lifeMs: null };
      service.ask('b', 'platform', { outcome: 'accepted', status: 200, body, got });
      return allowanceBreaches(service.log)[0]?.reason ?? '';
    };
    const eleventh = 'the service accepted the eleventh platform token request of the day';
    expect(reasonOf('{"scope":"profile"}', () => {})).toMatch(/, with another scope than /);
    expect(reasonOf('', (service) => service.ask('b', 'refresh'))).toMatch(
      /, once it had accepted a refresh token request as well$/,
    );
    expect(reasonOf('', () => {})).toBe(eleventh);
  });

  it('names the request of another kind that lifted a ban, unless a refusal came after it', () => {
    const reasonOf = (beside: readonly ('user' | 'platform')[]): string | undefined => {
      const service = new SimulatedService({ ...PLAIN, banMs: 13 * HOUR_MS });
      const startMs = service.nowMs;
      service.use('a', 'platform', 10);
      service.pass(61_000);
      service.ask('a', 'platform');
      for (const kind of beside) {
        service.pass(5 * HOUR_MS);
        service.ask('a', kind);
      }
      // Another day by then.
      service.pass(startMs + 14 * HOUR_MS - service.nowMs);
      service.ask('a', 'platform');
      return allowanceBreaches(service.log).find(({ rule }) => rule === 'quota/ban-lasts-24h')
        ?.reason;
    };
    expect(reasonOf(['platform', 'user'])).toMatch(/, once it had accepted a user token request$/);
    expect(reasonOf(['user', 'platform'])).toMatch(
      /13 h 58 min 59 s after it refused one beyond the allowance, and refused another 10 h after it$/,
    );
    expect(reasonOf([])).toMatch(/after it refused one beyond the allowance$/);
  });

  it('finds an allowance of all partners by two days on which it was used up, and by no single one', () => {
    const service = new SimulatedService({ ...PLAIN, countsAll: true });
    const useUp = (nth: number): void => {
      service.use(`first ${nth}`, 'platform', 4);
      service.use(`second ${nth}`, 'platform', 7);
      // More than that are accepted of another kind, which no rate limit would let pass.
      for (const third of ['a', 'b']) service.use(`${third} ${nth}`, 'refresh', 5);
    };
    const ofAll = () => allowanceBreaches(service.log).filter(({ isOfAll }) => isOfAll);
    useUp(1);
    expect(ofAll()).toEqual([]);
    service.pass(DAY_MS);
    useUp(2);
    const [breach] = ofAll();
    expect(breach).toMatchObject({
      rule: 'quota/platform-allows-10',
      reason:
        'the service refused the seventh platform token request of the day with status 403, once 10 of all partners had been accepted that day',
      isLasting: true,
      isOfAll: true,
    });
  });

  it('takes a refusal by the ban of another kind for the beginning of none', () => {
    const service = new SimulatedService({ ...PLAIN, day: 'last 24 hours', banReach: 'tokens' });
    service.use('a', 'user', 5);
    service.use('a', 'refresh', 11);
    service.pass(5 * MINUTE_MS);
    service.ask('a', 'user');
    service.pass(DAY_MS - 10_000);
    expect(service.ask('a', 'user')).toBe(true);
    expect(brokenIn(service)).toEqual([]);
  });

  it('takes no rate limit for an allowance of all partners', () => {
    const rate = { most: 10, of: 'all', status: 403 } as const;
    const service = new SimulatedService({ ...PLAIN, rate });
    for (let nth = 1; nth <= 3; nth++) {
      for (const burst of ['a', 'b']) {
        service.use(`${burst} ${nth}`, 'platform', 8);
        service.use(`beside ${burst} ${nth}`, 'platform', 8);
        service.pass(MINUTE_MS);
      }
      service.pass(DAY_MS);
    }
    expect(allowanceBreaches(service.log).filter(({ isOfAll }) => isOfAll)).toEqual([]);
  });

  it('does not take one reading for one partner and another one for the next', () => {
    const service = new SimulatedService({ ...PLAIN, windowMs: 8 * HOUR_MS });
    // By some midnight each pair of bursts lies on two days; by no midnight both do.
    for (const partner of ['a', 'b']) {
      service.use(partner, 'platform', 10);
      service.pass(8 * HOUR_MS);
      service.use(partner, 'platform', 10);
      service.pass(28 * HOUR_MS);
    }
    expect(brokenIn(service)).toEqual(['quota/platform-refuses-11th']);
  });

  it('holds no refusal against a service that went away by itself', () => {
    const service = new SimulatedService(PLAIN);
    service.use('a', 'platform', 3);
    service.ask('a', 'platform', { outcome: 'refused', status: 403 });
    service.pass(61_000);
    service.ask('a', 'platform', { outcome: 'refused', status: 403 });
    service.use('a', 'platform', 4);
    expect(allowanceBreaches(service.log)).toEqual([]);
  });

  const REFUSED = { outcome: 'refused', status: 403 } as const;

  it.each([{ status: 503 }, { status: 403, retryAfterS: 60 }])(
    'judges no refusal with %o',
    (refusal) => {
      const service = new SimulatedService(PLAIN);
      service.use('a', 'platform', 3);
      for (const ms of [0, 61_000]) {
        service.pass(ms);
        service.ask('a', 'platform', { ...REFUSED, ...refusal });
      }
      expect(allowanceBreaches(service.log)).toEqual([]);
    },
  );

  it('lets refused requests count', () => {
    const service = new SimulatedService(PLAIN);
    service.use('a', 'platform', 7);
    for (const number of [1, 2, 3])
      service.ask('a', 'platform', { ...REFUSED, isRight: number > 3 });
    for (const ms of [61_000, 61_000]) {
      service.pass(ms);
      service.ask('a', 'platform', REFUSED);
    }
    expect(brokenIn(service)).toEqual([]);
  });

  it('lets what is refused during a ban extend it', () => {
    const service = new SimulatedService({ ...PLAIN, extendsBan: true });
    service.use('a', 'platform', 11);
    for (const ms of [12 * HOUR_MS, 13 * HOUR_MS, 61_000]) {
      service.pass(ms);
      service.ask('a', 'platform');
    }
    expect(brokenIn(service)).toEqual([]);
  });

  it('lets clocks be set back between two days', () => {
    const service = new SimulatedService(PLAIN);
    service.nowMs = Date.UTC(2026, 8, 1, 21, 31);
    // Midnight is at 22:00 for one partner, and at 23:00 for another one, some months later.
    for (const ms of [0, 90 * DAY_MS]) {
      service.pass(ms);
      for (let number = 0; number < 20; number++) {
        service.pass(number === 10 ? HOUR_MS : 0);
        service.ask(`p${ms}`, 'platform', { outcome: 'accepted', status: 200 });
      }
    }
    expect(brokenIn(service)).toEqual([]);
  });

  it('believes a refusal before which nothing was sent for a minute', () => {
    const service = new SimulatedService({
      ...PLAIN,
      windowMs: 49 * HOUR_MS,
      day: 'last 24 hours',
    });
    service.use('a', 'platform', 10);
    service.pass(DAY_MS + 10_000);
    service.ask('a', 'platform');
    expect(brokenIn(service)).toEqual(['quota/daily-reset']);
  });

  it('believes one that followed fewer requests than another that was accepted', () => {
    const service = new SimulatedService(PLAIN);
    service.use('c', 'user', 3);
    service.use('a', 'user', 2);
    service.ask('a', 'user', REFUSED);
    expect(brokenIn(service)).toEqual([]);
    service.use('b', 'platform', 9);
    expect(brokenIn(service)).toEqual(['quota/user-allows-5']);
  });

  it.each([
    [9, {}],
    [9, { kind: null }],
  ] as const)(
    'does not believe one that %i requests of others may be the cause of',
    (others, more) => {
      const service = new SimulatedService(PLAIN);
      for (let number = 0; number < 5; number++) {
        service.ask('c', 'user');
        service.pass(61_000);
      }
      service.use('a', 'user', 3);
      service.ask('a', 'user', REFUSED);
      service.pass(61_000);
      for (let number = 0; number < others; number++) service.ask(`b${number}`, 'platform', more);
      service.ask('a', 'user', REFUSED);
      expect(brokenIn(service)).toEqual([]);
      service.pass(61_000);
      service.ask('a', 'user', REFUSED);
      expect(brokenIn(service)).toEqual(['quota/user-allows-5']);
    },
  );

  it('does not take allowances for one that were seen to be apart', () => {
    const service = new SimulatedService({ ...PLAIN, bansAll: true });
    service.use('witness', 'refresh', 10);
    service.use('witness', 'platform', 2);
    service.use('banned', 'platform', 11);
    for (const ms of [0, 61_000]) {
      service.pass(ms);
      service.ask('witness', 'platform');
    }
    expect(brokenIn(service)).toEqual(['quota/per-partner']);
  });

  it('takes an acceptance a minute after the request that began a ban for the end of that', () => {
    const service = new SimulatedService(PLAIN);
    service.use('a', 'platform', 11);
    service.ask('a', 'platform');
    service.pass(61_000);
    service.ask('a', 'platform', { outcome: 'accepted', status: 200 });
    expect(brokenIn(service)).toEqual(['quota/ban-lasts-24h']);
  });

  it('says nothing of a kind that was never granted', () => {
    const service = new SimulatedService(PLAIN);
    for (const ms of [0, 61_000, 61_000]) {
      service.pass(ms);
      service.ask('a', 'user', REFUSED);
    }
    expect(allowanceBreaches(service.log)).toEqual([]);
  });

  it('does not count a second refusal while the clock of the target stands still as one before the first', () => {
    const service = new SimulatedService({ ...PLAIN, limit: { platform: 9 } });
    service.use('a', 'platform', 10);
    const { answeredMs } = service.log.at(-1)!;
    service.pass(61_000);
    service.ask('a', 'platform', { sentMs: answeredMs, answeredMs });
    expect(brokenIn(service)).toEqual(['quota/platform-allows-10']);
  });

  it('believes no refusal with a status that passed elsewhere, as the target refuses at random', () => {
    const service = new SimulatedService({ ...PLAIN, limit: { user: 3 } });
    service.use('a', 'user', 4);
    service.pass(61_000);
    service.ask('a', 'user');
    expect(brokenIn(service)).toEqual(['quota/user-allows-5']);
    service.ask('b', 'user', REFUSED);
    service.ask('b', 'user');
    expect(brokenIn(service)).toEqual([]);
  });

  it('blames no allowance where a partner was granted nothing yet, or another one is refused earlier', () => {
    const service = new SimulatedService(PLAIN);
    service.use('b', 'refresh', 5);
    service.use('c', 'platform', 10);
    service.use('c', 'refresh', 1);
    const refuse = (partner: string): void => {
      for (const ms of [0, 61_000]) {
        service.pass(ms);
        service.ask(partner, 'refresh', REFUSED);
      }
    };
    refuse('c');
    expect(brokenIn(service)).toEqual(['quota/counters-independent']);
    refuse('d');
    expect(brokenIn(service)).toEqual([]);
  });

  it('takes no excuse from a partner whose own refused requests may have used its allowance', () => {
    const service = new SimulatedService({ ...PLAIN, together: ['refresh', 'platform'] });
    service.use('b', 'platform', 10);
    const wrong = { ...REFUSED, isRight: false, isWrong: true };
    for (let count = 0; count < 10; count++) service.ask('c', 'refresh', wrong);
    service.ask('c', 'platform');
    service.use('d', 'refresh', 10);
    for (const ms of [0, 61_000]) {
      service.pass(ms);
      service.ask('d', 'platform');
    }
    expect(brokenIn(service)).toEqual(['quota/counters-independent']);
  });

  it('lets the ban of another kind explain what follows it', () => {
    const rate = { most: 6, of: 'partner', status: 429 } as const;
    const service = new SimulatedService({ ...PLAIN, banReach: 'tokens', rate });
    service.use('b', 'refresh', 7);
    service.pass(5 * HOUR_MS);
    service.use('b', 'user', 6);
    service.pass(DAY_MS - 10_000);
    service.ask('b', 'refresh');
    expect(brokenIn(service)).toEqual([]);
  });

  it('accuses no sound service, whatever its gaps, rate limits and requests', () => {
    fc.assert(soundIsNotAccused, { numRuns: 20 });
  });

  it.each([0, 'last 24 hours'] as const)(
    'counts a ban from the first refusal, though that may have another cause: a day of %s',
    (day) => {
      const service = new SimulatedService({ ...PLAIN, day, countsWrong: true });
      const wrong = { isRight: false, isWrong: true, hasOtherCause: true };
      service.use('a', 'refresh', ALLOWANCE_PER_DAY.refresh);
      service.ask('a', 'refresh', wrong);
      service.pass(5 * MINUTE_MS);
      for (let at = 0; at < 2; at++) {
        service.ask('a', 'refresh', { isWrong: true });
        service.pass(MINUTE_MS);
      }
      service.pass(DAY_MS - 6 * MINUTE_MS);
      expect(service.ask('a', 'refresh')).toBe(true);
      expect(brokenIn(service)).toEqual([]);
    },
  );

  it('begins no ban by refusals that have other causes', () => {
    const service = new SimulatedService({ ...PLAIN, day: 12 * 60 });
    const sent = { accessToken: null, refreshToken: 'used', authCode: null };
    service.use('a', 'refresh', ALLOWANCE_PER_DAY.refresh - 1);
    service.ask('a', 'refresh', { sent });
    for (const more of [{ sent, hasOtherCause: true }, { hasOtherCause: true }])
      service.ask('a', 'refresh', { isRight: false, isWrong: true, ...more });
    // Past the next midnight of the service.
    service.pass(23 * HOUR_MS + 57 * MINUTE_MS);
    expect(service.ask('a', 'refresh')).toBe(true);
    const next = service.log.at(-1) as Asked & { readonly kind: 'refresh' };
    expect(allowanceOutlook(next, service.log.slice(0, -1)).refusedBy).toBeUndefined();
  });

  it('accuses none of many', { tags: ['long'] }, () => {
    fc.assert(soundIsNotAccused, { numRuns: 1500 });
  });
});
