import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CheckRun, JudgedCheck } from '../../../app/check/check-target.ts';
import { isAddress } from '../../../app/files/environment-profile.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { Io } from '../../io.ts';
import type { CheckFlags } from './settings.ts';

/** Flags that name files, stored as absolute paths: a run may be resumed from another folder. */
const PATHS = ['target', 'rulesModule', 'waivers', 'against', 'ledger', 'saveBehaviour'] as const;

/** Flags that are not taken over by a resumed run. */
const OWN: readonly string[] = [
  'resume',
  'out',
  'json',
  'wait',
  'plan',
  'failedFirst',
  'onlyFailed',
];

/**
 * Opens the run of `--resume`, with the flags that it was started by; flags given now win.
 *
 * @throws ConfigurationError `RESUME_NOTHING`, `RESUME_BROKEN` or `FLAG_CONFLICT`
 */
export async function openResumedRun(
  dir: string,
  given: CheckFlags,
  command: Command,
  { cwd }: Io,
): Promise<{ run: CheckRun; flags: CheckFlags }> {
  const folder = resolve(cwd, dir);
  if (given.out !== undefined && resolve(cwd, given.out) !== folder) {
    throw conflict('--resume writes to its own folder: leave --out.');
  }
  if (given.plan) throw conflict('--resume continues a run: leave --plan.');
  const { resumeCheckRun } = await import('../../../app/check/check-target.ts');
  const run = resumeCheckRun(folder);
  const { flags: stored } = (run.command ?? {}) as { flags?: Partial<CheckFlags> };
  const givenNow = Object.entries(given).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default',
  );
  return { run, flags: { ...given, ...stored, ...Object.fromEntries(givenNow) } };
}

/** Flags of a run as they are stored for resuming it. */
export function storedFlags(flags: CheckFlags, { cwd }: Io): Partial<CheckFlags> {
  const isFile = existsSync(resolve(cwd, flags.suite));
  const paths: readonly string[] = isFile ? [...PATHS, 'suite'] : PATHS;
  return Object.fromEntries(
    Object.entries(flags)
      .filter(([name]) => !OWN.includes(name))
      .map(([name, value]) => {
        const isPath = paths.includes(name) && !isAddress(String(value));
        return [name, isPath ? resolve(cwd, String(value)) : value];
      }),
  );
}

/** Settles a run that ended, and notes how to continue it if it is not finished. */
export function settleRun(run: CheckRun, result: JudgedCheck['result'], io: Io): void {
  for (const { id, pendingUntil } of result.rules) {
    if (pendingUntil !== undefined) io.note(`${id}: pending until ${pendingUntil}`);
  }
  if (run.settle(result)) noteResume(run, io);
}

/** Settles a run that failed. */
export function abandonRun(run: CheckRun, io: Io): void {
  if (run.abandon()) noteResume(run, io);
}

function noteResume({ folder }: CheckRun, io: Io): void {
  io.note(`continue with: fareproof check --resume ${folder}`);
}

function conflict(message: string): ConfigurationError {
  return new ConfigurationError('FLAG_CONFLICT', message);
}
