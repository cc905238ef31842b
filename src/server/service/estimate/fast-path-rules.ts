import { objectionTo } from './authorize.ts';
import type { RecordWriter } from './record.ts';
import { COORDINATE_BOUNDS } from './route.ts';

/** Limits and steps of the fast path, apart from its parsing. A fault may replace them. */
export interface FastPathRules {
  /** Number of digits of a user's signature that are compared. */
  readonly comparedDigits: number;
  /** Largest absolute value of each coordinate, in degrees. */
  readonly bounds: Readonly<Record<keyof typeof COORDINATE_BOUNDS, number>>;
  readonly objectionTo: typeof objectionTo;
  readonly records: RecordWriter;
}

/** The rules of the interface. */
export function fastPathRules(records: RecordWriter): FastPathRules {
  return { comparedDigits: 32, bounds: COORDINATE_BOUNDS, objectionTo, records };
}
