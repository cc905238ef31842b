import { readScenarios } from '../../../app/certify/scenarios.ts';
import { escapeTerminalLine } from '../../../report/index.ts';
import { type Io, print } from '../../io.ts';

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
