import { describe, expect, it } from 'vitest';
import { errorShareOf } from '../../../src/load/result/parts.ts';
import fc from '../../support/property.ts';

describe('errorShareOf', () => {
  it.each([
    ['nothing planned', { ok: 0, failed: 0, checked: 0, errors: {} }, null],
    ['no failure', { ok: 200, failed: 0, checked: 2, errors: {} }, 0],
    ['refusals', { ok: 150, failed: 50, checked: 1, errors: { 'http-503': 50 } }, 0.25],
    ['all checked', { ok: 90, failed: 10, checked: 100, errors: { 'answer-shape': 10 } }, 0.1],
    ['one of one', { ok: 99, failed: 1, checked: 1, errors: { 'answer-not-json': 1 } }, 1],
    ['half of four', { ok: 98, failed: 2, checked: 4, errors: { 'answer-shape': 2 } }, 0.5],
    [
      'half of two, beside refusals',
      { ok: 79, failed: 21, checked: 2, errors: { 'answer-not-json': 1, 'http-500': 20 } },
      0.6,
    ],
    [
      'an engine that checks none',
      { ok: 75, failed: 25, checked: 0, errors: { timeout: 25 } },
      0.25,
    ],
  ])('%s', (_what, record, share) => {
    if (share === null) expect(errorShareOf(record)).toBeNull();
    else expect(errorShareOf(record)).toBeCloseTo(share, 12);
  });

  it('is the failed share where all are checked, and never below it nor above 1', () => {
    const counts = fc.record({
      ok: fc.nat(1000),
      malformed: fc.nat(50),
      refused: fc.nat(50),
      unchecked: fc.nat(1000),
    });
    fc.assert(
      fc.property(counts, ({ ok, malformed, refused, unchecked }) => {
        const errors = { 'answer-shape': malformed, 'http-400': refused };
        const failed = malformed + refused;
        const planned = ok + failed;
        const least = planned === 0 ? 0 : failed / planned;
        const all = errorShareOf({ ok, failed, errors, checked: ok + malformed }) ?? 0;
        expect(all).toBeCloseTo(least, 9);
        const checked = malformed + Math.max(0, ok - unchecked);
        const share = errorShareOf({ ok, failed, errors, checked }) ?? 0;
        expect(share).toBeGreaterThanOrEqual(least - 1e-9);
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
      }),
    );
  });
});
