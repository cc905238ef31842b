import type { ProfilePartner } from '../../interface/index.ts';
import type { LoadOptions } from '../options.ts';
import { resolveTarget, type TargetAddress } from '../target-address.ts';
import { partnersFor } from '../tokens/partner-choice.ts';
import type { Mix } from '../workload/mix.ts';
import { type LoadIdentity, resolveMix } from '../workload/requests.ts';
import { makePlan } from './plan-load.ts';

/** Options of a load that can be. */
export interface ValidLoad {
  address: TargetAddress;
  identity: LoadIdentity;
  /** Whom it may be run as, in the order in which they are tried. */
  partners: readonly [ProfilePartner, ...ProfilePartner[]];
  mix: Mix;
}

/**
 * Holds the options of a load against everything that can be known before the first request, so that
 * wrong usage costs no token.
 *
 * @throws ConfigurationError that says which option cannot be
 */
export async function validateLoad(options: LoadOptions): Promise<ValidLoad> {
  const { profile } = options;
  const identity = options.identity ?? 'platform';
  const address = await resolveTarget(profile);
  makePlan(options, address, []);
  return {
    address,
    identity,
    partners: partnersFor(profile, identity),
    mix: resolveMix(profile, options.mix),
  };
}
