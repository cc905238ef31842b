import type { GeneratorReport } from './generator-report.ts';

/** One generator of a plan, wherever it runs: in this thread, in another, on another machine. */
export interface GeneratorHandle {
  /** Resolves when it could begin at once. */
  ready: Promise<void>;
  /** @param startNs when the schedule begins, monotonic clock of the machine; may lie ahead */
  start(startNs: number): void;
  /** From now on requests carry this access token. */
  setToken(accessToken: string): void;
  /** Sends nothing more, and resolves when nothing is in flight. */
  pause(): Promise<void>;
  /** Sends again, with this access token. */
  resume(accessToken: string): void;
  /** Ends the run early; what was measured is reported. */
  abort(): void;
  /** Rejects where the generator itself failed. */
  report: Promise<GeneratorReport>;
}
