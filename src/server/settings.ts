import type { Behaviour } from '../interface/index.ts';
import type { Clock } from './clock.ts';
import type { RandomSource } from './random.ts';

/** In `test` the timestamp `_` is not checked (interface.md, "Token request body"). */
export type Environment = 'production' | 'test';

/** Settings of a service, fixed when it starts. */
export interface Settings {
  readonly environment: Environment;
  /** Answers to the gaps of the interface. */
  readonly behaviour: Behaviour;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Validity of an access_token, in seconds. */
  readonly expiresInSeconds: number;
  /** Seed of the day's dynamic pricing. */
  readonly seed: number;
}
