import { readCertificates } from '../../../files/certificates.ts';
import { readTargetProfile, type TargetProfileInput } from '../../../interface/target-profile.ts';
import type { Target } from '../contract/target.ts';

/** A target as it is given: as a profile, in which what has a default may be left out, or whole. */
export type TargetInput = TargetProfileInput | Target;

/**
 * Fills in the defaults of a target and reads the certificates that its profile names; a target that is
 * whole stays as it is.
 *
 * @throws ConfigurationError `PROFILE_INVALID` or `CERTIFICATE_NOT_READ`
 */
export function readTarget(given: TargetInput): Target {
  const { tls, ...profile } = given as TargetProfileInput & Pick<Target, 'tls'>;
  const { ca, cert, key, ...target } = readTargetProfile(profile);
  return { ...target, tls: tls ?? readCertificates({ ca, cert, key }) };
}
