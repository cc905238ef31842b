import type { Behaviour } from '../interface/index.ts';
import type { Clock } from './clock.ts';
import type { FaultSwitches } from './faults/switches.ts';
import type { RandomSource } from './random.ts';

/** In `test` the timestamp `_` is not checked (interface.md, "Token request body"). */
export type Environment = 'production' | 'test';

/** What every part of the service is told once, when the server starts. */
export interface Settings {
  readonly environment: Environment;
  readonly behaviour: Behaviour;
  readonly faults: FaultSwitches;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Validity of an access_token, in seconds. */
  readonly expiresInSeconds: number;
  /** Shapes the day's dynamic pricing. */
  readonly seed: number;
}
