import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { ComparisonSettings, NamedDocument } from '../../load/index.ts';
import { kindWords } from '../files/document.ts';

/** True for a check or a certification. */
export function isOfRules({ document }: NamedDocument): boolean {
  return document.kind === 'conformance';
}

/**
 * Compares two checks, or two certifications, rule by rule.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for other documents, for several a side, or for a check
 *   and a certification; `COMPARE_FLAGS` for a margin
 */
export async function compareRules(
  base: readonly NamedDocument[],
  candidate: readonly NamedDocument[],
  { marginPercent, names, tool, nowMs }: ComparisonSettings,
): Promise<RuleComparisonDocument> {
  if (marginPercent !== undefined) {
    throw new ConfigurationError(
      'COMPARE_FLAGS',
      (name) => `${name('margin')} is for runs of load and bench.`,
    );
  }
  const [earlier, later] = [onlyRun(base, 'base'), onlyRun(candidate, 'candidate')];
  if (earlier.document.side !== later.document.side) {
    throw new ConfigurationError(
      'COMPARE_FILE_KIND',
      `${earlier.name} is ${kindWords(earlier.document)} and ${later.name} ${kindWords(later.document)}; give two of the same.`,
    );
  }
  const { compareRuns } = await import('../../conformance/index.ts');
  return compareRuns(
    { ...earlier, name: names?.base ?? earlier.name },
    { ...later, name: names?.candidate ?? later.name },
    { tool, nowMs },
  );
}

function onlyRun(
  documents: readonly NamedDocument[],
  field: string,
): { readonly name: string; readonly document: ConformanceDocument } {
  const other = documents.find((one) => !isOfRules(one));
  if (other) {
    const { name, document } = other;
    const is =
      document.kind === 'figures' ? `a result of ${document.toolName}` : kindWords(document);
    throw new ConfigurationError(
      'COMPARE_FILE_KIND',
      `${name}: is ${is}; give a check or a certification, as on the other side.`,
    );
  }
  const [only, ...more] = documents;
  if (only?.document.kind !== 'conformance' || more.length > 0) {
    throw new ConfigurationError(
      'COMPARE_FILE_KIND',
      'give one run; several checks of a side cannot be compared.',
      { field },
    );
  }
  return { name: only.name, document: only.document };
}
