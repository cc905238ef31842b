import { ConfigurationError } from '../../interface/errors.ts';
import { readTargetProfile, type TargetProfile } from '../../interface/target-profile.ts';
import type { Surroundings } from '../surroundings.ts';

/** Queries for the values of product and ride type that the interface names. */
const NAMED_SHAPES = {
  plain: { product_type: 'private-car', ride_type: 'compact' },
  express: { product_type: 'express-car', ride_type: 'express' },
} as const;

/** True for the address of a target, in place of the path of its profile. */
export function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target);
}

/**
 * Profile of a target that is given by its address: one partner, from the environment, and everything else at
 * its default.
 *
 * @throws ConfigurationError `ENVIRONMENT_MISSING`, or `PROFILE_INVALID` for an address that is none
 */
export function profileOfAddress(baseUrl: string, env: Surroundings['env']): TargetProfile {
  const {
    FAREPROOF_PARTNER_ID: id,
    FAREPROOF_SIGNING_KEY: signingKey,
    FAREPROOF_AUTH_CODE: authCode,
    FAREPROOF_ACCESS_TOKEN: accessToken,
  } = env;
  if (!id || !signingKey) {
    const missing = id ? 'FAREPROOF_SIGNING_KEY' : 'FAREPROOF_PARTNER_ID';
    throw new ConfigurationError(
      'ENVIRONMENT_MISSING',
      `a target that is given by its address takes its partner from the environment, and ${missing} is not set; set FAREPROOF_PARTNER_ID and FAREPROOF_SIGNING_KEY, or give a profile in place of the address.`,
    );
  }
  return readTargetProfile({
    name: URL.canParse(baseUrl) ? new URL(baseUrl).host : 'target',
    baseUrl,
    partners: [
      {
        id,
        signingKey,
        ...(authCode && { authCodes: [authCode] }),
        ...(accessToken && { accessToken }),
      },
    ],
    estimates: NAMED_SHAPES,
  });
}
