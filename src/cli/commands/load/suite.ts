import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import type { LoadSuite, LoadSuiteSettings } from '../../../load/index.ts';
import { type LocatedYaml, readLocatedYaml } from '../../files/yaml.ts';
import type { Io } from '../../io.ts';
import type { LoadFlags } from './flags.ts';

const SUITE_NAMES = ['smoke', 'steady', 'ramp', 'spike', 'soak', 'find-max'];

const BUNDLED = new URL('../../../../suites/load/', import.meta.url);

/**
 * Reads a load suite: one of this package by its name, `load-steady` or `steady`, or a file.
 *
 * @throws ConfigurationError `SUITE_UNKNOWN`, or as readLocatedYaml
 */
export async function readSuite(name: string, io: Io): Promise<LocatedYaml<LoadSuite>> {
  const { loadSuiteSchema } = await import('../../../load/index.ts');
  const bundled = new URL(`${name.replace(/^load-/, '')}.yaml`, BUNDLED);
  const isName = /^[\w-]+$/.test(name) && !existsSync(resolve(io.cwd, name));
  if (isName && !existsSync(bundled)) {
    const hint = suggest(name, SUITE_NAMES, `there are ${SUITE_NAMES.join(', ')}.`);
    throw new ConfigurationError('SUITE_UNKNOWN', `--suite: there is no suite "${name}"; ${hint}`);
  }
  const path = isName ? fileURLToPath(bundled) : name;
  return readLocatedYaml(path, loadSuiteSchema, io);
}

/**
 * Puts the flags of the command line over those of a suite. A flag that sets the model replaces all of
 * the suite that sets the model; a threshold replaces an objective, and an objective thresholds.
 */
export function overSuite(typed: LoadFlags, suite: LoadSuiteSettings): LoadFlags {
  const set = Object.entries(suite).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries(set) as LoadFlags;
  if (typed.rate ?? typed.stages ?? typed.findMax) {
    delete flags.rate;
    delete flags.stages;
    if (typed.stages !== undefined) delete flags.duration;
  }
  if (typed.threshold !== undefined) delete flags.findMax;
  if (typed.findMax !== undefined) delete flags.threshold;
  return { ...flags, ...typed };
}

/** Origin of the settings of a load, so that an error names what the user wrote. */
export interface Origin {
  /** `--name` for one from the command line, `file:line: load.name` for one of the suite. */
  readonly of: (name: string, index?: number) => string;
  /**
   * Runs `act`; where an error names flags that the suite sets, it names the suite's fields instead.
   *
   * @throws what `act` throws
   */
  readonly explain: <T>(act: () => Promise<T>) => Promise<T>;
}

/**
 * The origin of the settings of a load.
 *
 * @param typed the flags of the command line, which go before those of the suite
 */
export function originOf(typed: object, suite: LocatedYaml<LoadSuite> | null): Origin {
  const isOfSuite = (name: string): boolean =>
    suite !== null && !(name in typed) && Object.hasOwn(suite.data.load, name);
  const of = (name: string, index?: number): string =>
    suite !== null && isOfSuite(name)
      ? suite.fieldAt(['load', name, ...(index === undefined ? [] : [index])])
      : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const nameFields = (message: string): string =>
    message.replace(/(?<!\S)--([a-z]+(?:-[a-z]+)*)/g, (flag, words: string) => {
      const name = words.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return isOfSuite(name) ? of(name) : flag;
    });
  return {
    of,
    explain: async (act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        throw new ConfigurationError(error.code, nameFields(error.message), { cause: error });
      }
    },
  };
}
