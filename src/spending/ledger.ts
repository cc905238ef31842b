import { hash } from 'node:crypto';
import { followLinks, NotAFileError, refuseOtherThanFile } from '../files/write-file.ts';
import { FareproofError } from '../interface/errors.ts';
import { ALLOWANCE_KINDS, type AllowanceKind } from '../interface/limits.ts';
import { ClaimLog, ForeignWriteError, SecondNameError } from './claim-log.ts';
import {
  ALLOWANCE_WINDOW_MS,
  type Content,
  clockNote,
  type Entry,
  elapsedMs,
  foldOld,
  type Instant,
  parseEntry,
  requestsOf,
} from './entry.ts';
import {
  type HeldLock,
  LockHeldError,
  type LockRecord,
  type LockWorld,
  takeLock,
} from './file-lock.ts';
import { mayBeUsedUp } from './may-be-used-up.ts';
import { identityOf, originOf } from './target-identity.ts';

/** Time for which a refusal is subtracted, ms: its request was recorded earlier, and ends to count earlier. */
const REFUSED_WINDOW_MS = ALLOWANCE_WINDOW_MS - 3_600_000;

/** Dependencies of a ledger; times are milliseconds. */
export interface LedgerWorld extends LockWorld {
  /** Time since the start of the system, suspension included. */
  readonly uptimeMs: () => number;
}

/** Entries that are asked for: those since the target was last started anew, or all of them. */
export type Since = 'start' | 'ever';

/**
 * Spending of metered partners across runs; kept in a file, by one run at a time. A target is given by
 * its base URL, in any spelling. What a partner spends counts at every path of an origin, as all of them
 * may lead to one service; a start anew is that of one path.
 *
 * Each entry is on disk before the call returns, and thus before the request that it covers is
 * sent. If another run writes to the file in spite of the lock, the call throws `LEDGER_IN_USE`,
 * and the request is not sent.
 */
