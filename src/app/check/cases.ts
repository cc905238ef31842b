import type { ConformanceDocument } from '../../documents/conformance.ts';
import { caseSchema, type StoredCase } from '../../documents/explored.ts';
import { readShape } from '../../interface/shape-problems.ts';
import { parseJson, readTextFile } from '../files/text.ts';

/** Files of the finds of a run, by their paths in its folder. */
export function caseFiles({ explored }: ConformanceDocument): Record<string, string> {
  const files = (explored?.finds ?? []).map(({ file, rule, reason, words, walk }) => {
    const stored = { kind: 'case', rule, reason, words, walk } as const;
    return [file, `${JSON.stringify(stored, null, 2)}\n`];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

/**
 * Reads the case of a find.
 *
 * @returns null for a file of JSON that is none
 * @throws ConfigurationError `CASE_INVALID` for one that is not as a run wrote it, or as {@link readTextFile}
 */
export async function readCase(path: string, cwd: string): Promise<StoredCase | null> {
  const json = parseJson(await readTextFile(path, cwd), path, 'DOCUMENT_NOT_JSON');
  if (json === null || typeof json !== 'object' || (json as { kind?: unknown }).kind !== 'case')
    return null;
  return readShape(caseSchema, json, { name: `${path}: case`, code: 'CASE_INVALID' });
}
