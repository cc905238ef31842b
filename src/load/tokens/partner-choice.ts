import {
  ConfigurationError,
  type ProfilePartner,
  type TargetProfile,
} from '../../interface/index.ts';
import type { LoadIdentity } from '../workload/requests.ts';

/**
 * The partners that a run may load as, in the order in which they are tried: only the one with a token
 * of its own where there is one, since that costs no allowance; else those for general use.
 *
 * @throws ConfigurationError `PARTNER_MISSING`
 */
export function partnersFor(
  profile: TargetProfile,
  identity: LoadIdentity,
): readonly [ProfilePartner, ...ProfilePartner[]] {
  const usable = profile.partners.filter(
    ({ authCodes, accessToken }) =>
      identity === 'platform' || accessToken !== undefined || authCodes.length > 0,
  );
  const own = usable.find(({ accessToken }) => accessToken !== undefined);
  if (own) return [own];
  const [first, ...others] = usable.filter(({ use }) => use === 'general');
  if (first) return [first, ...others];
  if (usable[0]) return [usable[0]];
  throw new ConfigurationError(
    'PARTNER_MISSING',
    identity === 'user'
      ? 'Load as a user needs a partner with authCodes, or with an accessToken of a user.'
      : 'The profile has no partner; add one with its id and signingKey under partners.',
  );
}
