import { type Command, Option } from 'commander';
import type { LivePage } from '../../../report/index.ts';
import { repeatable } from '../../flags/repeatable.ts';
import type { Io } from '../../io.ts';
import { EXIT, exitCodeOfFindMax, exitCodeOfLoad } from '../../output/exit-codes.ts';
import { openLivePage } from '../../output/live-page.ts';
import { TOOL } from '../../tool.ts';
import { type LoadFlags, type LoadSettings, readLoadSettings } from './flags.ts';
import { type LoadSession, loadOptions, runPairs, runSet } from './series.ts';
import { type LoadTarget, openLoadTarget } from './target.ts';
import { deliverWatched, LoadWatch, loadSubject } from './watch.ts';

/** Defines `fareproof load`: puts load on a target and judges what came of it. */
export function defineLoad(program: Command, io: Io): void {
  program
    .command('load')
    .description('put load on a target, measured in microseconds from the planned time')
    .option('--target <profile>', 'the target (default: the embedded reference server)')
    .option('--suite <name|file>', 'smoke, steady, ramp, spike, soak, find-max, or a file')
    .option('--rate <n>', 'open model: requests a second; with --find-max: where it starts (200)')
    .option('--arrivals <kind>', 'open model: constant (default) or poisson')
    .option('--stages <list>', 'open model in stretches: 1000/10s,5000/30s; a ramp: 0-5000/30s')
    .option('--connections <n>', 'closed model: in use (default 10); open: the most (256)')
    .option('--duration <time>', 'the measured window, warm-up left out (default 10s)')
    .option('--warmup <time>', 'sent before, and left out (default 1s)')
    .option('--timeout <time>', 'give a request up after this (default 5s)')
    .option('--workers <n>', 'generator threads (default 1)')
    .option('--mix <weights>', 'what is asked for: plain=8,express=1,carpoolSeats=1')
    .option('--routes <file>', 'routes from a CSV file in place of random ones')
    .addOption(new Option('--as <identity>', 'whose token').choices(['platform', 'user']))
    .addOption(
      repeatable(
        '--threshold <expression>',
        "'p99<20ms', also p99.9, max, rate, errors, service.p99",
      ),
    )
    .option('--find-max <objective>', "the highest rate that holds 'p99<20ms,errors<0.1%'")
    .addOption(new Option('--engine <name>', 'what sends').choices(['native', 'autocannon']))
    .option('--runs <n>', 'number of runs; each document is a file')
    .option('--against <profile>', 'compare the target with this one, in interleaved pairs')
    .option('--margin <percent>', 'with --against: what counts as equivalent (default 5)')
    .option('--validate <share>', 'hold this share of the answers to their shape: 0.5, 50%')
    .addOption(repeatable('--abort-on <expression>', "end early, as 'errors>5%'"))
    .option('--new-connections', 'one connection for each request')
    .option('--seed <n>', 'the same seed brings the same requests (default 1)')
    .option('--ledger <file>', "what partners spent (default: in the user's state directory)")
    .option('--i-may-load-this-target', 'needed for an address beyond loopback')
    .option('--live', 'show the run on a page on loopback while it goes')
    .option('--json', 'print the run document and nothing else')
    .option('--out <dir>', 'where the run is written (default reports/load-<time>/)')
    .addHelpText(
      'after',
      "\nExample:\n  $ fareproof load --rate 2000 --duration 30s --threshold 'p99<20ms'",
    )
    .action((flags: LoadFlags) => runCommand(flags, io));
}

async function runCommand(flags: LoadFlags, io: Io): Promise<void> {
  const settings = await readLoadSettings(flags, io);
  const permitted = flags.iMayLoadThisTarget === true;
  const signal = io.interruption();
  const opened: LoadTarget[] = [];
  let page: LivePage | null = null;
  const open = async (path: string | undefined): Promise<LoadTarget> => {
    const target = await openLoadTarget(path, permitted, io, flags.ledger);
    opened.push(target);
    return target;
  };
  try {
    const target = await open(flags.target);
    const base = flags.against === undefined ? null : await open(flags.against);
    page = await openLivePage(flags, loadSubject(settings, target, flags), io);
    const session = { flags, signal, page, io };
    await settings.explain(async () => {
      if (base !== null) await runPairs(settings, { base, candidate: target }, session);
      else if (settings.objective !== null) await runFindMax(settings, target, session);
      else if (settings.runs > 1) await runSet(settings, target, session);
      else await runOnce(settings, target, session);
    });
    if (signal.aborted) io.exit(EXIT.interrupted);
  } finally {
    await Promise.all([page?.close(), ...opened.map((target) => target.close())]);
  }
}

async function runOnce(
  settings: LoadSettings,
  target: LoadTarget,
  { flags, signal, page, io }: LoadSession,
): Promise<void> {
  const { runLoad } = await import('../../../load/index.ts');
  const watch = new LoadWatch(io, page);
  const options = await loadOptions(settings, target, signal);
  const result = await runLoad({
    ...options,
    onProgress: (progress) => watch.show(progress),
  }).finally(() => watch.end());
  watch.finish(result.series);
  await deliverWatched({ ...result, tool: TOOL }, flags, page, io);
  io.exit(exitCodeOfLoad([result]));
}

async function runFindMax(
  settings: LoadSettings,
  target: LoadTarget,
  { flags, signal, page, io }: LoadSession,
): Promise<void> {
  const { findMax } = await import('../../../load/index.ts');
  const watch = new LoadWatch(io, page);
  let trial = 1;
  watch.next(`trial ${trial}`);
  const result = await findMax({
    ...(await loadOptions(settings, target, signal)),
    objective: settings.objective ?? [],
    onProgress: (progress) => watch.show(progress),
    onTrial: ({ rate, held, valid, reason }) => {
      watch.say(`${rate}/s ${held ? 'holds' : valid ? 'falls short' : 'is not valid'}: ${reason}`);
      watch.next(`trial ${++trial}`);
    },
  }).finally(() => watch.end());
  await deliverWatched({ ...result, tool: TOOL }, flags, page, io);
  io.exit(exitCodeOfFindMax(result.verdict));
}
