import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type CheckServiceOptions,
  type CustomRule,
  readCustomRules,
  type Suite,
  suiteSchema,
  type Waiver,
  waiversSchema,
} from '../../../conformance/index.ts';
import { CLIENT_RULES, SERVICE_RULES } from '../../../interface/catalogue.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import { readYamlFile } from '../../files/yaml.ts';
import { readDuration, readInteger, readPositive } from '../../flags/numbers.ts';
import { globProblem, requireKnownRules } from '../../flags/rule-globs.ts';
import type { Io } from '../../io.ts';
import { type EarlierRun, readEarlierRun } from './against.ts';

const SUITE_NAMES = ['smoke', 'full', 'certification', 'no-token-spend'];

/** Flags of `fareproof check`. */
export interface CheckFlags {
  target?: string;
  suite: string;
  rule: readonly string[];
  rulesModule?: string;
  waivers?: string;
  strictWaivers?: true;
  failedFirst?: true;
  onlyFailed?: true;
  against?: string;
  failOn?: 'new';
  plan?: true;
  allowBan?: true;
  wait?: true;
  resume?: string;
  ledger?: string;
  serviceRestarted?: true;
  saveBehaviour?: string;
  requireComplete?: true;
  strict?: true;
  requests: string;
  for?: string;
  maxRate?: string;
  timeout: string;
  seed?: string;
  json?: true;
  out?: string;
}

/** Options of a check, except for the target and what is open during the run. */
export interface CheckSettings {
  readonly options: Omit<CheckServiceOptions, 'target' | 'companion' | 'ledger' | 'journal'>;
  /** Null without `--waivers`. */
  readonly waivers: readonly Waiver[] | null;
  /** Null without `--against`. */
  readonly against: EarlierRun | null;
}

/**
 * Reads the flags of `check` and the files that they name, except for the target.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
export async function readCheckSettings(flags: CheckFlags, io: Io): Promise<CheckSettings> {
  const customRules = await readRulesModule(flags.rulesModule, io);
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnownRules(flags.rule, ids);
  const waivable = [...ids, ...CLIENT_RULES.map(({ id }) => id)];
  return {
    options: {
      suite: await readSuite(flags.suite, ids, io),
      only: flags.rule,
      customRules,
      seed: readInteger(flags.seed, 'seed', { min: 0 }) ?? randomInt(2 ** 31),
      clock: io.clock,
      timeoutMs: readDuration(flags.timeout, 'timeout', { unit: 'ms', min: 1 }),
      maxRate: readPositive(flags.maxRate, 'maxRate'),
      requests:
        flags.requests === 'all' ? null : readInteger(flags.requests, 'requests', { min: 1 }),
      forSeconds: readDuration(flags.for, 'for', { unit: 's', min: 1 }),
      allowBan: flags.allowBan ?? false,
      serviceRestarted: flags.serviceRestarted,
      requireComplete: flags.requireComplete ?? false,
      waits: flags.wait ?? false,
    },
    waivers: await readWaivers(flags.waivers, waivable, io),
    against: await readEarlierRun(flags, io),
  };
}

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
  const hint = suggest(name, SUITE_NAMES, `there are ${SUITE_NAMES.join(', ')}.`);
  throw new ConfigurationError('SUITE_UNKNOWN', `--suite: there is no suite "${name}"; ${hint}`);
}

function suiteOf(ids: readonly string[]): typeof suiteSchema {
  return suiteSchema.superRefine(({ rules }, context) => {
    for (const list of ['include', 'exclude'] as const) {
      for (const [at, glob] of rules[list].entries()) {
        const message = globProblem(glob, ids);
        const path = ['rules', list, at];
        if (message !== null) context.addIssue({ code: 'custom', path, message });
      }
    }
  });
}

/** Refuses a waiver whose glob matches no rule, with its file and line. */
async function readWaivers(
  path: string | undefined,
  ids: readonly string[],
  io: Io,
): Promise<readonly Waiver[] | null> {
  if (path === undefined) return null;
  const shape = waiversSchema.superRefine((waivers, context) => {
    for (const [at, { rule }] of waivers.entries()) {
      const unknown = globProblem(rule, ids);
      if (unknown !== null) {
        context.addIssue({ code: 'custom', path: [at, 'rule'], message: unknown });
      }
    }
  });
  return readYamlFile(path, shape, io);
}

async function readRulesModule(path: string | undefined, io: Io): Promise<readonly CustomRule[]> {
  if (path === undefined) return [];
  try {
    const module = (await import(pathToFileURL(resolve(io.cwd, path)).href)) as { rules?: unknown };
    return readCustomRules(module.rules);
  } catch (error) {
    const { message } = error as Error;
    const hint = message.includes("package 'fareproof'")
      ? '; run `npm install fareproof` in the folder of the module'
      : '';
    throw new ConfigurationError('RULES_MODULE', `${path}: ${message}${hint}`, { cause: error });
  }
}
