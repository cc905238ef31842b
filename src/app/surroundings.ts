import { once } from 'node:events';
import type { RunClock } from '../conformance/index.ts';
import type { RunContext } from '../load/index.ts';
import type { KnownSecrets } from './known-secrets.ts';

/** Access of a use case to its process; it has no other, and prints nothing. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Secrets that were read from profiles or the environment, which no line may show. */
  readonly secrets: KnownSecrets;
  /** Left out, the machine's. */
  readonly clock?: RunClock | undefined;
  /** Clocks of a load, and the judge of its generators, in place of those of the machine. */
  readonly load?: Partial<Pick<RunContext, 'clock' | 'findFaults'>>;
  /** Takes a line of progress, or a warning. */
  note(line: string): void;
  /**
   * Listens for SIGINT, SIGTERM and SIGHUP and returns a signal that aborts on the first of them, with its
   * name as the reason. A second one ends the process at once.
   */
  interruption(): AbortSignal;
}

/** Waits until a signal aborts. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
