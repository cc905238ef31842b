import { matcherOf, type Scenario, scenarioSchema } from '../../conformance/index.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { suggest } from '../../interface/suggestion.ts';
import { ownSuite, suiteNames } from '../files/suites.ts';
import { readYamlFile } from '../files/yaml.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Reads scenarios by name, glob over names, or file; without any, all that are included.
 *
 * @throws ConfigurationError `SCENARIO_UNKNOWN`, or as {@link readYamlFile}
 */
export async function readScenarios(
  names: readonly string[],
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<readonly Scenario[]> {
  const included = suiteNames('client');
  const wanted = (names.length > 0 ? names : ['*']).flatMap((name) => {
    if (/\.ya?ml$/.test(name)) return name;
    const matching = included.filter(matcherOf(name));
    if (matching.length > 0) return matching;
    const hint = suggest(
      name,
      included,
      `choose from ${included.join(', ')}, or name a YAML file.`,
    );
    throw new ConfigurationError('SCENARIO_UNKNOWN', `there is no scenario "${name}"; ${hint}`, {
      field: 'scenario',
    });
  });
  return Promise.all(
    [...new Set(wanted)].map((name) => {
      const path = included.includes(name) ? ownSuite('client', name) : name;
      return readYamlFile(path, scenarioSchema, surroundings);
    }),
  );
}
