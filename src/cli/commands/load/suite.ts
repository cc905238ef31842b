import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadSuite, LoadSuiteSettings } from '../../../load/index.ts';
import { type LocatedYaml, readLocatedYaml } from '../../files/yaml.ts';
import type { Io } from '../../io.ts';
import type { LoadFlags } from './flags.ts';

const BUNDLED = new URL('../../../../suites/load/', import.meta.url);

/**
 * Reads a load suite: one of this package by its name, `load-steady` or `steady`, or a file.
 *
 * @throws ConfigurationError as readLocatedYaml
 */
export async function readSuite(name: string, io: Io): Promise<LocatedYaml<LoadSuite>> {
  const { loadSuiteSchema } = await import('../../../load/index.ts');
  const bundled = new URL(`${name.replace(/^load-/, '')}.yaml`, BUNDLED);
  const isName = /^[\w-]+$/.test(name) && !existsSync(resolve(io.cwd, name));
  const path = isName && existsSync(bundled) ? fileURLToPath(bundled) : name;
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
