import type { WriteStream } from 'node:tty';
import type { Command } from 'commander';
import type { CheckRun, CheckWatch, PreparedCheck } from '../../../app/check/check-target.ts';
import { withTargets } from '../../../app/check/targets.ts';
import { type Io, print } from '../../io.ts';
import { CheckProgress } from '../../output/check-progress.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { type CheckFlags, openResumedRun, storedFlags } from './flags.ts';

/** Runs `fareproof check`, or prints its plan. */
export async function check(given: CheckFlags, defined: Command, io: Io): Promise<void> {
  if (given.watch) {
    const { watch } = await import('./watch.ts');
    return watch(given, io);
  }
  const resumed =
    given.resume === undefined ? null : await openResumedRun(given.resume, given, defined, io);
  const run = resumed?.run ?? null;
  try {
    await judge(resumed?.flags ?? given, run, io);
  } finally {
    run?.kept?.close();
  }
}

async function judge(flags: CheckFlags, resumed: CheckRun | null, io: Io): Promise<void> {
  await withTargets(flags.target, io, async (targets) => {
    const { readAskedCheck } = await import('./settings.ts');
    const asked = await readAskedCheck(flags, io);
    const { checkTarget, prepareCheck, startCheckRun } = await import(
      '../../../app/check/check-target.ts'
    );
    const prepared = await prepareCheck(asked, await targets, io);
    if (flags.plan) return await printPlan(prepared, flags, io);
    const { cautiousRate: rate } = prepared;
    if (rate !== null)
      io.note(`At most ${rate} requests/s: the target is not on this machine (--max-rate).`);
    const command = { flags: storedFlags(flags, io) };
    const run = resumed ?? (await startCheckRun(prepared, flags.out, command, io));
    const progress = new CheckProgress(io);
    try {
      await checkTarget(prepared, run, watchOf(run, progress, flags, io));
    } finally {
      progress.erase();
      run.kept?.close();
    }
  });
}

function watchOf(run: CheckRun, progress: CheckProgress, flags: CheckFlags, io: Io): CheckWatch {
  return {
    onRequest: (sent) => progress.request(sent, performance.now()),
    onRule: (rule) => progress.add(rule),
    onWait: (...wait) => progress.wait(...wait),
    onExplored: (so) => progress.explored(so),
    signal: io.interruption(),
    deliver: async (judged) => {
      progress.end(judged.document.rules);
      const { deliver } = await import('./deliver.ts');
      await deliver(run.folder, judged, flags, io);
    },
    onUnfinished: () => {
      progress.erase();
      io.note(`continue with: fareproof check --resume ${run.folder}`);
    },
  };
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
