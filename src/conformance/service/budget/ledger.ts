import { hash } from 'node:crypto';
import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_KINDS, type AllowanceKind } from '../../../interface/limits.ts';
import { ClaimLog, ForeignWriteError } from './claim-log.ts';
import {
  type HeldLock,
  LockHeldError,
  type LockRecord,
  type LockWorld,
  takeLock,
} from './file-lock.ts';

/**
 * Time for which a sent request may count against an allowance: a day, be it the last 24 hours or
 * the calendar day of any zone (25 hours where clocks are set back).
 */
export const ALLOWANCE_WINDOW_MS = 25 * 3_600_000;

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

/**
 * Spending of metered partners across runs; kept in a file, by one run at a time.
 *
 * Each entry is on disk before the call returns, and thus before the request that it covers is
 * sent. If another run writes to the file in spite of the lock, the call throws `LEDGER_IN_USE`,
 * and the request is not sent.
 */
export interface Ledger {
  /** Requests that count against today's allowance. */
  spentOf(target: string, partner: string, nowMs: number): Record<AllowanceKind, number>;
  /** Until when a partner is treated as banned, ms since the epoch; 0 if it is not. */
  bannedUntilMs(target: string, partner: string): number;
  isCodeUsed(target: string, partner: string, code: string): boolean;
  spend(target: string, partner: string, kinds: readonly AllowanceKind[], atMs: number): void;
  useCode(target: string, partner: string, code: string, atMs: number): void;
  ban(target: string, partner: string, untilMs: number, atMs: number): void;
  /** Releases the file for other runs. */
  close(): void;
  /**
   * Takes the file back after {@link Ledger.close}, with what others wrote meanwhile.
   *
   * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
   */
  reopen(): Promise<void>;
}

/**
 * Opens a ledger and keeps it for this run alone.
 *
 * @throws FareproofError `LEDGER_IN_USE`, `LEDGER_NOT_WRITABLE` or `LEDGER_BROKEN`
 */
export async function openLedger(path: string, world: LockWorld): Promise<Ledger> {
  let open = await takeLedger(path, world);
  const append = (entry: Entry): void => {
    try {
      open.log.claim(JSON.stringify({ ...entry, id: world.nonce() }));
    } catch (error) {
      throw error instanceof ForeignWriteError ? sharedLedger(path) : notWritable(path, error);
    }
    open.entries.push(entry);
  };
  const of = (target: string, partner: string): Entry[] =>
    open.entries.filter((entry) => entry.target === target && entry.partner === partner);
  return {
    spentOf: (target, partner, nowMs) => {
      const spent = { platform: 0, user: 0, refresh: 0 };
      for (const { atMs, kinds } of of(target, partner)) {
        if (atMs > nowMs - ALLOWANCE_WINDOW_MS) for (const kind of kinds ?? []) spent[kind]++;
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
    close: () => open.lock.release(),
    reopen: async () => {
      open = await takeLedger(path, world);
    },
  };
}

interface OpenLedger {
  readonly lock: HeldLock;
  readonly log: ClaimLog;
  readonly entries: Entry[];
}

async function takeLedger(path: string, world: LockWorld): Promise<OpenLedger> {
  const lock = await takeLock(lockOf(path), world).catch((error: unknown) => {
    throw error instanceof LockHeldError ? inUse(path, error.holder) : notWritable(path, error);
  });
  try {
    let entries: Entry[] = [];
    // Entries that no longer count are dropped, so that the file does not grow without bound.
    const log = ClaimLog.open(path, `${path}.${world.nonce()}`, (lines) => {
      const counting = lines
        .map((line, at) => ({ line, entry: readEntry(path, line, at, lines.length) }))
        .filter(({ entry }) => entry !== null && stillCounts(entry, world.wall()));
      entries = counting.flatMap(({ entry }) => entry ?? []);
      return counting.map(({ line }) => line);
    });
    return { lock, log, entries };
  } catch (error) {
    lock.release();
    throw error instanceof FareproofError ? error : notWritable(path, error);
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

function stillCounts({ atMs, code, bannedUntilMs }: Entry, nowMs: number): boolean {
  return code !== undefined || (bannedUntilMs ?? 0) > nowMs || atMs > nowMs - ALLOWANCE_WINDOW_MS;
}

/** Only a hash is stored, since the code is a secret. */
function hashOf(code: string): string {
  return hash('sha256', code).slice(0, 32);
}

/** Null for a last line that a full disk left torn; any other is damage. */
function readEntry(path: string, line: string, at: number, count: number): Entry | null {
  const entry = parseEntry(line);
  if (entry || at === count - 1) return entry;
  throw new FareproofError(
    'LEDGER_BROKEN',
    `${path}:${at + 1}: not an entry of a ledger. Repair or remove that line; the file as a whole may be removed once a day has passed since the last run.`,
  );
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

function inUse(path: string, holder: LockRecord | null): FareproofError {
  const who = holder
    ? `process ${holder.processId} on ${holder.host}, since ${holder.since},`
    : 'another process';
  return new FareproofError(
    'LEDGER_IN_USE',
    `${path}: ${who} holds ${lockOf(path)}. Wait until that run ends, or use another file with --ledger. The lock of a run that was killed is taken over within 10 s.`,
  );
}

function sharedLedger(path: string): FareproofError {
  return new FareproofError(
    'LEDGER_IN_USE',
    `${path}: another run wrote to this ledger in spite of ${lockOf(path)}, so the request was not sent: together they could exceed an allowance. Run one after the other, or use another file with --ledger. A ledger on a network file system must be used from one host only.`,
  );
}

function notWritable(path: string, error: unknown): FareproofError {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  return new FareproofError(
    'LEDGER_NOT_WRITABLE',
    `${path}: the ledger cannot be kept there (${code}). Use another file with --ledger.`,
    { cause: error },
  );
}
