import type { Readable, Writable } from 'node:stream';
import type { Surroundings } from '../app/surroundings.ts';

/** Access of a command to the process: streams, environment, folder, exit code, signals. */
export interface Io extends Surroundings {
  readonly stdin: Readable;
  /** Receives the result. */
  readonly stdout: Writable;
  /** Receives progress and errors. */
  readonly stderr: Writable;
  /** True if stdout is a terminal and colour is wanted (`NO_COLOR`). */
  readonly color: boolean;
  /** True if stderr is a terminal on which a line may be redrawn. */
  readonly interactive: boolean;
  /** Records the exit code; the last one counts. */
  exit(code: number): void;
  /**
   * Writes a part of the result. What prevents it is reported when the command ends, with exit code 3 in
   * place of 0; the verdict stands.
   *
   * @returns whether it was written
   */
  deliver(write: () => Promise<unknown>): Promise<boolean>;
}

/** Access to a process, before a command runs in it. */
export type ProcessIo = Omit<Io, 'exit' | 'deliver' | 'secrets' | 'note'>;

/** Writes a line of the result. */
export function print({ stdout, secrets }: Pick<Io, 'stdout' | 'secrets'>, line: string): void {
  stdout.write(`${secrets.hideIn(line)}\n`);
}
