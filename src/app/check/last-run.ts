import { matcherOf } from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import { judgedCount } from '../../documents/judged-count.ts';
import { isBroken } from '../../documents/rule-verdict.ts';
import { ConfigurationError, FareproofError } from '../../interface/errors.ts';
import { identityOf, type Ledger, type LedgerSource } from '../../spending/index.ts';
import { readRun } from '../files/document.ts';
import { shownPath } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';
import { type EarlierRun, isOfService } from './earlier-run.ts';

/** Address of the target, and the ledger that may know its last run; null where none is kept. */
export interface LastRunPlace {
  readonly baseUrl: string;
  readonly ledger: LedgerSource | null;
}

/**
 * The last run of the target: that in a folder, else the one that the ledger names; null for none.
 *
 * @param folder of the new run; left out for one of its own
 */
export async function findLastRun(
  folder: string | undefined,
  { baseUrl, ledger }: LastRunPlace,
  place: Pick<Surroundings, 'cwd'>,
): Promise<EarlierRun | null> {
  const ofFolder = folder === undefined ? null : await readCheckOf(baseUrl, folder, place);
  if (ofFolder !== null || ledger === null) return ofFolder;
  const path = await withLedger(ledger, (open) => open.lastRun(baseUrl));
  return path === null ? null : readCheckOf(baseUrl, path, place);
}

/** Null for a file that is missing, or is not the check of that target. */
async function readCheckOf(
  baseUrl: string,
  path: string,
  io: Pick<Surroundings, 'cwd'>,
): Promise<EarlierRun | null> {
  try {
    const { document } = await readRun(path, io);
    if (!isOfService(document)) return null;
    const isSame = identityOf(document.target.baseUrl) === identityOf(baseUrl);
    return isSame
      ? { run: shownPath(path, io), document, isAsked: false, failsOnNew: false }
      : null;
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}

/** Rules that a run begins with, and those that it is limited to. */
export interface RuleOrder {
  /** Ids of rules, and of the checks that found one of them broken. */
  readonly first: readonly string[];
  /** Ids or globs; empty for all of the suite. */
  readonly only: readonly string[];
}

/** Rules that a check is asked for. */
export interface AskedRules {
  /** Ids or globs; empty for all of the suite. */
  readonly only: readonly string[];
  /** True to begin with those that the last run found broken, or to judge no others. */
  readonly failedFirst?: boolean | undefined;
  readonly onlyFailed?: boolean | undefined;
}

/**
 * Puts the rules that the last run found broken before all others, or keeps only those.
 *
 * @throws ConfigurationError `LAST_RUN_NONE` if a last run is needed and there is none, `LAST_RUN_HELD` if
 *   it found no rule broken to judge again
 */
export function orderByLastRun(
  last: EarlierRun | null,
  { failedFirst, onlyFailed, only }: AskedRules,
): RuleOrder {
  const field = onlyFailed ? 'onlyFailed' : 'failedFirst';
  if (last === null) {
    if (!onlyFailed && !failedFirst) return { first: [], only };
    throw new ConfigurationError(
      'LAST_RUN_NONE',
      (name) =>
        `no earlier run of this target is known; run the check without it once, or name a run with ${name('against')}.`,
      { field },
    );
  }
  const { rules, exchanges } = last.document;
  const broken = rules.filter(isBroken);
  const shown = new Set(broken.map(({ shownBy }) => shownBy));
  const parts = exchanges.flatMap(({ id, part }) => (shown.has(id) ? (part?.check ?? []) : []));
  const first = [...broken.map(({ id }) => id), ...parts];
  if (!onlyFailed) return { first, only };
  const isAsked = (id: string): boolean =>
    only.length === 0 || only.some((glob) => matcherOf(glob)(id));
  const failed = broken.map(({ id }) => id).filter(isAsked);
  if (failed.length > 0) return { first, only: failed };
  throw new ConfigurationError(
    'LAST_RUN_HELD',
    `the run ${last.run} broke none of these rules; leave it out to judge all of them.`,
    { field },
  );
}

/**
 * Records a check of a whole suite as the last run of its target. A ledger that another run holds by now
 * keeps its former one.
 */
export async function recordLastRun(
  folder: string,
  { interrupted, summary }: ConformanceDocument,
  { baseUrl, ledger }: LastRunPlace,
  nowMs: number,
): Promise<void> {
  if (ledger === null || interrupted || judgedCount(summary) === 0) return;
  try {
    await withLedger(ledger, (open) => open.recordRun(baseUrl, folder, nowMs));
  } catch (error) {
    if (!(error instanceof FareproofError)) throw error;
  }
}

async function withLedger<T>(source: LedgerSource, act: (ledger: Ledger) => T): Promise<T> {
  const ledger = await source.open();
  try {
    return act(ledger);
  } finally {
    ledger.close();
  }
}
