import type { ConformanceDocument } from '../../../documents/conformance.ts';
import { judgedCount } from '../../../documents/judged-count.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { identityOf, type Ledger, type LedgerSource } from '../../../spending/index.ts';
import { readRun } from '../../files/document.ts';
import { shownPath } from '../../files/write.ts';
import type { Io } from '../../io.ts';
import { isBroken } from '../../output/repeat.ts';
import type { EarlierRun } from './against.ts';
import type { CheckFlags } from './settings.ts';

/** Address of the target, and the ledger that may know its last run; null where none is kept. */
export interface LastRunPlace {
  readonly baseUrl: string;
  readonly ledger: LedgerSource | null;
}

/** The last run of the target: that in the folder of `--out`, else the one that the ledger names; null for none. */
export async function findLastRun(
  { out }: Pick<CheckFlags, 'out'>,
  { baseUrl, ledger }: LastRunPlace,
  io: Pick<Io, 'cwd'>,
): Promise<EarlierRun | null> {
  const ofFolder = out === undefined ? null : await readCheckOf(baseUrl, out, io);
  if (ofFolder !== null || ledger === null) return ofFolder;
  const path = await withLedger(ledger, (open) => open.lastRun(baseUrl));
  return path === null ? null : readCheckOf(baseUrl, path, io);
}

/** Null for a file that is missing, or is not the check of that target. */
async function readCheckOf(
  baseUrl: string,
  path: string,
  io: Pick<Io, 'cwd'>,
): Promise<EarlierRun | null> {
  try {
    const { document } = await readRun(path, io);
    if (document.kind !== 'conformance' || document.side !== 'service') return null;
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

/**
 * Puts the rules that the last run found broken before all others, or keeps only those.
 *
 * @param matches true for the rules of `--rule`
 * @throws ConfigurationError `LAST_RUN_NONE` if a flag needs a last run and there is none, `LAST_RUN_HELD` if
 *   it found no rule broken to judge again
 */
export function orderByLastRun(
  last: EarlierRun | null,
  { failedFirst, onlyFailed, rule: only }: Pick<CheckFlags, 'failedFirst' | 'onlyFailed' | 'rule'>,
  matches: (id: string) => boolean,
): RuleOrder {
  const flag = onlyFailed ? '--only-failed' : '--failed-first';
  if (last === null) {
    if (!onlyFailed && !failedFirst) return { first: [], only };
    throw new ConfigurationError(
      'LAST_RUN_NONE',
      `${flag}: no earlier run of this target is known; run the check without it once, or name a run with --against.`,
    );
  }
  const { rules, exchanges } = last.document;
  const broken = rules.filter(isBroken);
  const shown = new Set(broken.map(({ shownBy }) => shownBy));
  const parts = exchanges.flatMap(({ id, part }) => (shown.has(id) ? (part?.check ?? []) : []));
  const first = [...broken.map(({ id }) => id), ...parts];
  if (!onlyFailed) return { first, only };
  const failed = broken.map(({ id }) => id).filter((id) => only.length === 0 || matches(id));
  if (failed.length > 0) return { first, only: failed };
  throw new ConfigurationError(
    'LAST_RUN_HELD',
    `${flag}: the run ${last.run} broke none of these rules; leave the flag to judge all of them.`,
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
