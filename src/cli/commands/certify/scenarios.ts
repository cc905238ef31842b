import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import { escapeTerminalLine } from '../../../report/index.ts';
import { readYamlFile } from '../../files/yaml.ts';
import { type Io, print } from '../../io.ts';

const SUITES = new URL('../../../../suites/client/', import.meta.url);

/**
 * Reads scenarios by name, glob over names, or file; without any, all that are included.
 *
 * @throws ConfigurationError `SCENARIO_UNKNOWN`, or as {@link readYamlFile}
 */
export async function readScenarios(
  names: readonly string[],
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<readonly Scenario[]> {
  const { matcherOf, scenarioSchema } = await import('../../../conformance/index.ts');
  const included = (await readdir(SUITES))
    .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
    .sort();
  const wanted = (names.length > 0 ? names : ['*']).flatMap((name) => {
    if (/\.ya?ml$/.test(name)) return name;
    const matching = included.filter(matcherOf(name));
    if (matching.length > 0) return matching;
    throw new ConfigurationError(
      'SCENARIO_UNKNOWN',
      `--scenario: there is no scenario "${name}"; ${suggest(name, included, `choose from ${included.join(', ')}, or name a YAML file.`)}`,
    );
  });
  return Promise.all(
    [...new Set(wanted)].map((name) => {
      const path = included.includes(name) ? fileURLToPath(new URL(`${name}.yaml`, SUITES)) : name;
      return readYamlFile(path, scenarioSchema, io);
    }),
  );
}

/**
 * Prints the scenarios that `--scenario` selects, with their descriptions; as JSON on request.
 *
 * @throws ConfigurationError as {@link readScenarios}
 */
export async function listScenarios(
  { scenario, json }: { readonly scenario: readonly string[]; readonly json?: true },
  io: Io,
): Promise<void> {
  const scenarios = await readScenarios(scenario, io);
  if (json) {
    const listed = scenarios.map(({ name, description, mode }) => ({ name, description, mode }));
    print(io, JSON.stringify(listed));
    return;
  }
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  for (const { name, description } of scenarios) {
    print(io, `${name.padEnd(width)}  ${escapeTerminalLine(description)}`);
  }
}
