import { DEFAULT_BEHAVIOUR } from '../build/interface/index.js';
import { cryptoRandom } from '../build/server/index.js';

/** Validity of an access_token, in seconds. */
export const LIFETIME_S = 7_200;

/**
 * Settings of a service on that clock.
 *
 * @param {import('../build/server/index.js').MovableClock} clock
 */
export function settingsOf(clock) {
  return {
    environment: /** @type {const} */ ('production'),
    behaviour: DEFAULT_BEHAVIOUR,
    clock,
    random: cryptoRandom(),
    expiresInSeconds: LIFETIME_S,
    explainSignature: undefined,
    seed: 1,
  };
}
