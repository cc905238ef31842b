import { ConfigurationError } from '../../../interface/errors.ts';
import type { LoadFlags, LoadPart } from '../../../load/index.ts';

const MOST_PARTS = 1000;
/** Longest time until the start: a later one is a mistake. */
const MOST_AHEAD_MS = 24 * 3600 * 1000;

/**
 * Reads `--part K/N` and `--start-at`; undefined without them.
 *
 * @param nowMs milliseconds since the epoch
 * @throws ConfigurationError `FLAG_VALUE`
 */
export function readPart(
  { part, startAt = '' }: Pick<LoadFlags, 'part' | 'startAt'>,
  nowMs: number,
): LoadPart | undefined {
  if (part === undefined) return undefined;
  const refused = (problem: string, field: string): ConfigurationError =>
    new ConfigurationError('FLAG_VALUE', problem, { field });
  const [number = 0, of = 0] = /^\d{1,4}\/\d{1,4}$/.test(part) ? part.split('/').map(Number) : [];
  if (number < 1 || number > of || of > MOST_PARTS) {
    throw refused(`"${part}" is no shard such as 1/4, of up to ${MOST_PARTS}.`, 'part');
  }
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(startAt);
  const startAtMs = isTime ? Date.parse(startAt) : Number.NaN;
  if (startAtMs > nowMs && startAtMs < nowMs + MOST_AHEAD_MS) return { number, of, startAtMs };
  throw refused(
    `"${startAt}" is no time within the next day such as 2026-01-31T12:00:00Z.`,
    'startAt',
  );
}
