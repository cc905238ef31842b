import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChangeWatch } from '../../../src/app/check/change-watch.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), 'service.bin');
  writeFileSync(file, 'one');
});

/** Event between two looks. */
type Step = () => unknown;

/** A watch whose clock is moved by its sleeps, each of which takes one step; with the last it is interrupted. */
function watchOf({
  accepts = () => true,
  onWritten = () => undefined,
  steps = [],
}: Partial<Script> = {}) {
  const interruption = new AbortController();
  let [nowMs, taken] = [0, 0];
  const clock = {
    sleep: async (forMs: number): Promise<void> => {
      nowMs += forMs;
      const step = steps[taken++];
      if (step) step();
      else interruption.abort();
    },
  };
  const watch = new ChangeWatch({
    files: [file],
    accepts: async () => accepts(nowMs),
    onWritten: async () => onWritten(nowMs),
    clock,
    everyMs: 100,
  });
  return { watch, signal: interruption.signal, now: () => nowMs };
}

interface Script {
  /** True where the target accepts connections at that time, null where it is silent. */
  readonly accepts: (atMs: number) => boolean | null;
  readonly onWritten: (atMs: number) => void;
  readonly steps: readonly Step[];
}

const nothing = (): undefined => undefined;

describe('a change', () => {
  it('is a refused connection, and the target is settled as soon as it accepts one again', async () => {
    const accepts = (atMs: number): boolean => atMs < 200 || atMs >= 500;
    const { watch, signal, now } = watchOf({ accepts, steps: Array<Step>(9).fill(nothing) });
    expect(await watch.changed(signal)).toBe('the target refuses connections');
    expect(now()).toBe(200);
    expect(await watch.settled(signal)).toBe(true);
    expect(now()).toBe(500);
  });

  it('is none where nothing happens, or the target is silent', async () => {
    const { watch, signal } = watchOf({
      accepts: (atMs) => (atMs === 100 ? null : true),
      steps: [nothing, nothing],
    });
    expect(await watch.changed(signal)).toBeNull();
  });

  it('is a file that was written, and all is settled once nobody writes it any more', async () => {
    const write = (text: string) => () => writeFileSync(file, text);
    const steps = [nothing, write('one, and more'), write('one, and yet more'), nothing, nothing];
    const { watch, signal, now } = watchOf({ steps });
    expect(await watch.changed(signal)).toBe(`${file} was written`);
    expect(now()).toBe(200);
    expect(await watch.settled(signal)).toBe(true);
    expect(now()).toBe(400);
  });

  it('is a file that was replaced, not one that is missing for a while', async () => {
    const replace = (): void => {
      writeFileSync(`${file}.new`, 'two');
      renameSync(`${file}.new`, file);
    };
    const { watch, signal, now } = watchOf({ steps: [() => rmSync(file), nothing, replace] });
    expect(await watch.changed(signal)).toBe(`${file} was written`);
    expect(now()).toBe(300);
  });
});

it('a target that moved is waited for where the written file says', async () => {
  let isElsewhere = false;
  const written: number[] = [];
  const { watch, signal, now } = watchOf({
    accepts: () => isElsewhere,
    onWritten: (atMs) => {
      written.push(atMs);
      isElsewhere = true;
    },
    steps: [nothing, () => writeFileSync(file, 'elsewhere'), nothing, nothing],
  });
  expect(await watch.settled(signal)).toBe(true);
  expect([written, now()]).toEqual([[300], 300]);
});

it('a silent target is not settled, and an interruption ends the wait', async () => {
  const { watch, signal } = watchOf({ accepts: () => null, steps: [nothing] });
  expect(await watch.settled(signal)).toBe(false);
});

it('a file that is missing, or none, is wrong usage', () => {
  rmSync(file);
  expect(() => watchOf()).toThrow(`watch: ${file} is not a file.`);
});
