import { profileOfAddress } from '../files/environment-profile.ts';
import type { Surroundings } from '../surroundings.ts';
import { probeShapes } from './probe-shapes.ts';
import { EXAMPLE, type ProfileFacts, QUERIES_TO_TRY } from './templates.ts';

/** Service that is known by its address. */
export interface KnownService {
  readonly facts: ProfileFacts;
  /** Lines for the user. */
  readonly words: readonly string[];
  /** False if the service accepted no estimate. */
  readonly isServed: boolean;
}

/**
 * Reads the partner of a service from the environment, and asks it which shapes of an estimate it answers.
 *
 * @throws ConfigurationError as {@link profileOfAddress}; UnreachableTarget
 */
export async function readService(
  address: string,
  surroundings: Surroundings,
): Promise<KnownService> {
  const { env } = surroundings;
  const profile = { ...profileOfAddress(address, env), estimates: QUERIES_TO_TRY };
  await surroundings.secrets.addProfile(profile);
  const { name, baseUrl, partners } = profile;
  const [partner] = partners;
  surroundings.note(`asking ${baseUrl} for estimates, with at most one token request`);
  const { shapes, diagnosis } = await probeShapes(profile, surroundings);
  const isServed = shapes.length > 0;
  const others = Object.keys(QUERIES_TO_TRY).filter(
    (one) => !shapes.some((shape) => shape === one),
  );
  const missing = others.length > 0 ? `; no answer for ${others.join(', ')}` : '';
  return {
    isServed,
    facts: {
      name,
      baseUrl,
      partnerId: partner?.id ?? '',
      variables: {
        key: 'FAREPROOF_SIGNING_KEY',
        ...(env['FAREPROOF_AUTH_CODE'] && { code: 'FAREPROOF_AUTH_CODE' }),
        ...(env['FAREPROOF_ACCESS_TOKEN'] && { token: 'FAREPROOF_ACCESS_TOKEN' }),
      },
      shapes: isServed ? shapes : EXAMPLE.shapes,
    },
    words: isServed
      ? [`The service answers the shapes ${shapes.join(', ')}${missing}.`, '']
      : [
          'The service accepted no estimate, so the shapes in the profile are a guess.',
          ...(diagnosis ? [diagnosis.finding, diagnosis.remedy] : []),
          '',
        ],
  };
}
