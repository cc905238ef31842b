import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckServiceOptions, CustomRule, Waiver } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readInteger, readPositive } from '../../flags/numbers.ts';
import { requireKnown } from '../../flags/rule-globs.ts';
import type { Io } from '../../io.ts';

/** Flags of `fareproof check`. */
export interface CheckFlags {
  target?: string;
  suite: string;
  rule: readonly string[];
  rulesModule?: string;
  waivers?: string;
  strictWaivers?: true;
  plan?: true;
  allowBan?: true;
  wait?: true;
  resume?: string;
  ledger?: string;
  saveBehaviour?: string;
  requireComplete?: true;
  strict?: true;
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
}

/**
 * Reads the flags of `check` and the files that they name, except for the target.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
export async function readCheckSettings(flags: CheckFlags, io: Io): Promise<CheckSettings> {
  const { readSuite } = await import('./suite.ts');
  const { CLIENT_RULES, SERVICE_RULES } = await import('../../../interface/catalogue.ts');
  const { matcherOf } = await import('../../../conformance/index.ts');
  const customRules = await readRulesModule(flags.rulesModule, io);
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnown('--rule', flags.rule, ids, (glob, id) => matcherOf(glob)(id));
  const waivable = [...ids, ...CLIENT_RULES.map(({ id }) => id)];
  return {
    options: {
      suite: await readSuite(flags.suite, ids, io),
      only: flags.rule,
      customRules,
      seed: readInteger(flags.seed, '--seed', { min: 0 }) ?? randomInt(2 ** 31),
      wall: Date.now,
      monotonic: () => performance.now(),
      timeoutMs: readInteger(flags.timeout, '--timeout', { min: 1 }),
      maxRate: readPositive(flags.maxRate, '--max-rate') ?? null,
      allowBan: flags.allowBan ?? false,
      requireComplete: flags.requireComplete ?? false,
      waits: flags.wait ?? false,
    },
    waivers: await readWaiverFile(flags.waivers, waivable, io),
  };
}

async function readWaiverFile(
  path: string | undefined,
  ids: readonly string[],
  io: Io,
): Promise<readonly Waiver[] | null> {
  if (path === undefined) return null;
  const { readWaivers } = await import('./waivers.ts');
  return readWaivers(path, ids, Date.now(), io);
}

async function readRulesModule(path: string | undefined, io: Io): Promise<readonly CustomRule[]> {
  if (path === undefined) return [];
  const { readCustomRules } = await import('../../../conformance/index.ts');
  try {
    const module = (await import(pathToFileURL(resolve(io.cwd, path)).href)) as { rules?: unknown };
    return readCustomRules(module.rules);
  } catch (error) {
    throw new ConfigurationError('RULES_MODULE', `${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
