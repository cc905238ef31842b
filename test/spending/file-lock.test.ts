import fs, { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { takeLock } from '../../src/spending/file-lock.ts';
import { lockWorld, OWNER } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const fresh = (): string => join(temporaryFolder(), 'state', 'ledger.lock');
const IN_CONTAINER = { ...OWNER, pidNamespace: 'pid:[2]' };
const ELSEWHERE = { ...OWNER, host: 'there', bootId: 'boot-2' };

/** Writes a lock as its owner left it, with its last heartbeat at a time. */
function leave(path: string, owner: typeof OWNER, beatMs: number): void {
  writeFileSync(path, JSON.stringify({ ...owner, nonce: 'left', since: '' }));
  utimesSync(path, new Date(beatMs), new Date(beatMs));
}

/** A world whose sleeps are counted; `beat` is called in each. */
function sleeper(path: string, beat: (path: string, sleptMs: number) => void = () => {}) {
  const slept = { ms: 0 };
  const sleep = async (forMs: number): Promise<void> => {
    slept.ms += forMs;
    beat(path, slept.ms);
  };
  return { slept, world: lockWorld({ isAlive: () => true, wall: () => 20_000, sleep }) };
}

describe('a lock file', () => {
  it('is whole from its first moment, names its owner, and leaves nothing behind', async () => {
    const path = fresh();
    const lock = await takeLock(path, lockWorld());
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(OWNER);
    lock.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('is held while its process runs, and taken over at once when that is dead', async () => {
    const path = fresh();
    await takeLock(path, lockWorld());
    const { slept, world } = sleeper(path);
    await expect(takeLock(path, world)).rejects.toMatchObject({ holder: OWNER });
    (await takeLock(path, { ...world, isAlive: () => false })).release();
    expect(slept.ms).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it('asks no process of another PID namespace: a heartbeat within 8 s holds it', async () => {
    const path = fresh();
    (await takeLock(path, lockWorld())).release();
    leave(path, IN_CONTAINER, 15_000);
    const { slept, world } = sleeper(path, (at, ms) => {
      if (ms === 1_000) utimesSync(at, 16, 16);
    });
    await expect(takeLock(path, world)).rejects.toMatchObject({ holder: IN_CONTAINER });
    expect(slept.ms).toBe(1_000);
  });

  it('of another namespace is stale after 8 s without a heartbeat', async () => {
    const path = fresh();
    (await takeLock(path, lockWorld())).release();
    leave(path, IN_CONTAINER, 15_000);
    const silent = sleeper(path);
    (await takeLock(path, silent.world)).release();
    expect(silent.slept.ms).toBe(8_000);
    leave(path, IN_CONTAINER, 11_000);
    const long = sleeper(path);
    (await takeLock(path, long.world)).release();
    expect(long.slept.ms).toBe(0);
  });

  it('of another host is judged by heartbeats seen, not by two clocks', async () => {
    const path = fresh();
    (await takeLock(path, lockWorld())).release();
    leave(path, ELSEWHERE, 0);
    const { slept, world } = sleeper(path, (at, ms) => {
      if (ms === 2_000) utimesSync(at, 1, 1);
    });
    await expect(takeLock(path, world)).rejects.toMatchObject({ holder: ELSEWHERE });
    expect(slept.ms).toBe(2_000);
  });

  it('that holds no record is taken over once it is silent', async () => {
    const path = fresh();
    (await takeLock(path, lockWorld())).release();
    writeFileSync(path, '4711');
    const { slept, world } = sleeper(path);
    (await takeLock(path, world)).release();
    expect(slept.ms).toBe(8_000);
  });

  it('that another took over meanwhile is not released by its former owner', async () => {
    const path = fresh();
    const former = await takeLock(path, lockWorld());
    const later = await takeLock(path, lockWorld());
    former.release();
    expect(existsSync(path)).toBe(true);
    later.release();
    expect(existsSync(path)).toBe(false);
  });
});

it('is kept by a run whose disk refuses a heartbeat', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { futimesSync } = fs;
  let beats = 0;
  fs.futimesSync = () => {
    beats++;
    throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.futimesSync = futimesSync;
    syncBuiltinESMExports();
  });
  const lock = await takeLock(fresh(), lockWorld());
  vi.advanceTimersByTime(3_000);
  expect(beats).toBe(3);
  lock.release();
});
