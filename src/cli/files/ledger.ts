import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckServiceOptions, Ledger, LockOwner } from '../../conformance/index.ts';
import type { Io } from '../io.ts';

/**
 * Opens the ledger of a run that can spend allowances of the profile's partners; undefined for another.
 *
 * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
 */
export async function openSpendLedger(
  { target, suite }: Pick<CheckServiceOptions, 'target' | 'suite'>,
  path: string | undefined,
  io: Io,
): Promise<Ledger | undefined> {
  const { spendsOfProfile } = await import('../../conformance/index.ts');
  return spendsOfProfile(target, suite) ? openLedgerFile(path, io) : undefined;
}

/**
 * Opens the ledger of `--ledger FILE`, or the one in the user's state directory.
 *
 * @throws FareproofError as {@link openSpendLedger}
 */
export async function openLedgerFile(
  path: string | undefined,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<Ledger> {
  const { openLedger } = await import('../../conformance/index.ts');
  const file = path === undefined ? join(stateFolder(io), 'ledger.jsonl') : resolve(io.cwd, path);
  return openLedger(file, {
    owner: await describeProcess(),
    isAlive,
    wall: Date.now,
    sleep,
    nonce: () => randomBytes(8).toString('hex'),
  });
}

function stateFolder({ env }: Pick<Io, 'env'>): string {
  const base = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  return join(base, 'fareproof');
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
