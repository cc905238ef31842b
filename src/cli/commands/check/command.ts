import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type {
  CheckServiceOptions,
  CustomRule,
  RuleResult,
  Waiver,
} from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { ConformanceDocument } from '../../../report/index.ts';
import { readInteger, readPositive } from '../../flags/numbers.ts';
import { repeatable } from '../../flags/repeatable.ts';
import { requireKnown } from '../../flags/rule-globs.ts';
import { type Io, print } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { EXIT, exitCodeOfCheck } from '../../output/exit-codes.ts';
import { dropRunFolder, prepareRunFolder } from '../../output/run-folder.ts';
import { TOOL } from '../../tool.ts';
import type { ResumedRun } from './resume.ts';

/** Flags of `fareproof check`. */
interface CheckFlags {
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

/** Defines `fareproof check`: judges a target by every documented rule. */
export function defineCheck(program: Command, io: Io): void {
  program
    .command('check')
    .description('judge a service by every documented rule')
    .option('--target <profile>', 'target profile (default: an embedded server, both environments)')
    .option('--suite <name|file>', 'smoke, full, certification, no-token-spend, or a file', 'full')
    .addOption(repeatable('--rule <glob>', 'judge only matching rules', 'all of the suite'))
    .option('--rules-module <file>', 'JavaScript module that exports custom rules as "rules"')
    .option('--waivers <file>', 'accepted violations: a list of rule, reason, until')
    .option('--strict-waivers', 'fail if a waiver has no effect')
    .option('--plan', 'print what each partner would spend and what would be banned; send nothing')
    .option('--allow-ban', 'let partners marked spendable be banned')
    .option('--wait', 'wait until rules that need another day can be judged (the end of a ban)')
    .option('--resume <dir>', 'continue a run that was interrupted or has pending rules')
    .option(
      '--ledger <file>',
      "record of what partners spent (default: in the user's state directory)",
    )
    .option(
      '--save-behaviour <file>',
      'write the observed answers to the gaps, for serve --behaviour',
    )
    .option('--require-complete', 'fail if a rule is untestable')
    .option('--strict', 'fail on warnings')
    .option('--max-rate <n>', 'maximum number of requests per second')
    .option('--timeout <ms>', 'timeout of one request', '10000')
    .option('--seed <n>', 'seed of random values (default: random)')
    .option('--json', 'print the run document to stdout and nothing else')
    .option('--out <dir>', "folder for the run's files (default: reports/conformance-<time>/)")
    .addHelpText(
      'after',
      `
Without a control API in the profile, each token request counts against a partner's allowance:
--plan shows the cost before anything is sent.

Example:
  $ fareproof check --target staging.yaml --plan
  $ fareproof check --target staging.yaml --suite smoke
  $ fareproof check --resume reports/conformance-2026-01-31T09-00-00Z`,
    )
    .action((flags: CheckFlags, command: Command) => check(flags, command, io));
}

async function check(given: CheckFlags, command: Command, io: Io): Promise<void> {
  const { readResumedRun } = await import('./resume.ts');
  const resumed = given.resume === undefined ? null : await readResumedRun(given.resume, given, io);
  const flags = resumed ? withEarlier(given, resumed.flags, command) : given;
  const settings = await readSettings(flags, io);
  const waivers = await readWaiverFile(flags.waivers, settings, io);
  const { openTargets } = await import('./targets.ts');
  const { openSpendLedger } = await import('../../files/ledger.ts');
  const targets = await openTargets(flags.target, io);
  try {
    const { target, companion } = targets;
    const ledger = await openSpendLedger(target, flags.ledger, io);
    try {
      const options = { ...settings, ledger, target, companion };
      await (flags.plan ? printPlan(options, io) : runCheck(options, waivers, flags, resumed, io));
    } finally {
      ledger?.close();
    }
  } finally {
    await targets.close();
  }
}

/** Flags of a resumed run: those of its first part, overridden by those given now. */
function withEarlier(
  given: CheckFlags,
  earlier: Readonly<Record<string, unknown>>,
  command: Command,
): CheckFlags {
  const givenNow = Object.entries(given).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default',
  );
  return { ...given, ...earlier, ...Object.fromEntries(givenNow) };
}

type Settings = Omit<CheckServiceOptions, 'target' | 'companion' | 'ledger' | 'journal'>;

async function readSettings(flags: CheckFlags, io: Io): Promise<Settings> {
  const { readSuite } = await import('./suite.ts');
  const { SERVICE_RULES } = await import('../../../interface/catalogue.ts');
  const { matcherOf } = await import('../../../conformance/index.ts');
  const customRules = await readRulesModule(flags.rulesModule, io);
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnown('--rule', flags.rule, ids, (glob, id) => matcherOf(glob)(id));
  return {
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
  };
}

async function readWaiverFile(
  path: string | undefined,
  { customRules = [], wall }: Settings,
  io: Io,
): Promise<readonly Waiver[]> {
  if (path === undefined) return [];
  const { readWaivers } = await import('./waivers.ts');
  const { RULES } = await import('../../../interface/catalogue.ts');
  return readWaivers(
    path,
    [...RULES, ...customRules].map(({ id }) => id),
    wall(),
    io,
  );
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

async function printPlan(options: CheckServiceOptions, io: Io): Promise<void> {
  const { planService } = await import('../../../conformance/index.ts');
  const { planTable } = await import('./plan.ts');
  for (const line of planTable(planService(options))) print(io, line);
  io.exit(EXIT.passed);
}

async function runCheck(
  options: CheckServiceOptions,
  waivers: readonly Waiver[],
  flags: CheckFlags,
  resumed: ResumedRun | null,
  io: Io,
): Promise<void> {
  const { applyWaivers, checkService } = await import('../../../conformance/index.ts');
  const { SCHEMA_VERSION } = await import('../../../report/index.ts');
  const { CheckProgress } = await import('./progress.ts');
  const { openRunJournal, settleBrokenRun, settleRun, startRunProgress } = await import(
    './resume.ts'
  );
  const folder =
    resumed?.folder ?? (await prepareRunFolder(io, 'conformance', options.wall(), flags.out));
  const kept = resumed?.progress ?? (await startRunProgress(folder, { ...flags }, io));
  const journal = options.target.control ? undefined : await openRunJournal(folder);
  const progress = new CheckProgress(io);
  const onRule = (result: Pick<RuleResult, 'id' | 'verdict'>): void => progress.add(result);
  const signal = io.interruption();
  const run = { ...options, onRule, signal, journal, runLog: kept };
  const judged = await checkService(run).catch(async (error: unknown) => {
    progress.erase();
    await settleBrokenRun(folder, kept, io);
    await dropRunFolder(folder);
    throw error;
  });
  progress.end();
  const mustBeComplete = options.requireComplete || options.suite.requireComplete;
  const result =
    flags.waivers === undefined ? judged : applyWaivers(judged, waivers, mustBeComplete);
  const document: ConformanceDocument = { schemaVersion: SCHEMA_VERSION, tool: TOOL, ...result };
  await deliverInto(folder, document, flags, io);
  await settleRun(folder, judged, io);
  if (flags.saveBehaviour !== undefined) {
    const { saveBehaviour } = await import('./behaviour.ts');
    await saveBehaviour(flags.saveBehaviour, judged, io);
  }
  io.exit(exitCodeOfCheck(document, flags));
}
