import { describe, expect, it } from 'vitest';
import { Scheduler } from '../../../../src/conformance/service/runner/scheduler.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('one clock, many checks', () => {
  it('moves to the earliest requested time, once every task waits', async () => {
    let now = 0;
    const moves: [number, readonly string[]][] = [];
    const log: string[] = [];
    const scheduler = new Scheduler(2, async (atMs, rules) => {
      moves.push([atMs, rules]);
      now = atMs;
      return now;
    });
    const waits =
      (name: string, ...times: number[]) =>
      async (): Promise<void> => {
        for (const time of times) {
          await scheduler.reach(time, [`rule/${name}`]);
          log.push(`${name}@${now}`);
        }
      };
    const works = async (): Promise<void> => {
      for (let step = 0; step < 5; step++) {
        await tick();
        expect(now).toBe(0);
      }
    };
    await scheduler.run([waits('a', 100, 300), waits('b', 200), works, works, waits('c', 100)]);
    expect(moves).toEqual([
      [100, ['rule/a', 'rule/c']],
      [200, ['rule/b']],
      [300, ['rule/a']],
    ]);
    expect(log).toEqual(['a@100', 'c@100', 'b@200', 'a@300']);
  });

  it('runs no more tasks in parallel than its limit', async () => {
    let running = 0;
    let most = 0;
    const scheduler = new Scheduler(3, async (atMs) => atMs);
    const task = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await tick();
      running--;
    };
    await scheduler.run(Array.from({ length: 20 }, () => task));
    expect(most).toBe(3);
  });

  it('lets a task wait for the end of all others, without moving the clock', async () => {
    const moves: number[] = [];
    const log: string[] = [];
    const scheduler = new Scheduler(1, async (atMs) => {
      moves.push(atMs);
      return atMs;
    });
    const last = (name: string) => async (): Promise<void> => {
      await scheduler.othersEnd();
      log.push(name);
    };
    const waits = async (): Promise<void> => {
      for (const time of [100, 200]) await scheduler.reach(time);
      log.push('other');
    };
    await scheduler.run([last('a'), waits, last('b')]);
    expect(log).toEqual(['other', 'a', 'b']);
    expect(moves).toEqual([100, 200]);
  });

  it('a clock that cannot be moved fails only waiting tasks', async () => {
    const scheduler = new Scheduler(2, () => Promise.reject(new Error('stuck')));
    let done = false;
    const rest = async (): Promise<void> => {
      await tick();
      done = true;
    };
    await expect(
      scheduler.run([() => scheduler.reach(1).then(() => undefined), rest]),
    ).rejects.toThrow('stuck');
    expect(done).toBe(true);
  });
});
