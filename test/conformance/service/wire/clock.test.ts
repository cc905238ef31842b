import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkService } from '../../../../src/conformance/index.ts';
import { TargetClock } from '../../../../src/conformance/service/wire/clock.ts';
import type { ControlApi } from '../../../../src/conformance/service/wire/control-api.ts';
import { ClockSteps } from '../../../../src/conformance/steady-clock.ts';
import { describeProfile, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { RUN } from '../../../independent-service/judge.ts';
import { runClock } from '../../../independent-service/run-clock.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const RULE = 'quota/ban-lifts';

async function open(): Promise<RunningServer> {
  const server = await startServer({ controlPort: 0, clock: { now: () => NOON } });
  onTestFinished(() => server.close(0));
  return server;
}

const judge = (server: RunningServer, signal?: AbortSignal) =>
  checkService({
    ...RUN,
    target: { ...describeProfile(server), partners: [] },
    clock: runClock(() => NOON),
    only: [RULE],
    signal,
  });

describe("the target's clock after a run", () => {
  it('stands at true time', async () => {
    const server = await open();
    const advance = vi.spyOn(server.clock, 'advance');
    const { rules, notes } = await judge(server);
    expect(rules.find(({ id }) => id === RULE)?.verdict).toBe('pass');
    expect(Math.max(...advance.mock.calls.map(([seconds]) => seconds))).toBeGreaterThan(80_000);
    expect([server.clock.now(), notes]).toEqual([NOON, []]);
  });

  it('stands at true time if the run is interrupted after a move', async () => {
    const server = await open();
    const stop = new AbortController();
    const advance = server.clock.advance.bind(server.clock);
    vi.spyOn(server.clock, 'advance').mockImplementation((seconds) => {
      advance(seconds);
      if (seconds > 0) stop.abort();
    });
    const { interrupted, notes } = await judge(server, stop.signal);
    expect([interrupted, server.clock.now(), notes]).toEqual([true, NOON, []]);
  });

  it('is not reset if it was not moved', async () => {
    const server = await open();
    server.clock.advance(60);
    await checkService({
      ...RUN,
      target: { ...describeProfile(server), partners: [] },
      clock: runClock(() => NOON),
      only: ['token/scope-echo'],
    });
    expect(server.clock.now()).toBe(NOON + 60_000);
  });

  it('is named in the result where the target cannot reset it', async () => {
    const server = await open();
    vi.spyOn(server.clock, 'reset').mockImplementation(() => undefined);
    const { notes } = await judge(server);
    const now = new Date(server.clock.now()).toISOString();
    expect(notes).toEqual([
      `The clock of ${server.baseUrl} was moved to ${now}. It was not reset: the target does not obey POST /clock {"reset": true}.`,
    ]);
  });
});

describe('the clock of a target', () => {
  /** A clock at noon, beside a wall clock at 0, both moved by hand. */
  function clockOf(
    setting: { runs?: boolean; speed?: number; obeys?: boolean; resets?: boolean } = {},
  ) {
    const { runs = true, speed = runs ? 1 : 0, obeys = true, resets = true } = setting;
    let wallMs = 0;
    let aheadMs = 0;
    let lateMs = 0;
    const moves: (number | 'reset')[] = [];
    const targetMs = (): number => NOON + speed * wallMs + aheadMs;
    const control = {
      async advanceClock(seconds: number) {
        moves.push(seconds);
        if (obeys) aheadMs += 1000 * seconds;
        const readMs = targetMs();
        wallMs += lateMs;
        return readMs;
      },
      async resetClock() {
        moves.push('reset');
        if (resets) aheadMs = 0;
        return resets ? targetMs() : null;
      },
    } as unknown as ControlApi;
    const machine = { now: () => wallMs, steps: new ClockSteps() };
    const slept: number[] = [];
    const sleepUntil = async (atMs: number): Promise<void> => {
      slept.push(atMs);
      wallMs = atMs;
    };
    return {
      machine,
      moves,
      slept,
      clock: new TargetClock(machine, control, sleepUntil),
      bare: new TargetClock(machine, null, sleepUntil),
      pass: (ms: number) => (wallMs += ms),
      /** Sets the target's clock. */
      set: (byMs: number) => (aheadMs += byMs),
      /** From now on the target answers late, and its clock is ahead by some more. */
      answerLate: (ms: number, furtherMs: number) => {
        lateMs = ms;
        aheadMs += furtherMs;
      },
    };
  }

  it('is the wall clock where there is no control API, and is waited for', async () => {
    const { bare, pass, slept, moves } = clockOf();
    await bare.refresh();
    pass(5_000);
    expect(bare.now()).toBe(5_000);
    expect(await bare.moveTo(9_000)).toBe(9_000);
    await bare.reset();
    expect({ slept, moves, left: bare.leftAtMs }).toEqual({
      slept: [9_000],
      moves: [],
      left: null,
    });
  });

  describe('by the Date of its answers, without a control API,', () => {
    /** The first step that is told after answers with a Date so far ahead, ms; one a minute. */
    async function stepBy(aheadMs: readonly (number | null)[], has: 'bare' | 'clock' = 'bare') {
      const { [has]: clock, machine, pass } = clockOf();
      for (const ahead of aheadMs) {
        pass(60_000);
        const dateMs = ahead === null ? 0 : machine.now() + ahead;
        clock.seeDate(new Date(dateMs).toUTCString(), machine.now() - 50);
      }
      return (await clock.stepSince(0))?.byMs;
    }

    it('was set by what they differ', async () => {
      expect(await stepBy([0, 0, 3_600_000, 3_600_000])).toBe(3_598_950);
      expect(await stepBy([0, 0, -20_000])).toBe(-18_950);
    });

    it.each([
      ['that differ a little', [0, 9_000, -2_000]],
      ['of a clock that is always off', [86_400_000, 86_400_000]],
      ['that stand still', [null, null, null]],
      ['of which there is one', [5_000_000]],
    ])('was not set by Dates %s', async (_words, aheadMs) => {
      expect(await stepBy(aheadMs)).toBeUndefined();
    });

    it('was not set by Dates that drift by a minute in a week', async () => {
      const { bare, machine, pass } = clockOf();
      for (const ahead of [0, 60_000]) {
        bare.seeDate(new Date(machine.now() + ahead).toUTCString(), machine.now());
        pass(7 * 86_400_000);
      }
      expect(await bare.stepSince(-1)).toBeUndefined();
    });

    it('is not told where a control API tells it', async () => {
      expect(await stepBy([0, 3_600_000], 'clock')).toBeUndefined();
    });

    it('is told three times at most: replicas may differ', async () => {
      const { bare, machine, pass } = clockOf();
      for (let at = 0; at < 6; at++) {
        pass(10_000);
        bare.seeDate(new Date(machine.now() + (at % 2) * 60_000).toUTCString(), machine.now());
      }
      expect(await bare.stepSince(35_000)).toMatchObject({ fromMs: 30_000 });
      expect(await bare.stepSince(45_000)).toBeUndefined();
    });
  });

  it('is read once, and again after two seconds', async () => {
    const { clock, pass, moves } = clockOf();
    expect(clock.now()).toBe(0);
    await clock.refresh();
    expect(clock.now()).toBe(NOON);
    pass(1_999);
    await clock.refresh();
    expect(moves).toEqual([0]);
    expect(clock.now()).toBe(NOON + 1_999);
    pass(1);
    await clock.refresh();
    expect(moves).toEqual([0, 0]);
    expect(clock.now()).toBe(NOON + 2_000);
  });

  it('stands still between readings if it did so between two of them', async () => {
    const { clock, pass } = clockOf({ runs: false });
    await clock.refresh();
    pass(2_000);
    expect(clock.now()).toBe(NOON + 2_000);
    await clock.refresh();
    pass(1_500);
    expect(clock.now()).toBe(NOON);
  });

  it.each([
    ['runs at its own speed, if that is near', 0.9, 500],
    ['runs if it is slow', 0.21, 500],
    ['stands still if it hardly moves', 0.2, 0],
    ['stands still if it moves by a tenth', 0.1, 0],
  ])('%s', async (_, speed, movesMs) => {
    const { clock, pass } = clockOf({ speed });
    pass(100_000);
    await clock.refresh();
    pass(2_000);
    await clock.refresh();
    const readMs = clock.now();
    pass(500);
    expect(clock.now() - readMs).toBe(movesMs);
  });

  it('is read again after two seconds, whatever the wall clock says', async () => {
    const { clock, pass, moves } = clockOf();
    pass(100_000);
    await clock.refresh();
    pass(1_999);
    await clock.refresh();
    expect(moves).toEqual([0]);
  });

  it.each([
    ['is not set back by an answer that comes late', 0, NOON + 2_100],
    ['is set back where the target is behind', -50, NOON + 1_950],
    ['is set forward where the target is ahead', 200, NOON + 2_200],
  ])('%s', async (_, aheadMs, expectedMs) => {
    const { clock, pass, answerLate } = clockOf();
    await clock.refresh();
    pass(2_000);
    answerLate(100, aheadMs);
    await clock.refresh();
    expect(clock.now()).toBe(expectedMs);
  });

  it('still stands after a move if it did so before', async () => {
    const { clock, pass } = clockOf({ runs: false });
    await clock.refresh();
    pass(2_000);
    await clock.refresh();
    await clock.moveTo(NOON + 60_000);
    pass(500);
    expect(clock.now()).toBe(NOON + 60_000);
  });

  it('still runs after a move, which says nothing of its rate', async () => {
    const { clock, pass } = clockOf({ runs: false });
    await clock.refresh();
    await clock.moveTo(NOON + 1_000);
    pass(500);
    expect(clock.now()).toBe(NOON + 1_500);
  });

  it('is moved by whole seconds, only forward', async () => {
    const { clock, moves, slept } = clockOf();
    await clock.refresh();
    expect(await clock.moveTo(NOON)).toBe(NOON);
    expect(await clock.moveTo(NOON + 1_001)).toBe(NOON + 2_000);
    expect(moves).toEqual([0, 2]);
    expect(slept).toEqual([]);
  });

  it('is asked ten times to move, and is an error if the target does not obey', async () => {
    const { clock, moves } = clockOf({ obeys: false });
    await clock.refresh();
    await expect(clock.moveTo(NOON + 60_000)).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringContaining(
        'asked 10 times to move the clock to 2026-03-02T12:01:00.000Z, and answers that it stands at 2026-03-02T12:00:00.000Z.',
      ) as string,
    });
    expect(moves).toEqual([0, ...Array.from({ length: 10 }, () => 60)]);
  });

  it('is reset once, and only if it was moved', async () => {
    const { clock, moves } = clockOf();
    await clock.refresh();
    await clock.reset();
    await clock.moveTo(NOON + 60_000);
    await clock.reset();
    await clock.reset();
    expect(moves).toEqual([0, 60, 'reset']);
    expect([clock.now(), clock.leftAtMs]).toEqual([NOON, null]);
  });

  it('is left where it stands if the target cannot reset it, and is asked to again', async () => {
    const { clock, moves } = clockOf({ resets: false });
    await clock.refresh();
    await clock.moveTo(NOON + 60_000);
    await clock.reset();
    expect([clock.now(), clock.leftAtMs]).toEqual([NOON + 60_000, NOON + 60_000]);
    await clock.reset();
    expect(moves).toEqual([0, 60, 'reset', 'reset']);
  });

  it.each([30_000, -30_000, 3_600_000, -3_600_000, 2_000])(
    'tells that it was set by %s ms since a moment, and not by its own moves',
    async (byMs) => {
      const { clock, pass, set } = clockOf();
      await clock.refresh();
      await clock.moveTo(NOON + 600_000);
      pass(100);
      const fromMs = clock.machineNow();
      expect(await clock.stepSince(0)).toBeUndefined();
      pass(100);
      set(byMs);
      pass(100);
      await clock.moveTo(clock.now() + 600_000);
      expect((await clock.stepSince(fromMs))?.byMs).toBe(byMs);
      pass(5_000);
      expect(await clock.stepSince(clock.machineNow())).toBeUndefined();
    },
  );

  it('was not set where it stands still', async () => {
    const { clock, pass } = clockOf({ runs: false });
    await clock.refresh();
    pass(2_000);
    await clock.refresh();
    pass(100_000);
    await clock.refresh();
    expect(await clock.stepSince(0)).toBeUndefined();
  });

  it('is read in spite of a wall clock that was set back', async () => {
    const { machine, clock, pass, moves } = clockOf();
    await clock.refresh();
    machine.steps.note({ fromMs: 0, toMs: 1_000, byMs: -3_600_000 });
    pass(2_000);
    await clock.refresh();
    expect(moves).toEqual([0, 0]);
    expect((await clock.stepSince(500))?.byMs).toBe(-3_600_000);
  });
});
