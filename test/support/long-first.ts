import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONG = '// @module-tag long';

/**
 * Starts the files tagged `long` first, then those with such tests, so that none of them is left to run alone at
 * the end: vitest starts with the largest files, and one of a few lines can have the most work.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = new Map(sorted.map((file) => [file, rank(readFileSync(file.moduleId, 'utf8'))]));
    return sorted.toSorted((a, b) => rankOf.get(a)! - rankOf.get(b)!);
  }
}

function rank(text: string): number {
  if (text.startsWith(LONG)) return 0;
  return text.includes("tags: ['long']") ? 1 : 2;
}
