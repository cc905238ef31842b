import { describe, expect, it } from 'vitest';
import type { ScenarioFrame } from '../../../../src/documents/scenario.ts';
import {
  expectJudgement,
  judge,
  NOON,
  outcomeOf,
  type RuleCase,
  refresh,
  tokenRequest,
  tokens,
  userToken,
} from '../client-traffic.ts';

const DAY_MS = 86_400_000;

it.each<RuleCase>([
  ['client/quota-platform', tokens(10), tokens(11), /11 in a day/],
  [
    'client/quota-platform',
    tokens(12, (n) => ({ at: n * DAY_MS * 0.1 })),
    tokens(11),
    /11 in a day/,
  ],
  [
    'client/quota-user',
    Array.from({ length: 5 }, (_, n) => userToken(`u${n}`, { at: n * 1000 })),
    Array.from({ length: 6 }, (_, n) => userToken(`u${n}`, { at: n * 1000 })),
    /6 in a day/,
  ],
  [
    'client/quota-refresh',
    Array.from({ length: 10 }, (_, n) => refresh(`r${n}`, `r${n + 1}`, { at: n * 1000 })),
    Array.from({ length: 11 }, (_, n) => refresh(`r${n}`, `r${n + 1}`, { at: n * 1000 })),
    /11 in a day/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

it.each<RuleCase>([
  [
    'client/ban-respected',
    tokens(3, (n) => ({ at: n * 100, status: 403 })),
    tokens(4, (n) => ({ at: n * 300, status: 403 })),
    /after 3/,
  ],
  [
    'client/ban-respected',
    // Four threads ask at once; each request may have been sent before a refusal was read.
    tokens(4, (n) => ({ at: n * 10, took: 2, status: 403 })),
    tokens(14, (n) => ({ at: n * 10, took: 2, status: 403 })),
    /after 3/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});

describe('a daily allowance', () => {
  const RULE = 'client/quota-platform';

  it('is of a day and of a partner', () => {
    const other = tokens(6, (n) => ({ at: 9000 + n, partner: 'p-2' }));
    const nextDay = tokens(6, (n) => ({ at: DAY_MS / 2 + n }));
    expect(judge(RULE, [...tokens(6), ...other])).toMatchObject({ got: [], judged: 12 });
    expect(judge(RULE, [...tokens(6), ...nextDay]).got).toEqual([]);
  });

  it('is of a kind of token, and names all that exceed it', () => {
    const mixed = [
      ...tokens(12),
      ...Array.from({ length: 3 }, (_, n) => userToken(`u${n}`, { at: 20_000 + n })),
      refresh('t1', 'r', { at: 30_000 }),
    ];
    const { violations, judged, passed } = outcomeOf(RULE, mixed);
    expect(judged).toEqual(Array.from({ length: 12 }, (_, n) => `x${n + 1}`));
    expect(violations).toEqual([
      {
        exchange: 'x11',
        related: ['x12'],
        expected: 'at most 10 platform token requests a day',
        got: '12 in a day',
      },
    ]);
    expect(passed).toBe('12 of at most 10 platform token requests a day');
    expect(outcomeOf('client/quota-refresh', mixed).passed).toBe('1 of at most 10 refreshes a day');
    expect(judge('client/quota-user', mixed)).toMatchObject({ got: [], judged: 3 });
    expect(judge('client/quota-refresh', tokens(1))).toEqual({
      got: [],
      judged: 0,
      missing: 'no refresh was sent',
    });
  });
});

describe('client/ban-respected', () => {
  const RULE = 'client/ban-respected';
  const refused = (...times: number[]) =>
    times.map((at, n) => tokenRequest(`t${n}`, { at, status: 403, overlaps: false }));
  const frame = (endedMs: number, ended: ScenarioFrame['ended'] = 'time-limit'): ScenarioFrame => ({
    name: 'ban',
    mode: 'platform',
    estimates: 5,
    atLeast: 0,
    stimuli: [],
    ended,
    endedMs: NOON + endedMs,
    goesOnRule: null,
    mayOutlast: true,
  });

  it('is broken by the fourth request in a row, whose three refusals are named', () => {
    const { violations, judged } = outcomeOf(RULE, refused(0, 1000, 2000, 3000, 4000));
    expect(violations).toEqual([
      {
        exchange: 'x4',
        related: ['x1', 'x2', 'x3'],
        expected: 'no token request after 3 refused in a row',
        got: 'another one after 3 refused in a row',
      },
      {
        exchange: 'x5',
        related: ['x2', 'x3', 'x4'],
        expected: 'no token request after 3 refused in a row',
        got: 'another one after 4 refused in a row',
      },
    ]);
    expect(judged).toEqual(['x3', 'x4', 'x5', 'x1', 'x2']);
  });

  it('is kept by a client that stops, or that gets a token', () => {
    expect(judge(RULE, refused(0, 1000, 2000))).toMatchObject({ got: [], judged: 3 });
    expect(judge(RULE, refused(0))).toMatchObject({ got: [], judged: 1 });
    const served = [
      ...refused(0, 1000),
      tokenRequest('good', { at: 2000 }),
      ...refused(3000, 4000),
    ];
    expect(judge(RULE, served)).toMatchObject({ got: [], judged: 2 });
    expect(judge(RULE, [tokenRequest('good')])).toEqual({
      got: [],
      judged: 0,
      missing: 'no token request was refused',
    });
  });

  it('counts no answer that was lost', () => {
    const lost = [0, 1000, 2000, 3000, 4000].map((at, n) =>
      tokenRequest(`t${n}`, { at, took: null, status: n === 1 ? 200 : 403, overlaps: false }),
    );
    expect(judge(RULE, lost)).toMatchObject({ got: [], judged: 0 });
  });

  it('is judged for each partner', () => {
    const partner = 'p-2';
    const other = [3000, 4000].map((at) => tokenRequest('o', { at, status: 403, partner }));
    expect(judge(RULE, [...refused(0, 1000), ...other])).toMatchObject({ got: [], judged: 4 });
  });

  it('allows as many at once as a day allows, and no more', () => {
    const atOnce = (count: number) =>
      tokens(count, (n) => ({ at: n, took: 100, status: 403, overlaps: true }));
    expect(judge(RULE, atOnce(13)).got).toEqual([]);
    expect(judge(RULE, atOnce(14)).got).toEqual(['another one after 3 refused in a row']);
  });

  it.each([
    ['at a steady pace', [0, 1000], 2000, 0, 'open'],
    ['at a steady pace, seen twice', [0, 1000, 2000], 3000, 1, null],
    ['at a pace that slows a little', [0, 1000, 2500], 4000, 1, null],
    ['at a pace that slows much', [0, 1000, 2501], 4000, 0, 'open'],
    ['and its next request was overdue', [0, 1000, 2000], 3001, 0, 'open'],
    ['and its next request was long overdue', [0, 1000, 2000], 5000, 0, 'open'],
    ['and it had stopped', [0, 1000, 2000], 5001, 0, null],
    ['once', [0], 1, 0, null],
  ])('if a client asked %s: %j, until %d', (_case, times, endedMs, violations, open) => {
    const outcome = outcomeOf(RULE, refused(...times), frame(endedMs));
    expect(outcome.violations).toHaveLength(violations);
    expect(outcome.judged).toHaveLength(open === null ? times.length : 0);
    expect(outcome.missing).toBe(
      open === null
        ? 'no token request was refused'
        : 'the client may have asked again after the end of the scenario',
    );
  });

  it('names the last request at a steady pace', () => {
    expect(outcomeOf(RULE, refused(0, 1000, 2000), frame(2500)).violations).toEqual([
      {
        exchange: 'x3',
        expected: 'no token request after 3 refused in a row',
        got: 'one at a steady pace, 3 refused in a row, until the scenario ended',
      },
    ]);
    const more = outcomeOf(RULE, refused(0, 1000, 2000, 3000), frame(3500)).violations;
    expect(more.map(({ got }) => got)).toEqual(['another one after 3 refused in a row']);
  });

  it('is open if it is for one of several partners', () => {
    const partner = 'p-2';
    const other = tokenRequest('o', { at: 5, status: 403, partner });
    expect(judge(RULE, [other, ...refused(0, 1000)], frame(2000))).toEqual({
      got: [],
      judged: 1,
      missing: 'the client may have asked again after the end of the scenario',
    });
  });

  it('has no pace in a client that ended by itself', () => {
    const outcome = judge(RULE, refused(0, 1000, 2000), frame(2500, 'by-itself'));
    expect(outcome).toMatchObject({ got: [], judged: 3 });
  });
});
