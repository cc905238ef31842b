import { join } from 'node:path';
import { runFolder } from '../../app/files/run-folder.ts';
import { shownPath } from '../../app/files/write.ts';
import type { LoadOutcome } from '../../app/load/load-target.ts';
import type { NextStep } from '../../documents/base.ts';
import type { LoadDocument, ThresholdResult } from '../../documents/load.ts';
import type { LoadFlags } from '../../load/index.ts';
import { OPTION_NAMES, OPTION_ROWS, type OptionName } from '../../load/options.ts';
import { flagOf } from '../flags/load-option.ts';
import type { Io } from '../io.ts';
import { exitOfFindMax } from './exit-codes.ts';
import { commandLine } from './repeat.ts';

/** A step, as the field of a document. */
type Next = { readonly next?: NextStep };

/** The step of these words, by a command of this program. */
export const nextStep = (words: string, command: readonly string[]): Next => ({
  next: { words, command: commandLine(command) },
});

/**
 * Next step after a load: run it again where it shows nothing, see why requests fail, or search for the rate that
 * holds. Nothing of a part of a load.
 *
 * @param flags as they were typed
 */
export function nextOfLoad(outcome: LoadOutcome, flags: LoadFlags, io: Pick<Io, 'cwd'>): Next {
  if (flags.part !== undefined) return {};
  switch (outcome.kind) {
    case 'load':
      return nextOfRun(outcome, flags);
    case 'load-set':
      return nextOfRun(worstOf(outcome.runs), flags);
    case 'find-max': {
      const { interval, objective, trials } = outcome;
      if (exitOfFindMax(outcome).code > 1) return again(flags);
      const isFound = interval.low > 0;
      const rate = isFound ? interval.low : Math.min(...trials.map((trial) => trial.rate));
      const words = isFound ? 'hold the target to this rate' : 'see a run at the lowest rate';
      return nextStep(words, loadWith(flags, { rate, threshold: objective.split(',') }));
    }
    case 'comparison': {
      const { runsNeeded, startedAt, runs } = outcome;
      if (runsNeeded !== null)
        return nextStep('run enough pairs to decide it', loadWith(flags, { runs: runsNeeded }));
      const folder = shownPath(runFolder(io, 'comparison', Date.parse(startedAt), flags.out), io);
      return sideBySide(
        [...runs.a.slice(0, 1), ...runs.b.slice(0, 1)].map(({ name }) => join(folder, name)),
      );
    }
  }
}

/** One page of several runs. */
export const sideBySide = (files: readonly string[]): Next =>
  nextStep('see runs of both sides on one page', [
    'report',
    ...files,
    '--out',
    'side-by-side.html',
  ]);

function worstOf(runs: readonly LoadDocument[]): LoadDocument {
  const [first] = runs;
  const worst = (['fell-short', 'invalid'] as const).flatMap(
    (verdict) => runs.find((run) => run.verdict === verdict) ?? [],
  );
  return worst[0] ?? first!;
}

function nextOfRun({ verdict, achieved, thresholds }: LoadDocument, flags: LoadFlags) {
  if (verdict === 'invalid') return again(flags);
  const isOfFailures = ({ held, metric, shortByFailures }: ThresholdResult): boolean =>
    !held && (metric.startsWith('errors') || shortByFailures === true);
  if (achieved.ok === 0 || thresholds.some(isOfFailures)) {
    const { target, ledger, serviceRestarted } = flags;
    const words = flagsOf({ target, ledger, serviceRestarted, suite: 'smoke' });
    return nextStep('see why requests fail', ['check', ...words]);
  }
  // A bound on the rate itself, or on a stage, is none of a search for the rate.
  const bounds = thresholds.filter(({ metric, stage }) => metric !== 'rate' && stage === undefined);
  const findMax = bounds.map(({ expression }) => expression).join(',') || 'errors<1%';
  return nextStep(
    'find the highest rate that holds',
    loadWith(flags, { findMax, engine: undefined, connections: undefined }),
  );
}

const again = (flags: LoadFlags): Next => nextStep('run it again', loadWith(flags, {}));

type SomeFlags = { readonly [Name in OptionName]?: LoadFlags[Name] | undefined };

/** The same load with some other options, in place of those that conflict with them. Its output is its own. */
function loadWith(flags: LoadFlags, others: SomeFlags): string[] {
  const names = Object.keys(others) as OptionName[];
  const replaced = names.flatMap((name) => OPTION_ROWS[name].conflicts ?? []);
  const kept = OPTION_NAMES.filter(
    (name) => !replaced.includes(name) && OPTION_ROWS[name].group !== 'Output',
  );
  const same = Object.fromEntries(kept.map((name) => [name, flags[name]]));
  return ['load', ...flagsOf({ ...same, ...others })];
}

/** Options as the words of a command line. */
function flagsOf(options: SomeFlags): string[] {
  return OPTION_NAMES.flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [flagOf(name)];
    return [value].flat().flatMap((one) => [flagOf(name), String(one)]);
  });
}
