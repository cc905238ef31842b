import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultText } from './fault.ts';
import { alone, along } from './fault.ts';

type LifecycleRule = Extract<ServiceRuleId, `lifecycle/${string}` | `quota/${string}`>;

/** How each rule on the life of tokens, on allowances and on bans is broken. */
export const LIFECYCLE_FAULTS: Readonly<Record<LifecycleRule, FaultText>> = {
  'lifecycle/refresh-rotates': alone(
    'A refresh gives the old access_token again, with a new life.',
  ),
  'lifecycle/refresh-single-use': along(
    'A used refresh_token stays good.',
    'those that are sent at once are good as well',
    ['lifecycle/refresh-single-use-concurrent'],
  ),
  'lifecycle/refresh-single-use-concurrent': alone(
    'A refresh_token is marked as used 25 ms after it was checked.',
  ),
  'lifecycle/refresh-never-expires': alone('A refresh_token dies an hour after its access_token.'),
  'lifecycle/platform-tokens-coexist': alone('A new platform token ends the one before it.'),
  'lifecycle/user-token-newest-only': alone('Earlier tokens of a user stay valid.'),
  'lifecycle/access-token-valid-until-expiry': alone(
    'An access_token dies after half of expires_in_second.',
  ),
  'lifecycle/access-token-expires': alone('An access_token never expires.'),
  'lifecycle/expired-replaced-by-refresh': alone('What replaces an expired token does not work.'),
  'quota/platform-allows-10': alone(
    'The tenth platform token request of a day is refused, and bans.',
  ),
  'quota/platform-refuses-11th': alone('Eleven platform token requests a day pass.'),
  'quota/user-allows-5': alone('The fifth user token request of a day is refused, and bans.'),
  'quota/user-refuses-6th': alone('Six user token requests a day pass.'),
  'quota/refresh-allows-10': alone('The tenth refresh of a day is refused, and bans.'),
  'quota/refresh-refuses-11th': alone('Eleven refreshes a day pass.'),
  'quota/counters-independent': alone(
    'Once one allowance of a partner is used up, the other two count as used up.',
  ),
  'quota/ban-lasts-24h': alone('A ban lifts after 12 hours.'),
  'quota/ban-lifts': alone('A ban lasts 48 hours.'),
  'quota/daily-reset': alone('An allowance is never whole again.'),
  'quota/per-partner': alone('A ban reaches every partner, in its kind of request.'),
};
