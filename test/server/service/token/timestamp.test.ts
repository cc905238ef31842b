import { describe, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../../src/interface/default-behaviour.ts';
import { freshnessLimits, refuseStale } from '../../../../src/server/service/token/timestamp.ts';
import { NOON } from '../../caller.ts';
import { refusalOf } from '../../refusal.ts';

const LIMITS = { isChecked: true, requiresOffset: false, maxAgeMs: 600_000, maxFutureMs: 30_000 };

/** Outcome of a `_` of that age: the condition of the refusal, or null. */
function judge(ageMs: number, limits = LIMITS): string | null {
  const text = new Date(NOON - ageMs).toISOString();
  return refusalOf(() => refuseStale(text, limits, NOON))?.condition ?? null;
}

describe('the field _', () => {
  it.each([
    [600_001, 'timestamp-expired'],
    [600_000, null],
    [0, null],
    [-30_000, null],
    [-30_001, 'timestamp-expired'],
  ])('of an age of %d ms: %s', (ageMs, condition) => {
    expect(judge(ageMs)).toBe(condition);
  });

  it('of the future may be as far ahead as the limits say', () => {
    expect(judge(-1e12, { ...LIMITS, maxFutureMs: Number.POSITIVE_INFINITY })).toBeNull();
  });

  it.each([undefined, null, 17, '', 'now', '2026', [new Date(NOON).toISOString()]])(
    'is not a time: %j',
    (timestamp) => {
      const refusal = refusalOf(() => refuseStale(timestamp, LIMITS, NOON));
      expect(refusal).toMatchObject({
        condition: 'field-invalid',
        detail: { field: '_', rule: 'token/timestamp-iso8601' },
      });
      expect(
        refusalOf(() => refuseStale(timestamp, { ...LIMITS, isChecked: false }, 0)),
      ).toBeNull();
    },
  );

  it('without an offset is refused only where one is required', () => {
    const text = new Date(NOON).toISOString().slice(0, 19);
    expect(refusalOf(() => refuseStale(text, LIMITS, NOON))).toBeNull();
    const strict = { ...LIMITS, requiresOffset: true };
    expect(refusalOf(() => refuseStale(text, strict, NOON))?.condition).toBe('field-invalid');
    expect(refusalOf(() => refuseStale(`${text}Z`, strict, NOON))).toBeNull();
  });
});

describe('its limits', () => {
  it.each([
    ['accepted', Number.POSITIVE_INFINITY],
    ['within-validity', 600_000],
    ['refused', 30_000],
  ] as const)('follow the gap: a future that is %s', (future, maxFutureMs) => {
    const behaviour = { ...DEFAULT_BEHAVIOUR, 'timestamp-future': future };
    expect(freshnessLimits({ behaviour, environment: 'production' } as never)).toEqual({
      isChecked: true,
      requiresOffset: DEFAULT_BEHAVIOUR['timestamp-without-offset'] === 'refused',
      maxAgeMs: 600_000,
      maxFutureMs,
    });
    expect(freshnessLimits({ behaviour, environment: 'test' } as never).isChecked).toBe(false);
  });
});
