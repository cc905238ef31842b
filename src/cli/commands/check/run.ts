import type { WriteStream } from 'node:tty';
import type { Command } from 'commander';
import type { PreparedCheck } from '../../../app/check/check-target.ts';
import { withTargets } from '../../../app/check/targets.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { openResumedRun, storedFlags } from './resume.ts';
import type { CheckFlags } from './settings.ts';

/** Runs `fareproof check`, or prints its plan. */
export async function check(given: CheckFlags, defined: Command, io: Io): Promise<void> {
  const resumed =
    given.resume === undefined ? null : await openResumedRun(given.resume, given, defined, io);
  const flags = resumed?.flags ?? given;
  await withTargets(flags.target, io, async (targets) => {
    const { readAskedCheck } = await import('./settings.ts');
    const asked = await readAskedCheck(flags, io);
    const { prepareCheck, startCheckRun } = await import('../../../app/check/check-target.ts');
    const { recordLastRun } = await import('../../../app/check/last-run.ts');
    const { judgeAndDeliver } = await import('./deliver.ts');
    const prepared = await prepareCheck(asked, await targets, io);
    if (flags.plan) return await printPlan(prepared, flags, io);
    const { cautiousRate: rate } = prepared;
    if (rate !== null)
      io.note(`At most ${rate} requests/s: the target is not on this machine (--max-rate).`);
    const command = { flags: storedFlags(flags, io) };
    const run = resumed?.run ?? (await startCheckRun(flags.out, command, io));
    const { only = [] } = prepared.options;
    const document = await judgeAndDeliver(prepared, run, { ...flags, rule: only }, io);
    if (only.length === 0) await recordLastRun(run.folder, document, prepared.place, Date.now());
  });
}

/** Prints the forecast of a run. */
async function printPlan({ options }: PreparedCheck, { json }: CheckFlags, io: Io): Promise<void> {
  const { forecastCheck } = await import('../../../app/check/forecast-check.ts');
  const { forecastText } = await import('../../../report/index.ts');
  const forecast = await forecastCheck({ ...options, signal: io.interruption() });
  if (forecast.interrupted) return io.exit(EXIT.interrupted);
  const { columns } = io.stdout as Partial<WriteStream>;
  const about = { isEmbedded: options.companion !== undefined, columns };
  const lines = json ? [JSON.stringify(forecast, null, 2)] : forecastText(forecast, about);
  print(io, lines.join('\n'));
  io.exit(EXIT.passed);
}
