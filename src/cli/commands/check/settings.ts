import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AskedCheck } from '../../../app/check/check-target.ts';
import { type EarlierRun, readCheck } from '../../../app/check/earlier-run.ts';
import { readRulesModule, readSuite, readWaivers } from '../../../app/check/rule-files.ts';
import { CHECK_VALUES, SEED } from '../../../app/option-values.ts';
import { requireKnownRules } from '../../../app/rule-globs.ts';
import { SERVICE_RULES } from '../../../interface/catalogue.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readDuration, readNumber } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import type { CheckFlags } from './flags.ts';

/**
 * Reads the flags of `check` and the files that they name, except for the target.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
export async function readAskedCheck(flags: CheckFlags, io: Io): Promise<AskedCheck> {
  const { rulesModule: path } = flags;
  const customRules =
    path === undefined
      ? []
      : await readRulesModule(path, () => import(pathToFileURL(resolve(io.cwd, path)).href));
  const ids = [...SERVICE_RULES, ...customRules].map(({ id }) => id);
  requireKnownRules(flags.rule, ids);
  return {
    options: {
      suite: await readSuite(flags.suite, ids, io),
      customRules,
      seed: readNumber(flags.seed, 'seed', SEED) ?? randomInt(2 ** 31),
      clock: io.clock,
      timeoutMs: readDuration(flags.timeout, 'timeout', CHECK_VALUES.timeout, 'ms'),
      maxRate: readNumber(flags.maxRate, 'maxRate', CHECK_VALUES.maxRate),
      requests:
        flags.requests === 'all'
          ? null
          : readNumber(flags.requests, 'requests', CHECK_VALUES.requests),
      forSeconds: readDuration(flags.for, 'for', CHECK_VALUES.for, 's'),
      exploreSeconds: readDuration(flags.explore, 'explore', CHECK_VALUES.explore, 's'),
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
  if (against !== undefined) {
    const { document } = await readCheck(against, io, 'against');
    return { run: against, document, isAsked: true, failsOnNew: failOn === 'new' };
  }
  if (failOn === undefined) return null;
  throw new ConfigurationError(
    'FLAG_CONFLICT',
    `--fail-on ${failOn} needs an earlier run to compare with; give it with --against.`,
  );
}
