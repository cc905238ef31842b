import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = '// @module-tag long';

/**
 * Starts the files tagged `long` first, so that none of them is left to run alone at the end: vitest starts
 * with the largest files, and one of a few lines can have the most work.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const long = new Set(sorted.filter(isLong));
    return [...long, ...sorted.filter((file) => !long.has(file))];
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return readFileSync(moduleId, 'utf8').startsWith(LONG);
}
