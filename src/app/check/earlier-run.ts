import type { ConformanceDocument } from '../../documents/conformance.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import { ruleChanges } from '../../documents/rule-changes.ts';
import { isBroken } from '../../documents/rule-verdict.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { kindWords, readRun } from '../files/document.ts';
import type { Surroundings } from '../surroundings.ts';

/** The run that a check is compared with. */
export interface EarlierRun {
  /** As the user gave it. */
  readonly run: string;
  readonly document: ConformanceDocument;
  /** False for the last run of the target that nobody named. */
  readonly isAsked: boolean;
  readonly failsOnNew: boolean;
}

/** The run of a check, and its file. */
export interface StoredCheck {
  readonly file: string;
  readonly document: ConformanceDocument;
}

/**
 * Reads the run of a check.
 *
 * @param run its path, or that of its folder
 * @param field option that it was named by, if it was
 * @throws ConfigurationError `RUN_NOT_A_CHECK`, or as {@link readRun}
 */
export async function readCheck(
  run: string,
  { cwd }: Pick<Surroundings, 'cwd'>,
  field?: string,
): Promise<StoredCheck> {
  const { file, document } = await readRun(run, { cwd });
  if (isOfService(document)) return { file, document };
  throw new ConfigurationError(
    'RUN_NOT_A_CHECK',
    `${file} is ${kindWords(document)}; give the run of a check.`,
    field === undefined ? {} : { field },
  );
}

/** True for a check. */
export function isOfService(document: RunDocument): document is ConformanceDocument {
  return document.kind === 'conformance' && document.side === 'service';
}

/** Adds to a run what has changed since an earlier one; if nobody named that, only where both can be compared. */
export function withChanges<D extends ConformanceDocument>(
  document: D,
  earlier: EarlierRun | null,
): D {
  if (earlier === null || !(earlier.isAsked || isComparable(earlier.document, document)))
    return document;
  const { run, failsOnNew } = earlier;
  const { startedAt } = earlier.document;
  const changes = ruleChanges(earlier.document, document);
  return { ...document, against: { run, startedAt, failsOnNew, ...changes } };
}

/** True if both runs are whole, and chose the same rules as far as a change would show. */
function isComparable(earlier: ConformanceDocument, later: ConformanceDocument): boolean {
  if (earlier.interrupted || later.interrupted || judgedCount(later.summary) === 0) return false;
  const chosenIn = ({ rules }: ConformanceDocument): ReadonlySet<string> =>
    new Set(rules.filter(({ verdict }) => verdict !== 'excluded').map(({ id }) => id));
  const [before, after] = [chosenIn(earlier), chosenIn(later)];
  const wereBroken = earlier.rules.filter(isBroken);
  return [...after].every((id) => before.has(id)) && wereBroken.every(({ id }) => after.has(id));
}
