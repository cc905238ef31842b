import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readYamlFile } from '../../files/yaml.ts';
import type { Io } from '../../io.ts';

const SUITES = new URL('../../../../suites/client/', import.meta.url);

/**
 * Reads scenarios by name or file; without any, all that are included.
 *
 * @throws ConfigurationError `SCENARIO_UNKNOWN`, or as {@link readYamlFile}
 */
export async function readScenarios(
  names: readonly string[],
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<readonly Scenario[]> {
  const { scenarioSchema } = await import('../../../conformance/index.ts');
  const included = (await readdir(SUITES))
    .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
    .sort();
  const wanted = names.length > 0 ? names : included;
  return Promise.all(
    wanted.map((name) => {
      if (/\.ya?ml$/.test(name)) return readYamlFile(name, scenarioSchema, io);
      if (!included.includes(name)) {
        throw new ConfigurationError(
          'SCENARIO_UNKNOWN',
          `--scenario: "${name}" is not a scenario; choose from ${included.join(', ')}, or name a YAML file.`,
        );
      }
      return readYamlFile(fileURLToPath(new URL(`${name}.yaml`, SUITES)), scenarioSchema, io);
    }),
  );
}
