import { z } from 'zod';
import {
  type BehaviourInput,
  behaviourSchema,
  type ProfilePartner,
  targetProfileSchema,
} from '../../interface/index.ts';
import { readYamlFile } from '../files/yaml.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Reads the file of `--partners`: partners as in a profile.
 *
 * @throws ConfigurationError that names file, line and field
 */
export function readPartnersFile(
  path: string,
  io: Surroundings,
): Promise<readonly ProfilePartner[]> {
  return readYamlFile(path, partnersShape, io);
}

/**
 * Reads the file of `--behaviour`: answers to the gaps.
 *
 * @throws ConfigurationError that names file, line and field
 */
export function readBehaviourFile(path: string, io: Surroundings): Promise<BehaviourInput> {
  return readYamlFile(path, behaviourSchema, io);
}

/** Partners as in a profile: a list of them, or an object with the list under `partners`. */
const partnersShape: z.ZodType<readonly ProfilePartner[]> = z
  .unknown()
  .transform((value, context) => {
    const isList = Array.isArray(value);
    const partners: unknown = isList ? value : (value as { partners?: unknown } | null)?.partners;
    const parsed = targetProfileSchema.safeParse({
      name: 'partners',
      baseUrl: 'embedded',
      partners: partners ?? null,
    });
    if (parsed.success) return parsed.data.partners;
    for (const issue of parsed.error.issues) {
      const path = isList ? issue.path.slice(1) : issue.path;
      context.issues.push({ ...issue, path, input: value } as z.core.$ZodRawIssue);
    }
    return z.NEVER;
  });
