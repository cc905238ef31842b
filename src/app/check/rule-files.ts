import {
  type CustomRule,
  readCustomRules,
  type Suite,
  suiteSchema,
  type Waiver,
  waiversSchema,
} from '../../conformance/index.ts';
import { CLIENT_RULES } from '../../interface/catalogue.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { readShape } from '../../interface/shape-problems.ts';
import { suitePath } from '../files/suites.ts';
import { readYamlFile } from '../files/yaml.ts';
import { globProblem } from '../rule-globs.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * Reads a suite of this package by its name, or a file; each of its globs has to match a rule.
 *
 * @param ids of every rule that a suite may name
 * @throws ConfigurationError `SUITE_UNKNOWN`, or as {@link readYamlFile}
 */
export async function readSuite(
  name: string,
  ids: readonly string[],
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<Suite> {
  const shape = suiteSchema.superRefine(({ rules }, context) => {
    for (const list of ['include', 'exclude'] as const) {
      for (const [at, glob] of rules[list].entries()) {
        const message = globProblem(glob, ids);
        const path = ['rules', list, at];
        if (message !== null) context.addIssue({ code: 'custom', path, message });
      }
    }
  });
  return readYamlFile(suitePath('service', name, surroundings.cwd), shape, surroundings);
}

/**
 * Reads waivers, from a file for a path; each glob has to match a rule, of clients too.
 *
 * @throws ConfigurationError `WAIVERS_INVALID`, or as {@link readYamlFile}
 */
export async function readWaivers(
  given: string | readonly Waiver[],
  ids: readonly string[],
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<readonly Waiver[]> {
  const waivable = [...ids, ...CLIENT_RULES.map(({ id }) => id)];
  const shape = waiversSchema.superRefine((waivers, context) => {
    for (const [at, { rule }] of waivers.entries()) {
      const message = globProblem(rule, waivable);
      if (message !== null) context.addIssue({ code: 'custom', path: [at, 'rule'], message });
    }
  });
  return typeof given === 'string'
    ? readYamlFile(given, shape, surroundings)
    : readShape(shape, given, { name: 'waivers', code: 'WAIVERS_INVALID' });
}

/** Remedies where a module cannot be loaded, by words of Node's error. */
const HINTS = [
  ["package 'fareproof'", '; run `npm install fareproof` in the folder of the module'],
  [
    'Unknown file extension ".ts"',
    '; this Node cannot strip types: use Node 22.18 or newer, or compile the module to JavaScript',
  ],
] as const;

/**
 * Reads the custom rules that a module exports.
 *
 * @param load imports the module
 * @throws ConfigurationError `RULES_MODULE`
 */
export async function readRulesModule(
  path: string,
  load: () => Promise<unknown>,
): Promise<readonly CustomRule[]> {
  try {
    return readCustomRules(((await load()) as { rules?: unknown }).rules);
  } catch (error) {
    const { message } = error as Error;
    const hint = HINTS.find(([sign]) => message.includes(sign))?.[1] ?? '';
    throw new ConfigurationError('RULES_MODULE', `${path}: ${message}${hint}`, { cause: error });
  }
}
