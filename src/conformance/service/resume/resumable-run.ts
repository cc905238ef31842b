import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE, replaceFile } from '../../../files/write-file.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import type { HeldLock, LockWorld } from '../../../spending/index.ts';
import { RecordFile } from './record-file.ts';
import { type RunLog, resumeRunLog, startRunLog } from './run-log.ts';
import { isRunId, isUnderWay, stateNotWritable, statePath, takeState } from './state-folder.ts';

const LOG_FILE = 'progress.jsonl';
const TOKENS_FILE = 'tokens.jsonl';
/** File in the folder of an unfinished run that names its state; it may be published, as the id is random. */
const ID_FILE = 'run-id';

/** Result of a run, as far as it says whether the run is finished. */
interface EndedRun {
  readonly rules: readonly { readonly pendingUntil?: string | undefined }[];
  readonly interrupted?: boolean | undefined;
}

/**
 * A run that can be resumed until it is finished. What that needs is private, and lies in the state directory
 * by the id of the run; the folder of the run has the id. This process has the run until it closes it.
 */
export class ResumableRun {
  readonly folder: string;
  readonly runLog: RunLog;
  readonly #id: string;
  readonly #state: string;
  readonly #lock: HeldLock;

  private constructor(
    folder: string,
    id: string,
    state: string,
    lock: HeldLock,
    open: (path: string) => RunLog,
  ) {
    this.folder = folder;
    this.#id = id;
    this.#state = state;
    this.#lock = lock;
    try {
      this.runLog = open(join(state, LOG_FILE));
    } catch (error) {
      lock.release();
      throw error instanceof FareproofError ? error : stateNotWritable(state, error);
    }
  }

  /**
   * Starts a new run, which takes the place of an earlier one in its folder.
   *
   * @param command data of the command line, JSON, found again as {@link command}
   * @throws ConfigurationError `RUN_FOLDER_IN_USE` if the earlier one is under way
   * @throws FareproofError `STATE_NOT_WRITABLE`
   * @throws NodeJS.ErrnoException if the folder cannot be written
   */
  static async start(
    folder: string,
    stateDirectory: string,
    command: unknown,
    world: LockWorld,
  ): Promise<ResumableRun> {
    const former = idIn(folder);
    if (former !== null && isUnderWay(stateDirectory, former, world)) throw inUse(folder);
    const id = world.nonce();
    const lock = await takeState(stateDirectory, id, world);
    const open = (path: string): RunLog => startRunLog(path, command);
    const run = new ResumableRun(folder, id, statePath(stateDirectory, id), lock, open);
    try {
      replaceFile(join(folder, ID_FILE), `${id}\n`);
      return run;
    } catch (error) {
      run.#remove();
      throw error;
    }
  }

  /**
   * Continues the run of a folder.
   *
   * @throws ConfigurationError `RESUME_NOTHING` if the folder has none or its state is gone, `RESUME_BROKEN` if
   *   that is damaged
   * @throws FareproofError `RUN_UNDER_WAY` if another process has it, `STATE_NOT_WRITABLE`
   */
  static async resume(
    folder: string,
    stateDirectory: string,
    world: LockWorld,
  ): Promise<ResumableRun> {
    const id = idIn(folder);
    if (id === null) throw nothingIn(folder, stateDirectory);
    const state = statePath(stateDirectory, id);
    if (!existsSync(join(state, LOG_FILE))) throw stateless(folder, state);
    const lock = await takeState(stateDirectory, id, world);
    return new ResumableRun(folder, id, state, lock, resumeRunLog);
  }

  /** Data of the command line that started a resumed run. */
  get command(): unknown {
    return this.runLog.earlier?.command;
  }

