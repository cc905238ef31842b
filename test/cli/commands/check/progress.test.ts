import { expect, it } from 'vitest';
import { CheckProgress } from '../../../../src/cli/commands/check/progress.ts';
import { sleepUntil } from '../../../../src/conformance/service/sleep.ts';
import { runClock } from '../../../independent-service/run-clock.ts';
import { capturedIo } from '../../../support/captured-io.ts';

const NOW = Date.parse('2026-01-31T09:00:00Z');
const UNTIL = NOW + 3 * 3_600_000 + 5 * 60_000;

/** The lines of a progress that waits, told once a minute. */
function waited(interactive: boolean, untilMs = UNTIL): string {
  const { io, captured } = capturedIo({});
  const progress = new CheckProgress({ ...io, interactive });
  for (let nowMs = NOW; nowMs < untilMs; nowMs += 60_000) progress.wait(untilMs, nowMs);
  progress.end();
  return captured.stderr;
}

it('says until when it waits, and once an hour how long', () => {
  const lines = waited(false).trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(
    'waiting until 2026-01-31 12:05:00 UTC, 3 h 05 min 00 s left (Ctrl-C, then check --resume continues)',
  );
  expect(lines[3]).toContain('0 h 05 min 00 s left');
});

it('counts down on a terminal', () => {
  const shown = waited(true);
  expect(shown).toContain('3 h 05 min 00 s left');
  expect(shown).toContain('3 h 04 min 00 s left');
  expect(shown).not.toContain('\n');
});

it('says nothing of a short wait', () => {
  expect(waited(false, NOW + 59_000)).toBe('');
});

it('is told while a run waits', async () => {
  const told: number[] = [];
  const clock = runClock(() => NOW + told.length * 30_000);
  await sleepUntil(NOW + 30_000, { clock, onWait: (untilMs) => told.push(untilMs) });
  expect(told).toEqual([NOW + 30_000]);
});
