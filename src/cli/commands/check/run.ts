import type { WriteStream } from 'node:tty';
import type { Command } from 'commander';
import type {
  CheckServiceOptions,
  ResumableRun,
  ServiceResult,
} from '../../../conformance/index.ts';
import type { Exit } from '../../../documents/base.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { ForecastDocument } from '../../../documents/forecast.ts';
import { shownPath, writing } from '../../files/write.ts';
import { type Io, note, print } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { EXIT, exitOfCheck } from '../../output/exit-codes.ts';
import { flagWords, isBroken, withRepeats } from '../../output/repeat.ts';
import { dropRunFolder, notWritable, prepareRunFolder } from '../../output/run-folder.ts';
import { TOOL } from '../../tool.ts';
import { withChanges } from './against.ts';
import { abandonRun, openResumedRun, settleRun, storedFlags } from './resume.ts';
import type { CheckFlags, CheckSettings } from './settings.ts';
import { type CheckTargets, openTargets, startEmbedded } from './targets.ts';

/** Runs `fareproof check`, or prints its plan. */
export async function check(given: CheckFlags, command: Command, io: Io): Promise<void> {
  const isEmbedded = given.target === undefined && given.resume === undefined;
  // It starts while the checks are loaded; a mistake in a flag is reported before a failure of it.
  const embedded = isEmbedded ? startEmbedded() : null;
  embedded?.catch(() => undefined);
  try {
    await checkTarget(given, command, io, embedded);
  } finally {
    await embedded?.then(
      (servers) => servers.close(),
      () => undefined,
    );
  }
}

async function checkTarget(
  given: CheckFlags,
  command: Command,
  io: Io,
  embedded: Promise<CheckTargets> | null,
): Promise<void> {
  const resumed =
    given.resume === undefined ? null : await openResumedRun(given.resume, given, command, io);
  const asked = resumed?.flags ?? given;
  const { readCheckSettings } = await import('./settings.ts');
  const settings = await readCheckSettings(asked, io);
  const { findLastRun, orderByLastRun, recordLastRun } = await import('./last-run.ts');
  const { matcherOf, maxRateOf, spendsOfProfile } = await import('../../../conformance/index.ts');
  const { ledgerFile } = await import('../../../spending/index.ts');
  const targets = await (embedded ?? openTargets(asked.target, io));
  try {
    const { target, companion } = targets;
    const ledger = ledgerFile(asked.ledger, io, (message) => note(io, message));
    const isSpending = spendsOfProfile(target, settings.options.suite);
    const place = { baseUrl: target.baseUrl, ledger: isSpending ? ledger : null };
    const against = settings.against ?? (await findLastRun(asked, place, io));
    const order = orderByLastRun(against, asked, (id) =>
      asked.rule.some((glob) => matcherOf(glob)(id)),
    );
    const flags = { ...asked, rule: order.only };
    const options = { ...settings.options, ...order, target, companion, ledger };
    if (flags.plan) return await printPlan(options, flags, io);
    const rate = maxRateOf(options);
    if (rate !== null && options.maxRate === undefined)
      note(io, `At most ${rate} requests/s: the target is not on this machine (--max-rate).`);
    const run = resumed?.run ?? (await startRun(flags, io));
    const document = await judgeAndDeliver(run, { ...settings, against, options }, flags, io);
    if (order.only.length === 0) await recordLastRun(run.folder, document, place, Date.now());
  } finally {
    if (!embedded) await targets.close();
  }
}

/** Prints the forecast of a run. */
async function printPlan(
  options: CheckServiceOptions,
  { json }: CheckFlags,
  io: Io,
): Promise<void> {
  const { rehearse } = await import('./plan/rehearsal.ts');
  const { forecastText } = await import('./plan/forecast-text.ts');
  const { target, companion, suite, signal = io.interruption() } = options;
  const forecast = await rehearse({ ...options, signal });
  if (forecast.interrupted) return io.exit(EXIT.interrupted);
  const { name, baseUrl, environment } = target;
  const about = { target: { name, baseUrl, environment }, suite: suite.name };
  const columns = (io.stdout as Partial<WriteStream>).columns;
  const document: ForecastDocument = { tool: TOOL, ...about, ...forecast };
  const lines = json
    ? [JSON.stringify(document, null, 2)]
    : forecastText(forecast, { ...about, isEmbedded: companion !== undefined }, columns);
  for (const line of lines) print(io, line);
  io.exit(EXIT.passed);
}

