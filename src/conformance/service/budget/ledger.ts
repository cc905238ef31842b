import { hash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS, type AllowanceKind } from '../../../interface/limits.ts';

/**
 * How long a spent request is held against an allowance: a day, be it the last 24 hours or the
 * calendar day of any zone (25 hours where clocks are set back).
 */
const HELD_MS = 25 * 3_600_000;

/** One line of the file. */
interface Entry {
  readonly atMs: number;
  readonly target: string;
  readonly partner: string;
  readonly kinds?: readonly AllowanceKind[];
  /** Hash of an auth code that was sent: such codes are good once. */
  readonly code?: string;
  /** Milliseconds since the epoch until which the partner is held for banned. */
  readonly bannedUntilMs?: number;
}

/** What metered partners have spent, across runs; kept in a file, one run at a time. */
export interface Ledger {
  /** Requests that count against today's allowance. */
  spentOf(target: string, partner: string, nowMs: number): Record<AllowanceKind, number>;
  /** Until when a partner is held for banned; 0 for not at all. */
  bannedUntilMs(target: string, partner: string): number;
  isCodeUsed(target: string, partner: string, code: string): boolean;
  /** On disk before the request goes out. */
  spend(target: string, partner: string, kinds: readonly AllowanceKind[], atMs: number): void;
  useCode(target: string, partner: string, code: string, atMs: number): void;
  ban(target: string, partner: string, untilMs: number, atMs: number): void;
  /** Gives the file free for other runs. */
  close(): void;
  /**
   * Takes the file back after {@link Ledger.close}, with what others wrote meanwhile.
   *
   * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
   */
  reopen(nowMs: number): void;
}

/**
 * Opens a ledger and keeps it for this run alone.
 *
 * @param isAlive whether a process of that id runs: the lock of one that died does not hold
 * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
 */
export function openLedger(
  path: string,
  nowMs: number,
  processId: number,
  isAlive: (processId: number) => boolean,
): Ledger {
  const open = (atMs: number): Entry[] => takeEntries(path, atMs, processId, isAlive);
  return ledgerOver(path, open(nowMs), open);
}

function takeEntries(
  path: string,
  nowMs: number,
  processId: number,
  isAlive: (processId: number) => boolean,
): Entry[] {
  takeLock(path, lockOf(path), processId, isAlive);
  try {
    const entries = readEntries(path).filter((entry) => stillCounts(entry, nowMs));
    // Written anew, so that the file does not grow for ever; whole or not at all, if the run dies.
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return entries;
  } catch (error) {
    rmSync(lockOf(path), { force: true });
    throw error;
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function stillCounts({ atMs, code, bannedUntilMs }: Entry, nowMs: number): boolean {
  return code !== undefined || (bannedUntilMs ?? 0) > nowMs || atMs > nowMs - HELD_MS;
}

function ledgerOver(path: string, first: Entry[], open: (nowMs: number) => Entry[]): Ledger {
  let entries = first;
  const append = (entry: Entry): void => {
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    entries.push(entry);
  };
  const of = (target: string, partner: string): Entry[] =>
    entries.filter((entry) => entry.target === target && entry.partner === partner);
  return {
    spentOf: (target, partner, nowMs) => {
      const spent = { platform: 0, user: 0, refresh: 0 };
      for (const { atMs, kinds } of of(target, partner)) {
        if (atMs > nowMs - HELD_MS) for (const kind of kinds ?? []) spent[kind]++;
      }
      return spent;
    },
    bannedUntilMs: (target, partner) =>
      Math.max(0, ...of(target, partner).map(({ bannedUntilMs }) => bannedUntilMs ?? 0)),
    isCodeUsed: (target, partner, code) =>
      of(target, partner).some((entry) => entry.code === hashOf(code)),
    spend: (target, partner, kinds, atMs) => append({ atMs, target, partner, kinds }),
    useCode: (target, partner, code, atMs) => append({ atMs, target, partner, code: hashOf(code) }),
    ban: (target, partner, bannedUntilMs, atMs) => append({ atMs, target, partner, bannedUntilMs }),
    close: () => rmSync(lockOf(path), { force: true }),
    reopen: (nowMs) => {
      entries = open(nowMs);
    },
  };
}

/** The code itself has no business in a file. */
function hashOf(code: string): string {
  return hash('sha256', code).slice(0, 32);
}

function readEntries(path: string): Entry[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw notWritable(path, error);
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, at) => {
    const entry = parseEntry(line);
    if (entry) return [entry];
    // A run that died while it wrote leaves its last line torn; any other is damage.
    if (at === lines.length - 1) return [];
    throw new FareproofError(
      'LEDGER_BROKEN',
      `${path}:${at + 1}: not an entry of a ledger; mend the line, or remove the file once a day has passed.`,
    );
  });
}

function parseEntry(line: string): Entry | null {
  try {
    const entry = JSON.parse(line) as Partial<Entry>;
    const { atMs, target, partner } = entry;
    const kinds: unknown = entry.kinds ?? [];
    const whole =
      typeof atMs === 'number' &&
      typeof target === 'string' &&
      typeof partner === 'string' &&
      Array.isArray(kinds);
    const known = (kind: unknown): boolean => ALLOWANCE_KINDS.some((one) => one === kind);
    return whole && kinds.every(known) ? (entry as Entry) : null;
  } catch {
    return null;
  }
}

function takeLock(
  path: string,
  lock: string,
  processId: number,
  isAlive: (processId: number) => boolean,
): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const file = openSync(lock, 'wx', 0o600);
      writeSync(file, String(processId));
      closeSync(file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(path, error);
      if (attempt > 0 || isAlive(holderOf(lock))) break;
      rmSync(lock, { force: true });
    }
  }
  throw new FareproofError(
    'LEDGER_IN_USE',
    `${path}: another run spends from this ledger; wait for its end, or name another with --ledger.`,
  );
}

function holderOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

function notWritable(path: string, error: unknown): FareproofError {
  const { code } = error as NodeJS.ErrnoException;
  return new FareproofError(
    'LEDGER_NOT_WRITABLE',
    `${path}: the ledger cannot be kept there (${code}); name another file with --ledger.`,
    { cause: error },
  );
}
