import { isExpired, matcherOf, type Waiver, waiversSchema } from '../../../conformance/index.ts';
import { readYamlFile } from '../../files/yaml.ts';
import { unknownGlob } from '../../flags/rule-globs.ts';
import type { Io } from '../../io.ts';

/**
 * Reads a waiver file. A waiver that has expired, or whose glob matches no rule, is refused with its
 * file and line.
 *
 * @param ids of every rule that may be waived
 * @param nowMs since the epoch
 * @throws ConfigurationError as {@link readYamlFile}
 */
export async function readWaivers(
  path: string,
  ids: readonly string[],
  nowMs: number,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<readonly Waiver[]> {
  const shape = waiversSchema.superRefine((waivers, context) => {
    for (const [at, waiver] of waivers.entries()) {
      const { rule, until } = waiver;
      if (!ids.some(matcherOf(rule))) {
        context.addIssue({ code: 'custom', path: [at, 'rule'], message: unknownGlob(rule, ids) });
      }
      if (isExpired(waiver, nowMs)) {
        const message = `the waiver of ${rule} expired on ${until}; fix the rule or extend the waiver`;
        context.addIssue({ code: 'custom', path: [at, 'until'], message });
      }
    }
  });
  return readYamlFile(path, shape, io);
}
