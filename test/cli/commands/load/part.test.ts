import { describe, expect, it } from 'vitest';
import { readPart } from '../../../../src/cli/commands/load/part.ts';
import { runCaptured } from '../../../support/captured-io.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00Z');
const startAt = '2026-01-31T12:05:00Z';

describe('--part and --start-at', () => {
  it('are read together', () => {
    expect(readPart({}, NOW_MS)).toBeUndefined();
    expect(readPart({ part: '2/4', startAt }, NOW_MS)).toEqual({
      number: 2,
      of: 4,
      startAtMs: NOW_MS + 300_000,
    });
    const inParis = '2026-01-31T13:05+01:00';
    expect(readPart({ part: '1/1', startAt: inParis }, NOW_MS)?.startAtMs).toBe(NOW_MS + 300_000);
  });

  it.each([
    ...['0/2', '3/2', '2', 'x/2', '1/1001', '1/2/3'].map((part) => [part, startAt, 'part']),
    ...['12:05', '2026-01-31', '2026-01-31T11:59:59Z', '2026-02-02T00:00:00Z'].map((time) => [
      '1/2',
      time,
      'startAt',
    ]),
  ])('--part %s --start-at %s is refused', (part, time, field) => {
    const flags = { part, startAt: time };
    const expected = expect.objectContaining({ code: 'FLAG_VALUE', field });
    expect(() => readPart(flags, NOW_MS)).toThrow(expected);
  });

  it.each([
    [['--part', '1/2'], '--part: requires --start-at'],
    [['--start-at', startAt], '--start-at: requires --part'],
    ...['--runs=2', '--agents=2', '--abort-on=errors>5%', '--against=b.yaml'].map((other) => [
      ['--part', '1/2', '--start-at', startAt, other],
      `--part: conflicts with ${other.split('=')[0]}`,
    ]),
  ] as [string[], string][])('%j is refused', async (flags, message) => {
    const { exitCode, stderr } = await runCaptured(['load', ...flags]);
    expect(stderr).toContain(`error LOAD_OPTIONS_INVALID: ${message}`);
    expect(exitCode).toBe(2);
  });
});
