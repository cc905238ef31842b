import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RunLog, resumeRunLog, startRunLog } from './run-log.ts';
import { openTokenJournal, type TokenJournal } from './token-journal.ts';

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
   * @returns whether it is not finished: it was interrupted, or has rules pending
   */
  settle({ rules, interrupted }: EndedRun): boolean {
    const isPending = rules.some(({ pendingUntil }) => pendingUntil !== undefined);
    if (isPending || interrupted) return true;
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
