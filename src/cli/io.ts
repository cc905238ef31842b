import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { RunClock } from '../conformance/index.ts';
import type { RunContext } from '../load/index.ts';
import type { KnownSecrets } from './known-secrets.ts';

/** Access of a command to the process: streams, environment, folder, exit code, signals. */
export interface Io {
  readonly stdin: Readable;
  /** Receives the result. */
  readonly stdout: Writable;
  /** Receives progress and errors. */
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Secrets that the command has read; no line of {@link print} or {@link note} shows one. */
  readonly secrets: KnownSecrets;
  /** Left out, the machine's. */
  readonly clock?: RunClock | undefined;
  /** True if stdout is a terminal and colour is wanted (`NO_COLOR`). */
  readonly color: boolean;
  /** True if stderr is a terminal on which a line may be redrawn. */
  readonly interactive: boolean;
  /** Records the exit code; the last one counts. */
  exit(code: number): void;
  /** Clocks of a load, and the judge of its generators, in place of those of the machine. */
  readonly load?: Partial<Pick<RunContext, 'clock' | 'judgeGenerator'>>;
  /**
   * Writes a part of the result. What prevents it is reported when the command ends, with exit code 3 in
   * place of 0; the verdict stands.
   *
   * @returns whether it was written
   */
  deliver(write: () => Promise<unknown>): Promise<boolean>;
  /**
   * Listens for SIGINT, SIGTERM and SIGHUP and returns a signal that aborts on the first of them, with its
   * name as the reason. A second one ends the process at once.
   */
  interruption(): AbortSignal;
}

/** Access to a process, before a command runs in it. */
export type ProcessIo = Omit<Io, 'exit' | 'deliver' | 'secrets'>;

/** Writes a line of the result. */
export function print({ stdout, secrets }: Pick<Io, 'stdout' | 'secrets'>, line: string): void {
  stdout.write(`${secrets.hideIn(line)}\n`);
}

/** Writes a line of progress. */
export function note({ stderr, secrets }: Pick<Io, 'stderr' | 'secrets'>, line: string): void {
  stderr.write(`${secrets.hideIn(line)}\n`);
}

/** Waits until a signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
