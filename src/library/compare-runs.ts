import { compareNamed, readDocuments } from '../app/compare/compare-runs.ts';
import { documentOf } from '../app/files/document.ts';
import type { ComparisonDocument } from '../documents/comparison.ts';
import type { RuleComparisonDocument } from '../documents/rule-comparison.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { type OptionTableOf, refusedValue } from '../interface/options.ts';
import type { NamedDocument } from '../load/index.ts';
import { OPTION_ROWS } from '../load/options.ts';
import { withOptions } from './options.ts';
import { libraryProcess } from './target.ts';

/** A run: its document, or the path of its `run.json` or folder. */
export type Run = RunDocument | string;

/** Options of {@link compareRuns}; `base` and `candidate` are required. */
export interface CompareOptions {
  /** Runs of the build that is known. */
  readonly base: Run | readonly Run[];
  /** Runs of the build that is to be judged. */
  readonly candidate: Run | readonly Run[];
  /** Difference of the sides up to which they are equivalent, in percent. Default 5. */
  readonly marginPercent?: number | undefined;
  /** Name of the base in the document. Default its file. */
  readonly baseLabel?: string | undefined;
  /** Name of the candidate in the document. Default its file. */
  readonly candidateLabel?: string | undefined;
}

const VALUES = {
  base: true,
  candidate: true,
  marginPercent: OPTION_ROWS.margin,
  baseLabel: { kind: 'text' },
  candidateLabel: { kind: 'text' },
} as const satisfies OptionTableOf<CompareOptions>;

/**
 * Compares the runs of two builds, as `fareproof compare`: loads and benches by their figures, checks and
 * certifications rule by rule.
 *
 * @returns the document of the comparison, which `toHtml`, `toMarkdown` and `toJUnit` render
 * @throws ConfigurationError `OPTION_UNKNOWN`, `OPTION_INVALID`, `COMPARE_FILE_KIND`, or for a document that cannot be read
 */
export function compareRuns(
  options: CompareOptions,
): Promise<ComparisonDocument | RuleComparisonDocument> {
  return withOptions(options, VALUES, async () => {
    const { marginPercent, baseLabel, candidateLabel } = options;
    const names = { base: baseLabel, candidate: candidateLabel };
    const base = await named(options.base, 'base');
    return compareNamed(base, await named(options.candidate, 'candidate'), {
      marginPercent,
      names,
    });
  });
}

async function named(given: Run | readonly Run[], side: string): Promise<NamedDocument[]> {
  const runs: readonly Run[] = Array.isArray(given) ? given : [given as Run];
  if (runs.length === 0) {
    const row = { kind: 'list', unit: 'a run, or a list of them' } as const;
    throw refusedValue('OPTION_INVALID', side, row, given);
  }
  const documents: NamedDocument[] = [];
  for (const [at, run] of runs.entries()) {
    const name = runs.length === 1 ? side : `${side} ${at + 1}`;
    if (typeof run === 'string') {
      documents.push(...(await readDocuments([run], libraryProcess(undefined))));
    } else documents.push({ name, document: documentOf(run, name) });
  }
  return documents;
}
