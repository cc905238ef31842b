import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../interface/errors.ts';
import { suggest } from '../../interface/suggestion.ts';

const SUITES = new URL('../../../suites/', import.meta.url);

/** Kind of suites that the package has: of checks, of loads, and the scenarios of clients. */
export type SuiteKind = 'service' | 'load' | 'client';

/** Names of the suites that the package has. */
export function suiteNames(kind: SuiteKind): string[] {
  return readdirSync(new URL(`${kind}/`, SUITES))
    .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
    .sort();
}

/** Path of a suite of the package. */
export function ownSuite(kind: SuiteKind, name: string): string {
  return fileURLToPath(new URL(`${kind}/${name}.yaml`, SUITES));
}

/**
 * Path of a suite: one of the package by its name, or a file.
 *
 * @throws ConfigurationError `SUITE_UNKNOWN`
 */
export function suitePath(kind: SuiteKind, name: string, cwd: string): string {
  const names = suiteNames(kind);
  if (names.includes(name)) return ownSuite(kind, name);
  if (!/^[\w-]+$/.test(name) || existsSync(resolve(cwd, name))) return name;
  const hint = suggest(name, names, `there are ${names.join(', ')}.`);
  throw new ConfigurationError('SUITE_UNKNOWN', `there is no suite "${name}"; ${hint}`, {
    field: 'suite',
  });
}
