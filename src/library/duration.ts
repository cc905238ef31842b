import { parseDurationMs } from '../interface/index.ts';

/** A duration: a number of milliseconds, or a text such as `'500ms'`, `'10s'`, `'2m'` or `'1h'`. */
export type Duration = number | string;

/** Milliseconds of a duration that was checked; undefined where none is given. */
export function millisecondsOf(given: Duration | undefined): number | undefined {
  return typeof given === 'string' ? parseDurationMs(given, '', 'ms') : given;
}
