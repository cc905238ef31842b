import { describe, expect, it } from 'vitest';
import { Heartbeat } from '../../../src/load/record/heartbeat.ts';

const MS = 1e6;
const WINDOW = { startNs: 1000 * MS, endNs: 7000 * MS };

/** Beats at these times, milliseconds, each with the uptime where it is another one. */
function stoodStill(...beats: readonly (number | readonly [nowMs: number, uptimeMs: number])[]) {
  const heartbeat = new Heartbeat();
  const seen = beats.map((beat) => {
    const [nowMs, uptimeMs] = typeof beat === 'number' ? [beat, beat] : beat;
    return heartbeat.beat(nowMs * MS, WINDOW, uptimeMs * MS);
  });
  return { seen, ms: heartbeat.stoodStillNs / MS, lostMs: heartbeat.lostNs / MS };
}

describe('a heartbeat', () => {
  it('sees no standstill in a process that runs, or is a little late', () => {
    expect(stoodStill(900, 1000, 1250, 1300)).toMatchObject({ ms: 0, lostMs: 0 });
  });

  it('sees a process that was stopped, and what it lost of the window', () => {
    expect(stoodStill(2950, 3000, 15_000, 15_050)).toEqual({
      seen: [false, false, true, false],
      ms: 12_000,
      lostMs: 4000,
    });
  });

  it('adds up several, and leaves out what was before the window', () => {
    expect(stoodStill(200, 1300, 1400, 2000)).toMatchObject({ ms: 900, lostMs: 900 });
    expect(stoodStill(200, 900)).toMatchObject({ ms: 0, lostMs: 0 });
  });

  it('sees a machine that was suspended, though its monotonic clock stood still', () => {
    expect(stoodStill(3000, [3050, 15_050], [3100, 15_100])).toEqual({
      seen: [false, true, false],
      ms: 12_000,
      lostMs: 0,
    });
    expect(stoodStill(300, [350, 15_050])).toMatchObject({ ms: 0 });
  });

  /** Ticks at these times, each with the time on a core until then, milliseconds. */
  const heldUpMs = (...ticks: readonly (readonly [nowMs: number, cpuMs: number | null])[]) => {
    const heartbeat = new Heartbeat();
    for (const [nowMs, cpuMs] of ticks)
      heartbeat.tick(nowMs * MS, cpuMs === null ? null : cpuMs * MS, WINDOW);
    return heartbeat.heldUpNs / MS;
  };

  it('adds up moments in which a thread was stopped', () => {
    expect(heldUpMs([2000, 5], [2010, 6], [2060, 7], [2070, 8], [2120, 9])).toBe(78);
  });

  it('sees none where a thread slept, was a little late, or worked meanwhile', () => {
    expect(heldUpMs([2000, 5], [2010, 5], [2029, 5], [2039, 6])).toBe(0);
    expect(heldUpMs([2000, 0], [2060, 60], [2120, 110])).toBe(0);
  });

  it('leaves out moments around the window, and those of an unknown use of cores', () => {
    expect(heldUpMs([900, 0], [1050, 0])).toBe(0);
    expect(heldUpMs([6990, 0], [7050, 0])).toBe(0);
    expect(heldUpMs([2000, null], [2060, 1], [2120, null])).toBe(0);
  });

  it('does without the uptime', () => {
    const heartbeat = new Heartbeat();
    for (const ms of [1000, 1050, 1100]) heartbeat.beat(ms * MS, WINDOW, ms === 1050 ? 9e15 : null);
    expect(heartbeat.stoodStillNs).toBe(0);
  });
});
