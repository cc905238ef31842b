import { suitePath } from '../../../app/files/suites.ts';
import { type LocatedYaml, readLocatedYaml } from '../../../app/files/yaml.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { LoadFlags, LoadSuite } from '../../../load/index.ts';
import { OPTION_ROWS, type OptionName } from '../../../load/options.ts';
import { flagOf } from '../../flags/load-option.ts';
import type { Io } from '../../io.ts';

/**
 * Reads a load suite: one of this package by its name, `load-steady` or `steady`, or a file.
 *
 * @throws ConfigurationError `SUITE_UNKNOWN`, or as readLocatedYaml
 */
async function readSuite(name: string, io: Io): Promise<LocatedYaml<LoadSuite>> {
  const { loadSuiteSchema } = await import('../../../load/index.ts');
  const path = suitePath('load', name.replace(/^load-/, ''), io.cwd);
  return readLocatedYaml(path, loadSuiteSchema, io);
}

/**
 * Runs `act` with the flags of the command line over the options of their suite. A flag replaces an option
 * of the suite that conflicts with it.
 *
 * @throws ConfigurationError what `act` throws, with the flag, or the suite's file, line and field
 */
export async function withSuite<T>(
  typed: LoadFlags,
  io: Io,
  act: (flags: LoadFlags) => Promise<T>,
): Promise<T> {
  const suite = typed.suite === undefined ? null : await readSuite(typed.suite, io);
  const names = Object.keys(typed) as OptionName[];
  const replaced = new Set(names.flatMap((name) => [name, ...(OPTION_ROWS[name].conflicts ?? [])]));
  const ofSuite = Object.entries(suite?.data.load ?? {}).filter(
    ([name, value]) => value !== undefined && !replaced.has(name),
  );
  const { readFlags } = await import('../../../load/index.ts');
  try {
    return await act(readFlags({ ...Object.fromEntries(ofSuite), ...typed }));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const message = error.messageFor((field) => {
      const [name = '', ...rest] = field.split(/[[\].]+/).filter(Boolean);
      const path = rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
      if (suite !== null && ofSuite.some(([own]) => own === name))
        return suite.fieldAt(['load', name, ...path]);
      return Object.hasOwn(OPTION_ROWS, name) ? flagOf(name) : field;
    });
    throw new ConfigurationError(error.code, message, { cause: error });
  }
}
