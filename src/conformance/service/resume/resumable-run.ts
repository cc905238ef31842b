import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RecordFile } from './record-file.ts';
import { type RunLog, resumeRunLog, startRunLog } from './run-log.ts';

const LOG_FILE = 'progress.jsonl';
const TOKENS_FILE = 'tokens.jsonl';

/** Result of a run, as far as it says whether the run is finished. */
interface EndedRun {
  readonly rules: readonly { readonly pendingUntil?: string | undefined }[];
  readonly interrupted?: boolean | undefined;
}

/** Files of a run in its folder, from which it can be resumed until it is finished. */
export class ResumableRun {
  readonly folder: string;
  readonly runLog: RunLog;

  private constructor(folder: string, runLog: RunLog) {
    this.folder = folder;
    this.runLog = runLog;
  }

  /**
   * Starts a new run; the files of an earlier one are overwritten.
   *
   * @param command data of the command line, JSON, found again as {@link command}
   */
  static start(folder: string, command: unknown): ResumableRun {
    rmSync(join(folder, TOKENS_FILE), { force: true });
    return new ResumableRun(folder, startRunLog(join(folder, LOG_FILE), command));
  }

  /**
   * Reads the files of an earlier run and continues it.
   *
   * @throws ConfigurationError `RESUME_NOTHING` if there is none, `RESUME_BROKEN` if it is damaged
   */
  static resume(folder: string): ResumableRun {
    return new ResumableRun(folder, resumeRunLog(join(folder, LOG_FILE)));
  }

  /** Data of the command line that started a resumed run. */
  get command(): unknown {
    return this.runLog.earlier?.command;
  }

  /** Opens the journal of the tokens of a metered target. */
  openJournal(): TokenJournal {
    return openTokenJournal(join(this.folder, TOKENS_FILE));
  }

  /**
   * Removes the files of a run that is finished.
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
   * Removes the files of a run that failed before it sent a request that counts.
   *
   * @returns whether it has sent one, and should be resumed
   */
  abandon(): boolean {
    const { hasSent, earlier } = this.runLog;
    if (!hasSent && !earlier) this.#remove();
    return hasSent;
  }

  #remove(): void {
    for (const file of [LOG_FILE, TOKENS_FILE]) rmSync(join(this.folder, file), { force: true });
  }
}

/** Line of the file. */
interface Entry {
  readonly partner: string;
  readonly received?: string;
  readonly used?: string;
  readonly access?: string;
}

type TokenKind = 'refresh_token' | 'access_token';

/** Tokens received and used, so that a resumed run has them and sends no refresh_token twice. */
export interface TokenJournal {
  /** Tokens of the earlier parts of the run, used refresh_tokens included. */
  readonly tokens: readonly { readonly kind: TokenKind; readonly token: string }[];
  /** Checks whether an earlier part of the run sent the refresh_token. */
  wasUsed(refreshToken: string): boolean;
  received(partner: string, refreshToken: string): void;
  /**
   * Writes the token to disk before it is sent.
   *
   * @throws FareproofError `RUN_NOT_RECORDED`
   */
  used(partner: string, refreshToken: string): void;
  receivedAccess(partner: string, accessToken: string): void;
}

/** Opens the journal of a run in a file that only its owner can read. */
export function openTokenJournal(path: string): TokenJournal {
  const file = new RecordFile(path);
  const entries = readEntries(path);
  const used = new Set(entries.map((entry) => entry.used));
  // The newline comes first: the line before may be torn.
  const lineOf = (entry: Entry): string => `\n${JSON.stringify(entry)}`;
  return {
    tokens: entries.flatMap(({ received, access }) => [
      ...(received === undefined ? [] : [{ kind: 'refresh_token' as const, token: received }]),
      ...(access === undefined ? [] : [{ kind: 'access_token' as const, token: access }]),
    ]),
    wasUsed: (refreshToken) => used.has(refreshToken),
    received: (partner, refreshToken) => file.append(lineOf({ partner, received: refreshToken })),
    used: (partner, refreshToken) => file.require(lineOf({ partner, used: refreshToken }), true),
    receivedAccess: (partner, accessToken) => file.append(lineOf({ partner, access: accessToken })),
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
