import { type Behaviour, DEFAULT_BEHAVIOUR, type SignaturePairs } from '../../interface/index.ts';
import type { Clock } from './clock.ts';
import { cryptoRandom, type RandomSource } from './random.ts';

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
  readonly explainSignature: ExplainSignature | undefined;
}

/**
 * Names the mistake behind a wrong signature, such as `is a single MD5 (single-md5)`; null if none is
 * known. It must show no key. The refusal waits for a promise, which must not be rejected; other requests
 * do not.
 */
export type ExplainSignature = (
  pairs: SignaturePairs,
  signingKey: string,
  signature: string,
) => string | null | Promise<string | null>;

const DEFAULT_EXPIRES_IN_S = 7200;

/** Settings given to a server; each may be left out. */
type Given = {
  readonly [Name in keyof Omit<Settings, 'behaviour' | 'clock'>]?: Settings[Name] | undefined;
};

/**
 * Reads the settings of a service from the options of its server.
 *
 * @param behaviour answers to the gaps, as `readBehaviour` reads them from the options
 */
export function readSettings(
  options: Given,
  clock: Clock,
  behaviour: Behaviour = DEFAULT_BEHAVIOUR,
): Settings {
  return {
    environment: options.environment ?? 'production',
    behaviour,
    clock,
    random: options.random ?? cryptoRandom(),
    expiresInSeconds: options.expiresInSeconds ?? DEFAULT_EXPIRES_IN_S,
    seed: options.seed ?? 1,
    explainSignature: options.explainSignature,
  };
}
