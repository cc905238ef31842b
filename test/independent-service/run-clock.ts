import { MACHINE_CLOCK, movingClock, type RunClock } from '../../src/conformance/index.ts';
import { middayNow } from './midday.ts';

/** A clock for a service and the run that judges it, which sleeps move on instead of taking time. */
export function runClock(now: () => number = middayNow): RunClock {
  return movingClock({ ...MACHINE_CLOCK, now });
}
