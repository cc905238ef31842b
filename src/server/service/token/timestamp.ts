import { DURATION_WORDS, LIMITS } from '../../../interface/index.ts';
import { parseTimestamp } from '../iso8601.ts';
import { Refusal } from '../messages.ts';
import type { Settings } from '../settings.ts';

const VALIDITY_MS = LIMITS.timestampValiditySeconds * 1000;
/** Difference between two clocks that is tolerated where a timestamp in the future is refused. */
const CLOCK_SKEW_MS = 30_000;

/** Limits of the field `_`. */
export interface FreshnessLimits {
  /** False in the test environment. */
  readonly isChecked: boolean;
  readonly requiresOffset: boolean;
  readonly maxAgeMs: number;
  readonly maxFutureMs: number;
}

/** The limits of the interface, with the gaps `timestamp-without-offset` and `timestamp-future`. */
export function freshnessLimits({ behaviour, environment }: Settings): FreshnessLimits {
  return {
    isChecked: environment === 'production',
    requiresOffset: behaviour['timestamp-without-offset'] === 'refused',
    maxAgeMs: VALIDITY_MS,
    maxFutureMs: {
      accepted: Number.POSITIVE_INFINITY,
      'within-validity': VALIDITY_MS,
      refused: CLOCK_SKEW_MS,
    }[behaviour['timestamp-future']],
  };
}

/**
 * Judges the field `_` (interface.md, "Token request body" and "Limits"): ISO 8601, and at most 10
 * minutes old.
 *
 * @throws Refusal `field-invalid` or `timestamp-expired`
 */
export function refuseStale(timestamp: unknown, limits: FreshnessLimits, nowMs: number): void {
  if (!limits.isChecked) return;
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  if (parsed === null) {
    const detail = { field: '_', rule: 'token/timestamp-iso8601' } as const;
    throw new Refusal('field-invalid', 'The field _ must be a date and time in ISO 8601.', detail);
  }
  if (!parsed.hasOffset && limits.requiresOffset) {
    const message = 'The field _ must name its offset, such as Z or +08:00.';
    throw new Refusal('field-invalid', message, { field: '_' });
  }
  const ageMs = nowMs - parsed.ms;
  if (ageMs > limits.maxAgeMs) {
    const detail = { field: '_', rule: 'token/timestamp-expired' } as const;
    throw new Refusal(
      'timestamp-expired',
      `The field _ is more than ${DURATION_WORDS.timestampValidity} old.`,
      detail,
    );
  }
  if (-ageMs > limits.maxFutureMs) {
    throw new Refusal('timestamp-expired', 'The field _ is in the future.', { field: '_' });
  }
}
