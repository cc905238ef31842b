import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StatePlace, stateDirectory } from '../files/state-directory.ts';
import type { LockOwner } from './file-lock.ts';
import { type LedgerWorld, openLedger } from './ledger.ts';
import type { LedgerSource } from './ledger-source.ts';

/**
 * A ledger in a file. Its place is looked up when it is opened: a run that spends nothing needs none.
 *
 * @param path left out, `ledger.jsonl` in the state directory: `FAREPROOF_STATE_DIR`, or that of the user
 * @param place left out, that of this process
 * @param onNote as in {@link LedgerSource}
 */
export function ledgerFile(
  path?: string,
  place: StatePlace = PROCESS_PLACE,
  onNote?: LedgerSource['onNote'],
): LedgerSource {
  let isTold = false;
  return {
    onNote,
    open: async () => {
      const file =
        path === undefined ? join(stateDirectory(place), 'ledger.jsonl') : resolve(place.cwd, path);
      const ledger = await openLedger(file, await processWorld());
      if (ledger.clockNote !== null && !isTold) onNote?.(`${file}: ${ledger.clockNote}`);
      isTold ||= ledger.clockNote !== null;
      return ledger;
    },
  };
}

/** Folder and environment of this process. */
export const PROCESS_PLACE: StatePlace = {
  get cwd() {
    return process.cwd();
  },
  env: process.env,
};

/** Clocks, randomness and identity of this process, by which it takes locks. */
export async function processWorld(): Promise<LedgerWorld> {
  return {
    owner: await describeProcess(),
    isAlive,
    wall: Date.now,
    uptimeMs: () => uptime() * 1000,
    sleep,
    nonce: () => randomBytes(8).toString('hex'),
  };
}

/** This process, so that others can tell whether it still runs; Linux says the most of it. */
async function describeProcess(): Promise<LockOwner> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  return {
    processId: process.pid,
    processStart: startOf(await read('/proc/self/stat')),
    host: hostname(),
    bootId: (await read('/proc/sys/kernel/random/boot_id')).trim(),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(() => ''),
  };
}

/** Neither a process that took the id of a dead one counts, nor a dead one that nobody reaped. */
function isAlive({ processId, processStart }: LockOwner): boolean {
  try {
    if (processId <= 0 || !process.kill(processId, 0)) return false;
    const stat = readStat(processId);
    return processStart === '' || (startOf(stat) === processStart && !/\) [ZX] /.test(stat));
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readStat(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** Field 22 of proc(5) stat, in clock ticks; the name before it may hold spaces and brackets. */
function startOf(stat: string): string {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
