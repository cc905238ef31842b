import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matcherOf, type Suite, suiteSchema } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readYamlFile } from '../../files/yaml.ts';
import { unknownGlob } from '../../flags/rule-globs.ts';
import { nearest } from '../../flags/suggestion.ts';
import type { Io } from '../../io.ts';

const SUITE_NAMES = ['smoke', 'full', 'certification', 'no-token-spend'];

/**
 * Reads a suite of this package by its name, or a file; each of its globs has to match a rule.
 *
 * @param ids of every rule that a suite may name
 * @throws ConfigurationError `SUITE_UNKNOWN`, or as {@link readYamlFile}
 */
export async function readSuite(
  name: string,
  ids: readonly string[],
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<Suite> {
  return readYamlFile(pathOf(name, io), suiteOf(ids), io);
}

function pathOf(name: string, { cwd }: Pick<Io, 'cwd'>): string {
  if (SUITE_NAMES.includes(name)) {
    return fileURLToPath(new URL(`../../../../suites/service/${name}.yaml`, import.meta.url));
  }
  const isName = /^[\w-]+$/.test(name);
  if (!isName || existsSync(resolve(cwd, name))) return name;
  const near = nearest(name, SUITE_NAMES);
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${SUITE_NAMES.join(', ')}.`;
  throw new ConfigurationError('SUITE_UNKNOWN', `--suite: there is no suite "${name}"; ${hint}`);
}

function suiteOf(ids: readonly string[]): typeof suiteSchema {
  return suiteSchema.superRefine(({ rules }, context) => {
    for (const list of ['include', 'exclude'] as const) {
      for (const [at, glob] of rules[list].entries()) {
        if (ids.some(matcherOf(glob))) continue;
        const path = ['rules', list, at];
        context.addIssue({ code: 'custom', path, message: unknownGlob(glob, ids) });
      }
    }
  });
}
