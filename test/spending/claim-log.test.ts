import fs, { appendFileSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';
import { ClaimLog, ForeignWriteError } from '../../src/spending/claim-log.ts';
import fc from '../support/property.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const all = (lines: readonly string[]): readonly string[] => lines;
const fresh = (): string => join(temporaryFolder(), 'log');
const open = (path: string, keep = all): ClaimLog => ClaimLog.open(path, keep);

/** Expects that the file of each write was flushed after it, before the next write. */
function expectFlushed(calls: readonly string[]): void {
  for (const [at, call] of calls.entries()) {
    const file = / to (\d+)$/.exec(call)?.[1];
    if (file !== undefined) expect(calls[at + 1]).toBe(`sync ${file}`);
  }
}

describe('a log of claims', () => {
  it('lets the first of two writers claim, and tells the second', () => {
    const path = fresh();
    const [one, other] = [open(path), open(path)];
    one.claim('a');
    expect(() => other.claim('b')).toThrow(ForeignWriteError);
    // The second one's line is already in the file: the first learns it at its next claim.
    expect(() => one.claim('c')).toThrow(ForeignWriteError);
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\n');
  });

  it('keeps whole lines of any text once, and drops others and what a crash left of the last', () => {
    const path = fresh();
    writeFileSync(path, 'alt ä\nneu 天\nabgebroch');
    const read: (readonly string[])[] = [];
    const log = open(path, (lines) => {
      read.push(lines);
      return lines.slice(1);
    });
    expect(read).toEqual([['alt ä', 'neu 天']]);
    expect(readFileSync(path, 'utf8')).toBe('neu 天\n');
    log.claim('mein ö');
    expect(readFileSync(path, 'utf8')).toBe('neu 天\nmein ö\n');
    const next = open(path);
    next.claim('dein');
    next.claim('sein');
  });

  it('has each claim on disk when it returns, also one that it carries over', () => {
    const path = fresh();
    writeFileSync(path, 'old\nnew\n');
    const calls: string[] = [];
    const { writeSync, fsyncSync } = fs;
    onTestFinished(() => {
      Object.assign(fs, { writeSync, fsyncSync });
      syncBuiltinESMExports();
    });
    Object.assign(fs, {
      writeSync: (file: number, bytes: Buffer, at: number) => {
        calls.push(`${bytes.toString('utf8', at).trim()} to ${file}`);
        return writeSync(file, bytes, at);
      },
      fsyncSync: (file: number) => {
        calls.push(`sync ${file}`);
        fsyncSync(file);
      },
    });
    syncBuiltinESMExports();
    const log = open(path, (lines) => {
      appendFileSync(path, 'late\n');
      return lines.slice(1);
    });
    expect(calls).toContainEqual(expect.stringMatching(/^late to /));
    expectFlushed(calls);
    calls.length = 0;
    expect(() => log.claim('mine')).toThrow(ForeignWriteError);
    expect(calls[0]).toMatch(/^mine to /);
    expectFlushed(calls);
  });

  it('grants no claim twice, however two writers take turns', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (turns) => {
        const path = fresh();
        const writers = [open(path), open(path)];
        const granted = turns.map((turn, at) => {
          try {
            writers[turn ? 1 : 0]?.claim(`claim ${at}`);
            return true;
          } catch {
            return false;
          }
        });
        // A claim is granted only while every line before it is the writer's own.
        turns.forEach((turn, at) => {
          expect(granted[at]).toBe(turns.slice(0, at).every((earlier) => earlier === turn));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('drops entries that are no longer needed, and a truncated last line', () => {
    const path = fresh();
    writeFileSync(path, 'old\nnew\ntor');
    const log = open(path, (lines) => lines.filter((line) => line === 'new'));
    log.claim('next');
    expect(readFileSync(path, 'utf8')).toBe('new\nnext\n');
  });

  it('leaves nothing of a line that a full disk cut off, so that the next one does not continue it', () => {
    const path = fresh();
    const log = open(path);
    log.claim('first');
    const { writeSync } = fs;
    const restore = (): void => {
      Object.assign(fs, { writeSync });
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    let written = 0;
    Object.assign(fs, {
      writeSync: (file: number, bytes: Buffer, at: number) => {
        if (written++ > 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        return writeSync(file, bytes, at, 3);
      },
    });
    syncBuiltinESMExports();
    expect(() => log.claim('second')).toThrow('full');
    restore();
    expect(readFileSync(path, 'utf8')).toBe('first\n');
    log.claim('third');
    expect(readFileSync(path, 'utf8')).toBe('first\nthird\n');
  });

  it('with a second name is appended to in place, and repaired by its user only', () => {
    const path = fresh();
    writeFileSync(path, 'old\nnew\n');
    linkSync(path, `${path}.other`);
    const log = open(path, (lines) => lines.slice(1));
    log.claim('mine');
    expect(readFileSync(`${path}.other`, 'utf8')).toBe('old\nnew\nmine\n');
    const other = open(`${path}.other`);
    other.claim('theirs');
    expect(() => log.claim('late')).toThrow(ForeignWriteError);
    appendFileSync(path, 'cut o');
    expect(() => open(path)).toThrow('it has a second name');
    rmSync(`${path}.other`);
    open(path, (lines) => lines.slice(1));
    expect(readFileSync(path, 'utf8')).toBe('new\nmine\ntheirs\nlate\n');
  });

  it('carries over what another appended while the file was replaced, and then claims no more', () => {
    const path = fresh();
    writeFileSync(path, 'old\nnew\n');
    const log = open(path, (lines) => {
      appendFileSync(path, 'late\n');
      return lines.slice(1);
    });
    expect(readFileSync(path, 'utf8')).toBe('new\nlate\n');
    expect(() => log.claim('mine')).toThrow(ForeignWriteError);
  });
});
