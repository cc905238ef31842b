import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CheckServiceOptions, Ledger } from '../../conformance/index.ts';
import type { Io } from '../io.ts';

/**
 * Opens the ledger of a metered target; undefined where nothing is metered.
 *
 * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
 */
export async function openSpendLedger(
  target: CheckServiceOptions['target'],
  path: string | undefined,
  nowMs: number,
  io: Io,
): Promise<Ledger | undefined> {
  return target.control ? undefined : openLedgerFile(path, nowMs, io);
}

/**
 * Opens the ledger of `--ledger FILE`, or the one in the user's state directory.
 *
 * @throws FareproofError as {@link openSpendLedger}
 */
export async function openLedgerFile(
  path: string | undefined,
  nowMs: number,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<Ledger> {
  const { openLedger } = await import('../../conformance/index.ts');
  const file = path === undefined ? join(stateFolder(io), 'ledger.jsonl') : resolve(io.cwd, path);
  return openLedger(file, nowMs, process.pid, isAlive);
}

function stateFolder({ env }: Pick<Io, 'env'>): string {
  const base = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  return join(base, 'fareproof');
}

/** Signal 0 asks, and does nothing; a process of another user is alive too. */
function isAlive(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
