import {
  applyWaivers,
  asksForBans,
  type CheckServiceOptions,
  checkService,
  maxRateOf,
  ResumableRun,
  type ServiceResult,
  spendsOfProfile,
  UnreachableTarget,
  type Waiver,
} from '../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../documents/base.ts';
import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import { stateDirectory } from '../../files/state-directory.ts';
import { FareproofError } from '../../interface/errors.ts';
import { ledgerFile, processWorld } from '../../spending/index.ts';
import { dropRunFolder, notWritable, prepareRunFolder } from '../files/run-folder.ts';
import { writing } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';
import { type EarlierRun, withChanges } from './earlier-run.ts';
import {
  type AskedRules,
  findLastRun,
  type LastRunPlace,
  orderByLastRun,
  recordLastRun,
} from './last-run.ts';
import type { CheckTargets } from './targets.ts';

/** Run of a check, whose results go to a folder. */
export interface CheckRun {
  readonly folder: string;
  /** The run as it can be resumed; null where its state cannot be kept, and need not. */
  readonly kept: ResumableRun | null;
}

/** A check that is asked for, except for its target. */
export interface AskedCheck {
  readonly options: Omit<CheckServiceOptions, 'target' | 'companion' | 'ledger' | 'journal'>;
  readonly rules: AskedRules;
  /** Null for none. */
  readonly waivers: readonly Waiver[] | null;
  /** Run that it is compared with; null for the last one of its target. */
  readonly against: EarlierRun | null;
  /** Path of the ledger; undefined for that of the user. */
  readonly ledger: string | undefined;
  /** Folder of the run that may hold the last one; undefined for a new one. */
  readonly folder: string | undefined;
}

/** A check whose target, ledger and order of rules are known. */
export interface PreparedCheck extends Pick<AskedCheck, 'waivers' | 'against'> {
  readonly options: CheckServiceOptions;
  readonly place: LastRunPlace;
  /** Requests/s at most, where nobody asked for a limit; null for none. */
  readonly cautiousRate: number | null;
}

/**
 * Prepares a check: finds the last run of its target, and what is to be judged first.
 *
 * @throws ConfigurationError as {@link orderByLastRun}
 */
export async function prepareCheck(
  asked: AskedCheck,
  { target, companion }: CheckTargets,
  surroundings: Surroundings,
): Promise<PreparedCheck> {
  const ledger = ledgerFile(asked.ledger, surroundings, (line) => surroundings.note(line));
  const isSpending = spendsOfProfile(target, asked.options.suite);
  const place = { baseUrl: target.baseUrl, ledger: isSpending ? ledger : null };
  const against = asked.against ?? (await findLastRun(asked.folder, place, surroundings));
  const order = orderByLastRun(against, asked.rules);
  const options = { ...asked.options, ...order, target, companion, ledger };
  const cautiousRate = options.maxRate === undefined ? maxRateOf(options) : null;
  return { options, waivers: asked.waivers, against, place, cautiousRate };
}

/**
 * Starts the run of a check in its folder. Where it spends nothing of the profile's partners, it is started
 * even if its state cannot be kept.
 *
 * @param command data of the command line, found again when the run is resumed
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE`, `RUN_FOLDER_IN_USE`, `STATE_DIRECTORY_UNKNOWN`
 * @throws FareproofError `STATE_NOT_WRITABLE`
 */
export async function startCheckRun(
  { options }: PreparedCheck,
  out: string | undefined,
  command: unknown,
  surroundings: Surroundings,
): Promise<CheckRun> {
  const folder = await prepareRunFolder(surroundings, 'conformance', Date.now(), out);
  try {
    const kept = await writing(notWritable(folder), async () =>
      ResumableRun.start(folder, stateDirectory(surroundings), command, await processWorld()),
    );
    return { folder, kept };
  } catch (error) {
    const isNeeded = spendsOfProfile(options.target, options.suite);
    const isNotKept = error instanceof FareproofError && NOT_KEPT.has(error.code);
    if (isNotKept && !isNeeded) return { folder, kept: null };
    await dropRunFolder(folder);
    throw error;
  }
}

