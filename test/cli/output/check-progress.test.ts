import { expect, it } from 'vitest';
import { CheckProgress } from '../../../src/cli/output/check-progress.ts';
import { sleepUntil } from '../../../src/conformance/service/sleep.ts';
import { runClock } from '../../independent-service/run-clock.ts';
import { capturedIo } from '../../support/captured-io.ts';
import { screenOf } from '../../support/screen.ts';

const NOW = Date.parse('2026-01-31T09:00:00Z');
const UNTIL = NOW + 3 * 3_600_000 + 5 * 60_000;

/** The lines of a progress that waits, told once a minute. */
function waited(interactive: boolean, untilMs = UNTIL, rules = ['quota/ban-lifts']): string {
  const { io, captured } = capturedIo({});
  const progress = new CheckProgress({ ...io, interactive });
  for (let nowMs = NOW; nowMs < untilMs; nowMs += 60_000) progress.wait(untilMs, nowMs, rules);
  progress.end([]);
  return captured.stderr;
}

it('says until when it waits, and once an hour how long', () => {
  const lines = waited(false).trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(
    'waiting until 12:05:00 UTC for quota/ban-lifts, 3 h 5 min left (Ctrl-C stops the run; it can be continued)',
  );
  expect(lines[3]).toContain('5 min left');
});

it('says what for, and the date if it is another day', () => {
  const first = (...given: Parameters<typeof waited>) => waited(...given).split(',')[0];
  const tomorrow = NOW + 24 * 3_600_000;
  expect(first(false, tomorrow)).toBe('waiting until 2026-02-01 09:00:00 UTC for quota/ban-lifts');
  expect(first(false, UNTIL, ['a/b', 'a/c', 'a/d'])).toMatch(/ for a\/b and 2 more$/);
  expect(first(false, UNTIL, [])).toMatch(/ for the target's rate limit$/);
});

it('counts down on a terminal', () => {
  const shown = waited(true);
  expect(shown).toContain('3 h 5 min left');
  expect(shown).toContain('3 h 4 min left');
  expect(shown).not.toContain('\n');
});

it('says nothing of a short wait', () => {
  expect(waited(false, NOW + 59_000)).toBe('');
});

it('is told while a run waits', async () => {
  const told: unknown[] = [];
  const clock = runClock(() => NOW + told.length * 30_000);
  await sleepUntil(NOW + 30_000, { clock, onWait: (...wait) => told.push(wait) }, ['a/b']);
  expect(told).toEqual([[NOW + 30_000, NOW, ['a/b']]]);
});

it('shows what it is at and about how long it will take, at most every 200 ms', () => {
  const { io, captured } = capturedIo({});
  const progress = new CheckProgress({ ...io, interactive: true });
  const request = (check: string | null, atMs: number): void =>
    progress.request({ check, rulesOfChecks: 40 }, 5_000 + atMs);
  request(null, 0);
  progress.add({ id: 'auth/scheme', verdict: 'fail' });
  request('token/json-body', 199);
  expect(screenOf(captured.stderr)).toEqual(['1 request, 0 s']);
  request('token/json-body', 2_000);
  expect(screenOf(captured.stderr)).toEqual([
    '3 requests, 2 s  token/json-body',
    'auth 1 (1 broken)',
  ]);
  for (let judged = 1; judged < 10; judged++) progress.add({ id: 'lock/a', verdict: 'pass' });
  request('quota/ban-lifts@user', 12_000);
  expect(screenOf(captured.stderr)).toEqual([
    '4 requests, 12 s, about 36 s left  quota/ban-lifts',
    'auth 1 (1 broken) · lock 9',
  ]);
  progress.end([
    { id: 'auth/scheme', verdict: 'fail' },
    { id: 'record/time', verdict: 'pass' },
    { id: 'lock/a', verdict: 'inconclusive' },
  ]);
  expect(screenOf(captured.stderr)).toEqual(['auth 1 (1 broken) · record 1']);
});

it.each([0, 3, 40])(
  'tells no time that is left while it cannot be known, of %i rules',
  (rulesOfChecks) => {
    const { io, captured } = capturedIo({});
    const progress = new CheckProgress({ ...io, interactive: true });
    for (const nowMs of [0, 500, 1000]) {
      progress.request({ check: 'record/pay-type', rulesOfChecks }, nowMs);
    }
    expect(screenOf(captured.stderr)[0]).toBe('3 requests, 1 s  record/pay-type');
  },
);

it('tells no negative time where more rules were judged than have checks', () => {
  const { io, captured } = capturedIo({});
  const progress = new CheckProgress({ ...io, interactive: true });
  for (const id of ['a/b', 'a/c']) progress.add({ id, verdict: 'pass' });
  for (const nowMs of [0, 1000]) progress.request({ check: 'a/c', rulesOfChecks: 1 }, nowMs);
  expect(screenOf(captured.stderr)[0]).toBe('2 requests, 1 s, about 0 s left  a/c');
});