  /** Opens the journal of the tokens of a metered target. */
  openJournal(): TokenJournal {
    return openTokenJournal(join(this.#state, TOKENS_FILE));
  }

  /**
   * Removes the state of a run that is finished.
   *
   * @returns whether it is not finished: it was interrupted, has rules pending, or could not be recorded
   */
  settle({ rules, interrupted }: EndedRun): boolean {
    const isPending = rules.some(({ pendingUntil }) => pendingUntil !== undefined);
    if (isPending || interrupted || this.runLog.isShort) return true;
    this.#remove();
    return false;
  }

  /**
   * Removes the state of a run that failed before it sent a request that counts.
   *
   * @returns whether it has sent one, and should be resumed
   */
  abandon(): boolean {
    const { hasSent, earlier } = this.runLog;
    if (!hasSent && !earlier) this.#remove();
    return hasSent;
  }

  /** Leaves the run to other processes; harmless when called again. */
  close(): void {
    this.#lock.release();
  }

  #remove(): void {
    // First the name: another run may have taken the place of this one in the folder.
    if (idIn(this.folder) === this.#id) rmSync(join(this.folder, ID_FILE), { force: true });
    rmSync(this.#state, { recursive: true, force: true });
    this.close();
  }
}

/** Id that a folder has of its run; null for none. */
function idIn(folder: string): string | null {
  try {
    const id = readFileSync(join(folder, ID_FILE), 'utf8').trim();
    return isRunId(id) ? id : null;
  } catch {
    return null;
  }
}

function inUse(folder: string): ConfigurationError {
  return new ConfigurationError(
    'RUN_FOLDER_IN_USE',
    (name) =>
      `${folder}: another check is writing to this folder; wait until it ends, or choose another one with ${name('out')}.`,
  );
}

function nothingIn(folder: string, stateDirectory: string): ConfigurationError {
  if (existsSync(join(folder, 'run.json'))) {
    return new ConfigurationError(
      'RESUME_NOTHING',
      `${folder}: the run is finished, so that there is nothing to resume. Start a new run.`,
    );
  }
  return new ConfigurationError(
    'RESUME_NOTHING',
    `${folder}: there is no unfinished run to resume: no file ${ID_FILE} names one of ${statePath(stateDirectory, '')}. Start a new run.`,
  );
}

function stateless(folder: string, state: string): ConfigurationError {
  return new ConfigurationError(
    'RESUME_NOTHING',
    `${folder}: the run cannot be resumed without its state ${state}, which does not exist; it is deleted 30 days after its last change. If it was kept elsewhere, set FAREPROOF_STATE_DIR to that state directory; otherwise start a new run.`,
  );
}

/** Line of the file. */
interface Entry {
  readonly partner: string;
  readonly received?: string | undefined;
  readonly access?: string | undefined;
  readonly used?: string;
  readonly refused?: string;
}

type TokenKind = 'refresh_token' | 'access_token';

/** Tokens of one answer; left out where they cannot be sent. */
export interface ReceivedTokens {
  readonly refresh?: string | undefined;
  readonly access?: string | undefined;
}

/** Tokens received and used, so that a resumed run has them and sends no refresh_token twice. */
export interface TokenJournal {
  /** Tokens of the earlier parts of the run, used refresh_tokens included. */
  readonly tokens: readonly { readonly kind: TokenKind; readonly token: string }[];
  /** Checks whether an earlier part of the run sent the refresh_token, and it was not refused. */
  wasUsed(refreshToken: string): boolean;
  /** Writes tokens to disk: what a run learns with one cannot be replayed without it. */
  received(partner: string, tokens: ReceivedTokens): void;
  /**
   * Writes the token to disk before it is sent.
   *
   * @throws FareproofError `RUN_NOT_RECORDED`
   */
  used(partner: string, refreshToken: string): void;
  /** Notes that it was refused when it was sent last: that uses no token up. */
  refused(partner: string, refreshToken: string): void;
}

/** Opens the journal of a run in a file that only its owner can read. */
export function openTokenJournal(path: string): TokenJournal {
  const file = new RecordFile(path);
  // Its name is on disk from the start: a synced line of a file without one is lost with the power.
  if (!existsSync(path)) file.attempt(() => replaceFile(path, '', PRIVATE));
  const entries = readEntries(path);
  /** Requests with each refresh_token that were not refused. */
  const uses = new Map<string, number>();
  const count = (token: string | undefined, by: number): void => {
    if (token !== undefined) uses.set(token, (uses.get(token) ?? 0) + by);
  };
  for (const { used, refused } of entries) {
    count(used, 1);
    count(refused, -1);
  }
  // The newline comes first: the line before may be torn.
  const lineOf = (entry: Entry): string => `\n${JSON.stringify(entry)}`;
  return {
    tokens: entries.flatMap(({ received, access }) => [
      ...(access === undefined ? [] : [{ kind: 'access_token' as const, token: access }]),
      ...(received === undefined ? [] : [{ kind: 'refresh_token' as const, token: received }]),
    ]),
    wasUsed: (refreshToken) => (uses.get(refreshToken) ?? 0) > 0,
    received: (partner, { refresh: received, access }) =>
      file.append(lineOf({ partner, received, access }), true),
    used: (partner, refreshToken) => file.require(lineOf({ partner, used: refreshToken }), true),
    refused: (partner, refreshToken) => file.append(lineOf({ partner, refused: refreshToken })),
  };
}

function readEntries(path: string): Entry[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseEntry);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A torn line is the last one of a run that died: its token had not been sent. */
function parseEntry(line: string): Entry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}