const NOT_KEPT: ReadonlySet<string> = new Set([
  'STATE_DIRECTORY_UNKNOWN',
  'STATE_NOT_WRITABLE',
  'RUN_FOLDER_NOT_WRITABLE',
]);

/**
 * Opens the run of a folder, to continue it.
 *
 * @throws ConfigurationError `RESUME_NOTHING`, `RESUME_BROKEN`, `STATE_DIRECTORY_UNKNOWN`
 * @throws FareproofError `RUN_UNDER_WAY`, `STATE_NOT_WRITABLE`
 */
export async function resumeCheckRun(
  folder: string,
  surroundings: Surroundings,
): Promise<CheckRun> {
  const world = await processWorld();
  const kept = await ResumableRun.resume(folder, stateDirectory(surroundings), world);
  return { folder, kept };
}

/** Findings of a check. */
export interface JudgedCheck {
  readonly document: ConformanceDocument;
  /** Null for a target that answered. */
  readonly unreachable: UnreachableTarget | null;
}

/** True for a rule that a run with bans allowed judges. */
export const needsBans = ({ remedy }: Pick<RuleResult, 'remedy'>): boolean => asksForBans(remedy);

/** Callbacks and the end of a check. */
export interface CheckWatch
  extends Pick<CheckServiceOptions, 'onRequest' | 'onRule' | 'onWait' | 'onExplored' | 'signal'> {
  /** Takes the findings, also of a target that did not answer. */
  deliver(judged: JudgedCheck): Promise<void>;
  /** Called for a run that can be continued. */
  onUnfinished(): void;
}

/**
 * Judges a target by every rule that was asked for. The run keeps what resuming it needs until it is finished,
 * and is then the last one of its target.
 *
 * @throws UnreachableTarget after its findings are delivered, and as checkService
 */
export async function checkTarget(
  prepared: PreparedCheck,
  run: CheckRun,
  watch: CheckWatch,
): Promise<void> {
  const { folder, kept } = run;
  const abandon = (): void => {
    if (kept?.abandon()) watch.onUnfinished();
  };
  let judged: JudgedCheck;
  try {
    judged = await judge(prepared, kept, watch);
  } catch (error) {
    abandon();
    await dropRunFolder(folder);
    throw error;
  }
  await watch.deliver(judged);
  const { document, unreachable } = judged;
  if (unreachable) {
    abandon();
    throw unreachable;
  }
  if (kept?.settle(document)) watch.onUnfinished();
  const { only = [] } = prepared.options;
  if (only.length === 0) await recordLastRun(folder, document, prepared.place, Date.now());
}

/** Document of a check, its waivers applied; null for none. */
export function checkDocument(
  result: ServiceResult,
  { requireComplete, suite }: Pick<CheckServiceOptions, 'requireComplete' | 'suite'>,
  waivers: readonly Waiver[] | null,
): ConformanceDocument {
  const mustBeComplete = requireComplete || suite.requireComplete;
  const judged =
    waivers === null ? result : applyWaivers(result, waivers, mustBeComplete, Date.now());
  return { schemaVersion: SCHEMA_VERSION, tool: TOOL, ...judged };
}

async function judge(
  { options, waivers, against }: PreparedCheck,
  kept: ResumableRun | null,
  { onRequest, onRule, onWait, onExplored, signal }: CheckWatch,
): Promise<JudgedCheck> {
  const documentOf = (result: ServiceResult): ConformanceDocument =>
    withChanges(checkDocument(result, options, waivers), against);
  try {
    const result = await checkService({
      ...options,
      onRequest,
      onRule,
      onWait,
      onExplored,
      exploredBefore: against?.document.explored?.finds.map(({ walk }) => walk),
      signal,
      runLog: kept?.runLog,
      journal: spendsOfProfile(options.target, options.suite) ? kept?.openJournal() : undefined,
    });
    return { document: documentOf(result), unreachable: null };
  } catch (error) {
    if (!(error instanceof UnreachableTarget)) throw error;
    return { document: documentOf(error.result), unreachable: error };
  }
}