export interface Ledger {
  /** Words for a clock that was set since the last entry, for the user; null for none. */
  readonly clockNote: string | null;
  /** Requests that count against today's allowance. */
  spentOf(
    target: string,
    partner: string,
    nowMs: number,
    since?: Since,
  ): Record<AllowanceKind, number>;
  /** Requests of these that the target refused, as far as that was recorded. */
  refusedOf(target: string, partner: string, nowMs: number): Record<AllowanceKind, number>;
  /** Until when a partner is treated as banned, ms since the epoch; 0 if it is not. */
  bannedUntilMs(target: string, partner: string, nowMs: number, since?: Since): number;
  /** Time from which the partner has its whole allowances, ms since the epoch; 0 if it has them now. */
  wholeAgainMs(target: string, partner: string, nowMs: number): number;
  isCodeUsed(target: string, partner: string, code: string, since?: Since): boolean;
  spend(target: string, partner: string, kinds: readonly AllowanceKind[], atMs: number): void;
  /** Records that the target refused a request that was spent before. */
  refuse(target: string, partner: string, kinds: readonly AllowanceKind[], atMs: number): void;
  useCode(target: string, partner: string, code: string, atMs: number): void;
  ban(target: string, partner: string, untilMs: number, atMs: number): void;
  /** Records that the target begins without a memory of what was spent. */
  startAnew(target: string, atMs: number): void;
  /** Records that a target which began anew accepted a request. */
  accept(target: string, partner: string, kinds: readonly AllowanceKind[], atMs: number): void;
  /**
   * Checks whether a refusal may be due to what was spent before a target began anew, as that is the word of
   * its user.
   */
  mayBeUsedUp(target: string, partner: string, nowMs: number): boolean;
  /** Folder of the last check of the target by a whole suite; null for none. */
  lastRun(target: string): string | null;
  recordRun(target: string, folder: string, atMs: number): void;
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
export async function openLedger(name: string, world: LedgerWorld): Promise<Ledger> {
  // Its lock stands beside the file itself, so that all names of it share one.
  const path = filePath(name);
  let open = await takeLedger(path, world);
  const instant = (atMs: number): Instant => instantOf(atMs, world);
  const append = (content: Content, atMs: number): void => {
    const target = identityOf(content.target);
    const entry = { ...content, target, ...instant(atMs), id: world.nonce() };
    try {
      open.log.claim(JSON.stringify(entry));
    } catch (error) {
      throw error instanceof ForeignWriteError ? sharedLedger(path) : notWritable(path, error);
    }
    open.entries.push(entry);
  };
  const of = (baseUrl: string, partner: string, since: Since): Entry[] => {
    const target = identityOf(baseUrl);
    const origin = originOf(target);
    const begun = new Set<string>();
    const counted: Entry[] = [];
    for (const entry of open.entries.toReversed()) {
      if (originOf(entry.target) !== origin) continue;
      if ('startedAnew' in entry) begun.add(entry.target);
      if (since === 'start' && (begun.has(entry.target) || begun.has(target))) continue;
      if ('partner' in entry && entry.partner === partner) counted.push(entry);
    }
    return counted.reverse();
  };
  const untilMs = (entry: Entry, forMs: number, nowMs: number): number => {
    const leftMs = forMs - elapsedMs(entry, instant(nowMs));
    return leftMs > 0 ? nowMs + leftMs : 0;
  };
  const bannedUntilMs: Ledger['bannedUntilMs'] = (target, partner, nowMs, since = 'start') =>
    Math.max(
      0,
      ...of(target, partner, since).map((entry) =>
        'bannedForMs' in entry ? untilMs(entry, entry.bannedForMs, nowMs) : 0,
      ),
    );
  return {
    get clockNote() {
      return open.clockNote;
    },
    spentOf: (target, partner, nowMs, since = 'start') => {
      const spent = { platform: 0, user: 0, refresh: 0 };
      for (const entry of of(target, partner, since)) {
        if (elapsedMs(entry, instant(nowMs)) >= ALLOWANCE_WINDOW_MS) continue;
        for (const kind of ALLOWANCE_KINDS) spent[kind] += requestsOf(entry)[kind];
      }
      return spent;
    },
    refusedOf: (target, partner, nowMs) => {
      const refused = { platform: 0, user: 0, refresh: 0 };
      for (const entry of of(target, partner, 'start')) {
        if (!('refused' in entry) || elapsedMs(entry, instant(nowMs)) >= REFUSED_WINDOW_MS)
          continue;
        for (const kind of entry.refused) refused[kind]++;
      }
      return refused;
    },
    bannedUntilMs,
    wholeAgainMs: (target, partner, nowMs) => {
      const spending = of(target, partner, 'start').filter(
        (entry) => 'sum' in entry || 'kinds' in entry,
      );
      return Math.max(
        bannedUntilMs(target, partner, nowMs),
        ...spending.map((entry) => untilMs(entry, ALLOWANCE_WINDOW_MS, nowMs)),
      );
    },
    isCodeUsed: (target, partner, code, since = 'start') =>
      of(target, partner, since).some((entry) => 'code' in entry && entry.code === hashOf(code)),
    spend: (target, partner, kinds, atMs) => append({ target, partner, kinds }, atMs),
    refuse: (target, partner, kinds, atMs) => append({ target, partner, refused: kinds }, atMs),
    useCode: (target, partner, code, atMs) => append({ target, partner, code: hashOf(code) }, atMs),
    ban: (target, partner, until, atMs) =>
      append({ target, partner, bannedForMs: until - atMs }, atMs),
    startAnew: (target, atMs) => append({ target, startedAnew: true }, atMs),
    accept: (target, partner, kinds, atMs) => {
      for (const accepted of kinds) append({ target, partner, accepted }, atMs);
    },
    mayBeUsedUp: (baseUrl, partner, nowMs) => {
      const target = identityOf(baseUrl);
      const own = open.entries.filter((entry) => entry.target === target);
      return mayBeUsedUp(own, partner, instant(nowMs));
    },
    lastRun: (baseUrl) => {
      const target = identityOf(baseUrl);
      const last = open.entries.findLast((one) => 'lastRun' in one && one.target === target);
      return last && 'lastRun' in last ? last.lastRun : null;
    },
    recordRun: (target, folder, atMs) => append({ target, lastRun: folder }, atMs),
    close: () => open.lock.release(),
    reopen: async () => {
      open = await takeLedger(path, world);
    },
  };
}

/** @throws FareproofError `LEDGER_NOT_WRITABLE` for links in a circle, and for what is no regular file */
function filePath(name: string): string {
  try {
    const path = followLinks(name);
    refuseOtherThanFile(path);
    return path;
  } catch (error) {
    throw notWritable(name, error);
  }
}

function instantOf(atMs: number, { owner, uptimeMs }: LedgerWorld): Instant {
  return { atMs, uptimeMs: uptimeMs(), bootId: owner.bootId };
}

interface OpenLedger {
  readonly lock: HeldLock;
  readonly log: ClaimLog;
  readonly entries: Entry[];
  readonly clockNote: string | null;
}

async function takeLedger(path: string, world: LedgerWorld): Promise<OpenLedger> {
  const lock = await takeLock(lockOf(path), world).catch((error: unknown) => {
    throw error instanceof LockHeldError ? inUse(path, error.holder) : notWritable(path, error);
  });
  try {
    const now = instantOf(world.wall(), world);
    let entries: Entry[] = [];
    let note: string | null = null;
    const log = ClaimLog.open(path, (lines) => {
      const read = lines.map((line, at) => readEntry(path, line, at));
      note = clockNote(read.at(-1), now);
      entries = [...foldOld(read, now, world.nonce)];
      const isSame = read.length === entries.length;
      return isSame ? lines : entries.map((entry) => JSON.stringify(entry));
    });
    return { lock, log, entries, clockNote: note };
  } catch (error) {
    lock.release();
    throw error instanceof FareproofError ? error : notWritable(path, error);
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

/** Only a hash is stored, since the code is a secret. */
function hashOf(code: string): string {
  return hash('sha256', code).slice(0, 32);
}

function readEntry(path: string, line: string, at: number): Entry {
  const entry = parseEntry(line);
  if (entry) return entry;
  throw new FareproofError(
    'LEDGER_BROKEN',
    `${path}:${at + 1}: not an entry of a ledger. Repair or remove that line; the file as a whole may be removed once a day has passed since the last run.`,
  );
}

function inUse(path: string, holder: LockRecord | null): FareproofError {
  const who = holder
    ? `process ${holder.processId} on ${holder.host}, since ${holder.since},`
    : 'another process';
  return new FareproofError(
    'LEDGER_IN_USE',
    `${path}: ${who} holds ${lockOf(path)}. Wait until that run ends, or use another ledger file. The lock of a run that was killed is taken over within 10 s.`,
  );
}

function sharedLedger(path: string): FareproofError {
  return new FareproofError(
    'LEDGER_IN_USE',
    `${path}: another run wrote to this ledger in spite of ${lockOf(path)}, so the request was not sent: together they could exceed an allowance. Run one after the other, or use another ledger file. A ledger on a network file system must be used from one host only.`,
  );
}

function notWritable(path: string, error: unknown): FareproofError {
  if (error instanceof SecondNameError) {
    const what = 'Remove the unfinished line, or the second name';
    return new FareproofError('LEDGER_BROKEN', `${path}: ${error.message}. ${what}.`);
  }
  const isOther = error instanceof NotAFileError;
  const code = isOther ? error.message : ((error as NodeJS.ErrnoException).code ?? String(error));
  return new FareproofError(
    'LEDGER_NOT_WRITABLE',
    `${path}: the ledger cannot be kept there (${code}). Use another ledger file.`,
    { cause: error },
  );
}
