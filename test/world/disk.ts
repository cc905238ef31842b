import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import type { Chance } from '../independent-service/chance.ts';

/** Thrown to a program that died, and to one that shared its disk then. */
export class Dead extends Error {}

/** Program whose writes a disk takes. */
export interface Writer {
  /** True once it is dead: nothing that it still tries is done. */
  readonly isDead: boolean;
  /** Called before a write; true if the program dies in the middle of it. */
  diesNow(): boolean;
}

type Files = Pick<
  typeof fs,
  | 'chmodSync'
  | 'fchmodSync'
  | 'fsyncSync'
  | 'futimesSync'
  | 'linkSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'openSync'
  | 'renameSync'
  | 'rmSync'
  | 'truncateSync'
  | 'writeFileSync'
  | 'writeSync'
>;

const REAL: Files = { ...fs };

/** The disk that `node:fs` writes to; null for that of the machine. */
let mounted: Disk | null = null;

/**
 * Disk of a world. While it is mounted, the writes of `node:fs` are those of one program: they end with it,
 * find no room, and are lost with the power unless they were synced. Folders are durable once made.
 */
export class Disk {
  /** Bytes that still have room. */
  #room: number;
  #writer: Writer | null = null;
  /** Content as it was last synced, by inode. */
  readonly #synced = new Map<number, Buffer>();
  /** Inode of each name that is durable, by path. */
  readonly #names = new Map<string, number>();
  readonly #root: string;
  /** Number of writes that found no room. */
  refusedWrites = 0;
  /** Number of files that lost something with the power. */
  lostFiles = 0;

  constructor(root: string, roomBytes: number) {
    this.#root = root;
    this.#room = roomBytes;
  }

  /** Takes the writes of a program from now on; of none if it is null. */
  mount(writer: Writer | null): void {
    this.#writer = writer;
    mounted = writer === null ? null : this;
  }

