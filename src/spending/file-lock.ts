import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';

/** A process that holds a lock, and where its id means that process. */
export interface LockOwner {
  readonly processId: number;
  /** Tells two processes apart that had the same id; empty if the platform does not say. */
  readonly processStart: string;
  readonly host: string;
  /** Changes with each start of the kernel; empty if the platform does not say. */
  readonly bootId: string;
  /** Empty if the platform has none. */
  readonly pidNamespace: string;
}

/** Dependencies of a lock; times are milliseconds. */
export interface LockWorld {
  readonly owner: LockOwner;
  /** True if a process of the owner's own host, boot and namespace still runs. */
  readonly isAlive: (other: LockOwner) => boolean;
  /** Wall clock, since the epoch. */
  readonly wall: () => number;
  readonly sleep: (forMs: number) => Promise<void>;
  /** At least 64 random bits, as text that may stand in a file name. */
  readonly nonce: () => string;
}

/** A lock that is held by this process. */
export interface HeldLock {
  /** Removes the lock file; harmless when called again. */
  release(): void;
}

/** The content of a lock file. */
export interface LockRecord extends LockOwner {
  readonly nonce: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Owner of a lock that could not be taken; null if its file names nobody. */
export class LockHeldError extends Error {
  readonly holder: LockRecord | null;

  constructor(holder: LockRecord | null) {
    super('the lock is held');
    this.name = 'LockHeldError';
    this.holder = holder;
  }
}

const HEARTBEAT_MS = 1_000;
/** A lock whose owner cannot be asked is stale after this long without a heartbeat. */
const STALE_AFTER_MS = 8_000;
const POLL_MS = 250;
const MARKER_POLL_MS = 20;

/**
 * Takes a lock: a file that is created whole with link(2), so that exactly one of several processes
 * succeeds.
 *
 * The lock of a dead process is taken over: at once where its process can be looked up (same host,
 * boot and PID namespace), else when its file has had no heartbeat for 8 s. An owner that was
 * suspended for longer may lose its lock without noticing: users of the lock must check for it.
 *
 * @throws LockHeldError if it is held
 * @throws NodeJS.ErrnoException if the file cannot be made
 */
export async function takeLock(path: string, world: LockWorld): Promise<HeldLock> {
  makeFolder(dirname(path), 0o700);
  const { owner, wall, nonce } = world;
  for (;;) {
    const record = { ...owner, nonce: nonce(), since: new Date(wall()).toISOString() };
    if (createWhole(path, record)) return hold(path, record.nonce);
    const stale = await findStale(path, world);
    if (stale !== null && !removeStale(path, stale, wall())) await world.sleep(MARKER_POLL_MS);
  }
}

/** True if a lock is held by a process that runs on this machine; false where that cannot be told. */
export function isHeldHere(path: string, { owner, isAlive }: LockWorld): boolean {
  const record = readLock(path)?.record;
  return record != null && isNeighbour(record, owner) && isAlive(record);
}

/** Makes a file with its content in one step; false if there is one. */
function createWhole(path: string, record: LockRecord): boolean {
  const draft = `${path}.${record.nonce}`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function hold(path: string, nonce: string): HeldLock {
  // By its descriptor: where the path has become another's lock, that one gets no heartbeat of ours.
  const file = openSync(path, 'r+');
  const beat = setInterval(() => {
    const now = new Date();
    try {
      futimesSync(file, now, now);
    } catch {
      // A disk that failed ends no run: whoever takes the lock over meanwhile is noticed by its claims.
    }
  }, HEARTBEAT_MS);
  beat.unref();
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      clearInterval(beat);
      closeSync(file);
      if (readLock(path)?.record?.nonce === nonce) rmSync(path, { force: true });
    },
  };
}

interface SeenLock {
  /** Null for a file that holds no record, such as one that another program made, or emptied. */
  readonly record: LockRecord | null;
  readonly beatMs: number;
  /** Tells this file from its successors. */
  readonly identity: string;
}

/**
 * The lock as it stands; null if there is none. Age and content are read from one open file: two
 * looks at the path could take the age of a stale lock for that of its successor.
 */
function readLock(path: string): SeenLock | null {
  let file: number | undefined;
  try {
    // A pipe in its place must not be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { mtimeMs, ino } = fstatSync(file);
    const record = parseRecord(readFileSync(file, 'utf8'));
    return { record, beatMs: mtimeMs, identity: record?.nonce ?? `inode-${ino}` };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function parseRecord(text: string): LockRecord | null {
  try {
    const value = JSON.parse(text) as Partial<LockRecord> | number | null;
    return typeof value === 'object' && value !== null && typeof value.nonce === 'string'
      ? (value as LockRecord)
      : null;
  } catch {
    return null;
  }
}

/**
 * Waits until it is clear whether a lock is held.
 *
 * @returns the identity of a stale lock; null if there is none any more
 * @throws LockHeldError
 */
async function findStale(path: string, world: LockWorld): Promise<string | null> {
  const first = readLock(path);
  if (first === null) return null;
  const { record } = first;
  if (record !== null && isNeighbour(record, world.owner)) {
    if (world.isAlive(record)) throw new LockHeldError(record);
    return first.identity;
  }
  // One kernel has one clock: how long ago the last heartbeat was needs no waiting there.
  const sameKernel = record !== null && isSame(record.bootId, world.owner.bootId);
  if (sameKernel && world.wall() - first.beatMs > STALE_AFTER_MS) return first.identity;
  for (let waitedMs = 0; waitedMs < STALE_AFTER_MS; waitedMs += POLL_MS) {
    await world.sleep(POLL_MS);
    const seen = readLock(path);
    if (seen === null || seen.identity !== first.identity) return null;
    if (seen.beatMs !== first.beatMs) throw new LockHeldError(record);
  }
  return first.identity;
}

/** True if a process id means the same process to both. */
function isNeighbour(one: LockOwner, other: LockOwner): boolean {
  return (
    one.host === other.host &&
    one.bootId === other.bootId &&
    one.pidNamespace === other.pidNamespace
  );
}

function isSame(one: string, other: string): boolean {
  return one !== '' && one === other;
}

/**
 * Removes one stale lock and never its successor: of those that found it stale, only the one that
 * makes the marker named after it may remove it.
 *
 * @returns false if another has the marker
 */
function removeStale(path: string, identity: string, nowMs: number): boolean {
  const marker = `${path}.${identity}.stale`;
  try {
    closeSync(openSync(marker, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    removeOldMarker(marker, nowMs);
    return false;
  }
  try {
    if (readLock(path)?.identity === identity) rmSync(path, { force: true });
  } finally {
    rmSync(marker, { force: true });
  }
  return true;
}

/** A marker exists for microseconds, unless its owner died. */
function removeOldMarker(marker: string, nowMs: number): void {
  try {
    if (nowMs - statSync(marker).mtimeMs > STALE_AFTER_MS) rmSync(marker, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