async function startRun(flags: CheckFlags, io: Io): Promise<ResumableRun> {
  const { ResumableRun } = await import('../../../conformance/index.ts');
  const folder = await prepareRunFolder(io, 'conformance', Date.now(), flags.out);
  return writing(notWritable(folder), async () =>
    ResumableRun.start(folder, { flags: storedFlags(flags, io) }),
  );
}

/** Judges the target and writes the files of the run, also those of a target that did not answer. */
async function judgeAndDeliver(
  run: ResumableRun,
  settings: CheckSettings & { readonly options: CheckServiceOptions },
  flags: CheckFlags,
  io: Io,
): Promise<ConformanceDocument> {
  const { UnreachableTarget } = await import('../../../conformance/index.ts');
  try {
    const result = await judge(settings.options, run, io);
    const document = await deliver(run, result, settings, flags, io);
    io.exit(document.exit.code);
    settleRun(run, result, io);
    const { saveBehaviour: path } = flags;
    if (path !== undefined) {
      const { saveBehaviour } = await import('./behaviour.ts');
      await io.deliver(() => saveBehaviour(path, result, io));
    }
    return document;
  } catch (error) {
    if (error instanceof UnreachableTarget) await deliver(run, error.result, settings, flags, io);
    throw error;
  }
}

async function judge(
  options: CheckServiceOptions,
  run: ResumableRun,
  io: Io,
): Promise<ServiceResult> {
  const { checkService, spendsOfProfile, UnreachableTarget } = await import(
    '../../../conformance/index.ts'
  );
  const { CheckProgress } = await import('./progress.ts');
  const progress = new CheckProgress(io);
  try {
    const result = await checkService({
      ...options,
      onRequest: (sent) => progress.request(sent, performance.now()),
      onRule: (rule) => progress.add(rule),
      onWait: (...wait) => progress.wait(...wait),
      signal: io.interruption(),
      runLog: run.runLog,
      journal: spendsOfProfile(options.target, options.suite) ? run.openJournal() : undefined,
    });
    progress.end(result.rules);
    return result;
  } catch (error) {
    progress.erase();
    abandonRun(run, io);
    if (!(error instanceof UnreachableTarget)) await dropRunFolder(run.folder);
    throw error;
  }
}

/** Flags that a check of a single rule needs as well. */
function repeatedFlags({
  target,
  rulesModule,
  ledger,
  serviceRestarted,
  allowBan,
  maxRate,
}: CheckFlags): string[] {
  return flagWords({
    '--target': target,
    '--rules-module': rulesModule,
    '--ledger': ledger,
    '--service-restarted': serviceRestarted,
    '--allow-ban': allowBan,
    '--max-rate': maxRate,
  });
}

/** Commands that send the decisive exchange of a broken rule again. */
async function replayCommands(
  { rules, exchanges, sites }: ConformanceDocument,
  folder: string,
  { target, ledger, serviceRestarted }: CheckFlags,
  io: Io,
): Promise<(rule: RuleResult) => string[] | null> {
  if (!sites || !rules.some(isBroken)) return () => null;
  const { exchangeToResend } = await import('../../../conformance/index.ts');
  const resendOf = exchangeToResend({ exchanges, sites });
  const flags = flagWords({
    '--target': target,
    '--ledger': ledger,
    '--service-restarted': serviceRestarted,
  });
  return (rule) => {
    const id = resendOf(rule);
    return id === null ? null : ['replay', shownPath(folder, io), id, ...flags];
  };
}

async function deliver(
  run: ResumableRun,
  result: ServiceResult,
  { waivers, against, options: { requireComplete, suite } }: CheckSettings,
  flags: CheckFlags,
  io: Io,
): Promise<ConformanceDocument & { readonly exit: Exit }> {
  const { applyWaivers } = await import('../../../conformance/index.ts');
  const { SCHEMA_VERSION } = await import('../../../documents/base.ts');
  const mustBeComplete = requireComplete || suite.requireComplete;
  const judged =
    waivers === null ? result : applyWaivers(result, waivers, mustBeComplete, Date.now());
  const written = withChanges<ConformanceDocument>(
    { schemaVersion: SCHEMA_VERSION, tool: TOOL, ...judged },
    against,
  );
  const replayOf = await replayCommands(written, run.folder, flags, io);
  const document = withRepeats({ ...written, exit: exitOfCheck(written, flags) }, (rule) => ({
    repeat: ['check', ...repeatedFlags(flags), '--rule', rule.id],
    replay: replayOf(rule),
  }));
  await deliverInto(run.folder, document, flags, io);
  return document;
}
