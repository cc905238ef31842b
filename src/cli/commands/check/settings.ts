import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AskedCheck } from '../../../app/check/check-target.ts';
import { type EarlierRun, readEarlierRun } from '../../../app/check/earlier-run.ts';
import { readSuite, readWaivers } from '../../../app/check/rule-files.ts';
import { requireKnownRules } from '../../../app/rule-globs.ts';
import { type CustomRule, readCustomRules } from '../../../conformance/index.ts';
import { SERVICE_RULES } from '../../../interface/catalogue.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readDuration, readInteger, readPositive } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';

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

/**
 * Reads the flags of `check` and the files that they name, except for the target.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
export async function readAskedCheck(flags: CheckFlags, io: Io): Promise<AskedCheck> {
  const customRules = await readRulesModule(flags.rulesModule, io);
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnownRules(flags.rule, ids);
  return {
    options: {
      suite: await readSuite(flags.suite, ids, io),
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
    rules: { only: flags.rule, failedFirst: flags.failedFirst, onlyFailed: flags.onlyFailed },
    waivers: flags.waivers === undefined ? null : await readWaivers(flags.waivers, ids, io),
    against: await readAgainst(flags, io),
    ledger: flags.ledger,
    folder: flags.out,
  };
}

async function readAgainst({ against, failOn }: CheckFlags, io: Io): Promise<EarlierRun | null> {
  if (against !== undefined) return readEarlierRun(against, failOn === 'new', io);
  if (failOn === undefined) return null;
  throw new ConfigurationError(
    'FLAG_CONFLICT',
    `--fail-on ${failOn} needs an earlier run to compare with; give it with --against.`,
  );
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
