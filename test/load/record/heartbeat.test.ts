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

  it('does without the uptime', () => {
    const heartbeat = new Heartbeat();
    for (const ms of [1000, 1050, 1100]) heartbeat.beat(ms * MS, WINDOW, ms === 1050 ? 9e15 : null);
    expect(heartbeat.stoodStillNs).toBe(0);
  });
});
