import type { ConformanceDocument } from '../../../documents/conformance.ts';
import { judgedCount } from '../../../documents/judged-count.ts';
import { ruleChanges } from '../../../documents/rule-changes.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readRun } from '../../files/document.ts';
import type { Io } from '../../io.ts';
import { isBroken } from '../../output/repeat.ts';

/** The run that a check is compared with. */
export interface EarlierRun {
  /** As the user gave it. */
  readonly run: string;
  readonly document: ConformanceDocument;
  /** False for the last run of the target that nobody named. */
  readonly isAsked: boolean;
  readonly failsOnNew: boolean;
}

/**
 * Reads the run of `--against`; null without one.
 *
 * @throws ConfigurationError `FLAG_CONFLICT` for `--fail-on` without it, `RUN_NOT_A_CHECK`, or as
 *   {@link readRun}
 */
export async function readEarlierRun(
  { against: run, failOn }: { readonly against?: string; readonly failOn?: 'new' },
  io: Pick<Io, 'cwd'>,
): Promise<EarlierRun | null> {
  if (run === undefined) {
    if (failOn === undefined) return null;
    throw new ConfigurationError(
      'FLAG_CONFLICT',
      `--fail-on ${failOn} needs an earlier run to compare with; give it with --against.`,
    );
  }
  const { file, document } = await readRun(run, io);
  if (document.kind !== 'conformance' || document.side !== 'service') {
    const is =
      document.kind === 'conformance' ? 'a certification' : `a document of kind ${document.kind}`;
    throw new ConfigurationError(
      'RUN_NOT_A_CHECK',
      `--against: ${file} is ${is}; give the run of a check.`,
    );
  }
  return { run, document, isAsked: true, failsOnNew: failOn === 'new' };
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