  /** Loses what was not synced, as far as chance has it. */
  losePower(chance: Chance): void {
    for (const path of this.#files()) {
      if (chance.draw() < 0.3) continue;
      const durable = this.#names.get(path);
      const content = durable === undefined ? undefined : this.#synced.get(durable);
      if (content?.equals(fs.readFileSync(path))) continue;
      this.lostFiles++;
      REAL.rmSync(path, { force: true });
      if (content) REAL.writeFileSync(path, content, { mode: 0o600 });
    }
    for (const [path, inode] of this.#names) {
      const content = this.#synced.get(inode);
      if (content && !fs.existsSync(path)) {
        // A file that was removed, or renamed, without its folder being synced.
        if (chance.draw() < 0.5 && fs.existsSync(dirname(path))) REAL.writeFileSync(path, content);
      }
    }
    this.#names.clear();
    this.#synced.clear();
    for (const path of this.#files()) this.#keep(path);
  }

  #files(): string[] {
    return fs
      .readdirSync(this.#root, { recursive: true, encoding: 'utf8' })
      .map((name) => join(this.#root, name))
      .filter((path) => fs.lstatSync(path).isFile());
  }

  #keep(path: string): void {
    const { ino } = fs.statSync(path);
    this.#names.set(path, ino);
    this.#synced.set(ino, fs.readFileSync(path));
  }

  /** @throws Dead for a program that is dead */
  requireAlive(): void {
    if (this.#writer?.isDead) throw new Dead('the program is dead');
  }

  /** Bytes of these that are written: fewer where the disk is full, or the program dies. */
  take(bytes: number): number {
    this.requireAlive();
    if (this.#writer?.diesNow()) return Math.floor(bytes / 2);
    const written = Math.min(bytes, this.#room);
    this.#room -= written;
    if (written < bytes) this.refusedWrites++;
    return written;
  }

  /** @throws NodeJS.ErrnoException `ENOSPC` where nothing has room */
  requireRoom(): void {
    if (this.#room > 0) return;
    this.refusedWrites++;
    throw noRoom();
  }

  sync(file: number): void {
    const { ino } = fs.fstatSync(file);
    const path = fs.readlinkSync(`/proc/self/fd/${file}`);
    if (fs.fstatSync(file).isDirectory()) this.#syncFolder(path);
    else this.#synced.set(ino, fs.readFileSync(path));
  }

  syncFile(path: string): void {
    this.#synced.set(fs.statSync(path).ino, fs.readFileSync(path));
  }

  #syncFolder(folder: string): void {
    for (const path of this.#names.keys())
      if (dirname(path) === folder && !fs.existsSync(path)) this.#names.delete(path);
    for (const name of fs.readdirSync(folder)) {
      const path = join(folder, name);
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isFile()) this.#names.set(path, stat.ino);
    }
  }
}

const noRoom = (): Error =>
  Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });

/** Acts on the disk of the machine: some calls of `node:fs` make others. */
function unmounted(act: () => void): void {
  const disk = mounted;
  mounted = null;
  try {
    act();
  } finally {
    mounted = disk;
  }
}

/** Calls that make something, or change a name; a dead program does none of them. */
const NEEDS_ROOM = ['mkdirSync', 'mkdtempSync', 'linkSync'] as const;
const NEEDS_LIFE = [
  'chmodSync',
  'fchmodSync',
  'openSync',
  'renameSync',
  'rmSync',
  'truncateSync',
] as const;

type Call = (...args: unknown[]) => unknown;

const guarded =
  (name: keyof Files, needsRoom: boolean): Call =>
  (...args) => {
    mounted?.requireAlive();
    if (needsRoom) mounted?.requireRoom();
    let result: unknown;
    unmounted(() => {
      result = (REAL[name] as Call)(...args);
    });
    return result;
  };

const written = (bytes: Uint8Array, disk: Disk): Uint8Array => {
  const some = bytes.subarray(0, disk.take(bytes.length));
  if (some.length === 0 && bytes.length > 0) {
    disk.requireAlive();
    throw noRoom();
  }
  return some;
};

/** Puts the disks of worlds in the place of `node:fs`; returns what takes them away. */
export function installDisks(): () => void {
  const replaced: Record<string, unknown> = {
    ...Object.fromEntries(NEEDS_ROOM.map((name) => [name, guarded(name, true)])),
    ...Object.fromEntries(NEEDS_LIFE.map((name) => [name, guarded(name, false)])),
    writeSync: (file: number, bytes: Uint8Array, at = 0, ...more: []) => {
      if (mounted === null) return REAL.writeSync(file, bytes, at, ...more);
      const done = REAL.writeSync(file, written(bytes.subarray(at), mounted));
      mounted.requireAlive();
      return done;
    },
    writeFileSync: (path: string, text: string, options: fs.WriteFileOptions = {}) => {
      if (mounted === null) return REAL.writeFileSync(path, text, options);
      const bytes = Buffer.from(text);
      mounted.requireAlive();
      mounted.requireRoom();
      const { flush = false, ...more } = options as { flush?: boolean };
      const disk = mounted;
      const some = written(bytes, disk);
      unmounted(() => REAL.writeFileSync(path, some, more));
      disk.requireAlive();
      if (some.length < bytes.length) throw noRoom();
      if (flush) disk.syncFile(path);
    },
    // A heartbeat is real time: that of a program that is dead in its world would continue.
    futimesSync: (...args: Parameters<typeof REAL.futimesSync>) => {
      if (mounted === null) REAL.futimesSync(...args);
    },
    fsyncSync: (file: number) => {
      if (mounted === null) return REAL.fsyncSync(file);
      mounted.requireAlive();
      mounted.sync(file);
    },
  };
  const put = (calls: object): void => {
    Object.assign(fs, calls);
    syncBuiltinESMExports();
  };
  put(replaced);
  const former = Object.keys(replaced).map((name) => [name, REAL[name as keyof Files]]);
  return () => put(Object.fromEntries(former));
}
