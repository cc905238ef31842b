import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { ClaimLog, ForeignWriteError } from '../../src/spending/claim-log.ts';
import fc from '../support/property.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const all = (lines: readonly string[]): readonly string[] => lines;
const fresh = (): string => join(temporaryFolder(), 'log');
const open = (path: string, keep = all): ClaimLog => ClaimLog.open(path, keep);

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
