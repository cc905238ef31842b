import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CheckRun } from '../../../app/check/check-target.ts';
import { isAddress } from '../../../app/files/environment-profile.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
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
  watch?: true | readonly string[];
  resume?: string;
  ledger?: string;
  serviceRestarted?: true;
  saveBehaviour?: string;
  requireComplete?: true;
  strict?: true;
  requests?: string;
  for?: string;
  explore?: string;
  maxRate?: string;
  timeout: string;
  seed?: string;
  label?: string;
  json?: true;
  out?: string;
}

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

/**
 * Opens the run of `--resume`, with the flags that it was started by; flags given now win.
 *
 * @throws ConfigurationError `FLAG_CONFLICT`, and as {@link resumeCheckRun}
 */
export async function openResumedRun(
  dir: string,
  given: CheckFlags,
  command: Command,
  io: Io,
): Promise<{ run: CheckRun; flags: CheckFlags }> {
  const folder = resolve(io.cwd, dir);
  if (given.out !== undefined && resolve(io.cwd, given.out) !== folder) {
    throw conflict('--resume writes to its own folder: leave --out.');
  }
  if (given.plan) throw conflict('--resume continues a run: leave --plan.');
  const { resumeCheckRun } = await import('../../../app/check/check-target.ts');
  const run = await resumeCheckRun(folder, io);
  const { flags: stored } = (run.kept?.command ?? {}) as { flags?: Partial<CheckFlags> };
  const givenNow = Object.entries(given).filter(
    ([name]) => command.getOptionValueSource(name) !== 'default',
  );
  return { run, flags: { ...given, ...stored, ...Object.fromEntries(givenNow) } };
}

function conflict(message: string): ConfigurationError {
  return new ConfigurationError('FLAG_CONFLICT', message);
}
