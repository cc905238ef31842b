import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RunLog, ServiceResult, TokenJournal } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { type Io, note } from '../../io.ts';

/** What of a run is in its folder only while it is not finished. */
const PROGRESS_FILE = 'progress.jsonl';
const TOKENS_FILE = 'tokens.jsonl';

/** Flags that name files, made absolute: the run may be resumed from elsewhere. */
const PATHS = ['target', 'rulesModule', 'waivers', 'ledger', 'saveBehaviour'] as const;

/** Flags that each part of a run has for itself. */
const OWN = ['resume', 'out', 'json', 'wait', 'plan'];

type Flags = Readonly<Record<string, unknown>>;

/** A run that is gone on with. */
export interface ResumedRun {
  readonly folder: string;
  readonly progress: RunLog;
  /** Of the run's first part. */
  readonly flags: Flags;
}

/**
 * Reads what the first part of a run left in its folder.
 *
 * @throws ConfigurationError `RESUME_NOTHING`, `RESUME_BROKEN` or `FLAG_CONFLICT`
 */
export async function readResumedRun(
  dir: string,
  { out, plan }: { out?: string; plan?: true },
  io: Io,
): Promise<ResumedRun> {
  const folder = resolve(io.cwd, dir);
  if (out !== undefined && resolve(io.cwd, out) !== folder) {
    throw new ConfigurationError(
      'FLAG_CONFLICT',
      '--resume writes to its own folder: leave --out.',
    );
  }
  if (plan) throw new ConfigurationError('FLAG_CONFLICT', '--resume goes on: leave --plan.');
  const { resumeRunLog } = await import('../../../conformance/index.ts');
  const progress = resumeRunLog(join(folder, PROGRESS_FILE));
  const { flags = {} } = (progress.earlier?.command ?? {}) as { flags?: Flags };
  return { folder, progress, flags };
}

/** Starts to keep a run's progress in its folder, with the flags that it was started by. */
export async function startRunProgress(folder: string, flags: Flags, io: Io): Promise<RunLog> {
  const { startRunLog } = await import('../../../conformance/index.ts');
  await rm(join(folder, TOKENS_FILE), { force: true });
  return startRunLog(join(folder, PROGRESS_FILE), { flags: lastingFlags(flags, io) });
}

/** Opens the journal of a run's tokens, in its folder. */
export async function openRunJournal(folder: string): Promise<TokenJournal> {
  const { openTokenJournal } = await import('../../../conformance/index.ts');
  return openTokenJournal(join(folder, TOKENS_FILE));
}

/** What a run keeps has no use once it is finished; till then the user is told how to go on. */
export async function settleRun(
  folder: string,
  { rules, interrupted }: Pick<ServiceResult, 'rules' | 'interrupted'>,
  io: Io,
): Promise<void> {
  const pending = rules.filter(({ pendingUntil }) => pendingUntil !== undefined);
  for (const { id, pendingUntil } of pending) note(io, `${id}: pending until ${pendingUntil}`);
  if (pending.length === 0 && !interrupted) await forgetRun(folder);
  else note(io, `go on with: fareproof check --resume ${folder}`);
}

/** A run that broke can be gone on with, unless it had sent nothing that counts. */
export async function settleBrokenRun(folder: string, progress: RunLog, io: Io): Promise<void> {
  if (progress.hasSent) note(io, `go on with: fareproof check --resume ${folder}`);
  else if (!progress.earlier) await forgetRun(folder);
}

async function forgetRun(folder: string): Promise<void> {
  for (const file of [PROGRESS_FILE, TOKENS_FILE]) await rm(join(folder, file), { force: true });
}

function lastingFlags(flags: Flags, { cwd }: Io): Flags {
  const lasting = Object.fromEntries(Object.entries(flags).filter(([name]) => !OWN.includes(name)));
  const isFile = typeof flags['suite'] === 'string' && existsSync(resolve(cwd, flags['suite']));
  const absolute = [...PATHS, ...(isFile ? ['suite'] : [])].flatMap((name) => {
    const path = lasting[name];
    return typeof path === 'string' ? [[name, resolve(cwd, path)] as const] : [];
  });
  return { ...lasting, ...Object.fromEntries(absolute) };
}
