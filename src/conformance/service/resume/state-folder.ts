import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../../files/write-file.ts';
import { FareproofError } from '../../../interface/errors.ts';
import {
  type HeldLock,
  isHeldHere,
  LockHeldError,
  type LockWorld,
  takeLock,
} from '../../../spending/index.ts';

/** Time after its last change for which the state of a run that nobody continues is kept. */
const KEPT_MS = 30 * 86_400_000;

/** Path of the state of a run. */
export function statePath(stateDirectory: string, id: string): string {
  return join(stateDirectory, 'runs', id);
}

/** True for a text that may be the id of a run: sixteen hexadecimal digits, and thus no path. */
export function isRunId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** True while a process of this machine has the state of a run. */
export function isUnderWay(stateDirectory: string, id: string, world: LockWorld): boolean {
  return isHeldHere(lockOf(statePath(stateDirectory, id)), world);
}

/**
 * Takes the state of a run for this process, a folder that only its owner can read, and creates it first where
 * it is missing. Removes the states of other runs that ended more than 30 days ago.
 *
 * @throws FareproofError `RUN_UNDER_WAY` if another process has it, `STATE_NOT_WRITABLE`
 */
export async function takeState(
  stateDirectory: string,
  id: string,
  world: LockWorld,
): Promise<HeldLock> {
  const path = statePath(stateDirectory, id);
  const lock = await takeLock(lockOf(path), world).catch((error: unknown) => {
    throw error instanceof LockHeldError ? underWay(path, error) : stateNotWritable(path, error);
  });
  // It is there from now on, also after a crash of the machine.
  syncFolder(dirname(path));
  removeOld(stateDirectory, world);
  return lock;
}

function lockOf(path: string): string {
  return join(path, 'lock');
}

function removeOld(stateDirectory: string, world: LockWorld): void {
  const ids = readdirSync(join(stateDirectory, 'runs')).filter(isRunId);
  for (const id of ids) {
    const path = statePath(stateDirectory, id);
    try {
      const isOld = world.wall() - changedAtMs(path) > KEPT_MS;
      if (isOld && !isUnderWay(stateDirectory, id, world)) rmSync(path, { recursive: true });
    } catch {
      // Another run removes it at the same time, or it is another user's: no reason to stop this run.
    }
  }
}

/** Time of the last change of a folder or of a file in it, ms since the epoch. */
function changedAtMs(path: string): number {
  const files = readdirSync(path).map((name) => join(path, name));
  return Math.max(...[path, ...files].map((one) => statSync(one).mtimeMs));
}

function underWay(path: string, { holder }: LockHeldError): FareproofError {
  const who = holder ? `process ${holder.processId} on ${holder.host}` : 'another process';
  return new FareproofError(
    'RUN_UNDER_WAY',
    `${path}: ${who} is at work on this run. Wait until it ends, or start a run of its own.`,
  );
}

/** Error of a state that cannot be read or written, as on a full disk. */
export function stateNotWritable(path: string, error: unknown): FareproofError {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  return new FareproofError(
    'STATE_NOT_WRITABLE',
    `${path}: what a run needs to continue cannot be kept there (${code}). Set FAREPROOF_STATE_DIR to another folder.`,
    { cause: error },
  );
}
