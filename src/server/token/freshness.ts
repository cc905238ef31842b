import { LIMITS } from '../../interface/index.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import { parseTimestamp } from './timestamp.ts';

const VALIDITY_MS = LIMITS.timestampValiditySeconds * 1000;
/** What two clocks may differ by where the future is refused. */
const CLOCK_SKEW_MS = 30_000;

/**
 * Judges the field `_`: ISO 8601, and no more than 10 minutes old; not in the test environment.
 *
 * @throws Refusal `field-invalid` or `timestamp-expired`
 * @see interface.md, "Token request body" and "Limits"
 */
export function refuseStale(timestamp: unknown, settings: Settings, nowMs: number): void {
  const { behaviour, environment, faults } = settings;
  const isChecked = environment === 'production' || faults['token/timestamp-unchecked-in-test'];
  if (!isChecked || timestamp === undefined || timestamp === null || timestamp === '') return;
  const parsed = typeof timestamp === 'string' ? parseTimestamp(timestamp) : null;
  if (parsed === null) {
    if (faults['token/timestamp-iso8601']) return;
    throw new Refusal('field-invalid', 'The field _ must be a date and time in ISO 8601.', {
      field: '_',
      rule: 'token/timestamp-iso8601',
    });
  }
  if (!parsed.hasOffset && behaviour['timestamp-without-offset'] === 'refused') {
    throw new Refusal('field-invalid', 'The field _ must name its offset, such as Z or +08:00.', {
      field: '_',
    });
  }
  const ageMs = nowMs - parsed.ms;
  const validityMs = faults['token/timestamp-fresh'] ? VALIDITY_MS / 2 : VALIDITY_MS;
  if (ageMs > validityMs && !faults['token/timestamp-expired']) {
    throw new Refusal('timestamp-expired', 'The field _ is more than 10 minutes old.', {
      field: '_',
      rule: 'token/timestamp-expired',
    });
  }
  if (-ageMs > futureMs(settings)) {
    throw new Refusal('timestamp-expired', 'The field _ is in the future.', { field: '_' });
  }
}

function futureMs({ behaviour }: Settings): number {
  switch (behaviour['timestamp-future']) {
    case 'accepted':
      return Number.POSITIVE_INFINITY;
    case 'within-validity':
      return VALIDITY_MS;
    case 'refused':
      return CLOCK_SKEW_MS;
  }
}
