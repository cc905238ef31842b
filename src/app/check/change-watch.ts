import { statSync } from 'node:fs';
import type { RunClock } from '../../conformance/index.ts';
import { ConfigurationError } from '../../interface/errors.ts';

/** Target and files that may change. */
export interface Watched {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Tells whether the target accepts connections; null if that is unknown. */
  readonly accepts: () => Promise<boolean | null>;
  /** Called while the target is waited for, once files that were written are whole: it may be elsewhere now. */
  readonly onWritten: () => Promise<void>;
  readonly clock: Pick<RunClock, 'sleep'>;
  /** Time between two looks, ms. */
  readonly everyMs: number;
}

/** Looks for what makes a target worth judging again: a restart, or a file that was written. */
export class ChangeWatch {
  readonly #watched: Watched;
  readonly #stamps: Map<string, string>;

  /** @throws ConfigurationError `FILE_NOT_READ` for what is not a file */
  constructor(watched: Watched) {
    this.#watched = watched;
    this.#stamps = new Map(watched.files.map((file) => [file, stampOf(file) ?? refuse(file)]));
  }

  /** Waits for a refused connection or a written file; returns what it was, or null once the signal aborts. */
  async changed(signal: AbortSignal): Promise<string | null> {
    const { accepts, clock, everyMs } = this.#watched;
    while (!signal.aborted) {
      const [file] = this.#written();
      if (file !== undefined) return `${file} was written`;
      if ((await accepts()) === false) return 'the target refuses connections';
      await clock.sleep(everyMs, signal);
    }
    return null;
  }

  /** Waits until the target accepts connections and no file is being written; false once the signal aborts. */
  async settled(signal: AbortSignal): Promise<boolean> {
    const { accepts, onWritten, clock, everyMs } = this.#watched;
    let wasWritten = false;
    while (!signal.aborted) {
      const written = this.#written();
      for (const file of written) this.#stamps.set(file, stampOf(file) ?? '');
      if (written.length === 0) {
        if (wasWritten) await onWritten();
        if (await accepts()) return true;
      }
      wasWritten = written.length > 0;
      await clock.sleep(everyMs, signal);
    }
    return false;
  }

  /** Files that are not as they were; one that is missing may be about to be replaced. */
  #written(): string[] {
    return [...this.#stamps].flatMap(([file, former]) => {
      const stamp = stampOf(file);
      return stamp === null || stamp === former ? [] : [file];
    });
  }
}

function refuse(file: string): never {
  throw new ConfigurationError('FILE_NOT_READ', `${file} is not a file.`, { field: 'watch' });
}

/** Changes whenever a file is written or replaced; null where there is none. */
function stampOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : null;
}
