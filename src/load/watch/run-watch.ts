import { setMaxListeners } from 'node:events';
import type { ServerHealth } from '../../documents/load.ts';
import type { PlannedLoad } from '../plan-load.ts';
import { type ServerReading, serverHealthBetween } from '../record/usage.ts';
import type { EndedBy } from '../result/verdict.ts';
import { isTrue } from '../threshold.ts';
import type { RunProgress } from './progress.ts';

/** A run in progress. */
export interface WatchedRun {
  load: PlannedLoad;
  progress: RunProgress;
  /** Start of the schedule, monotonic clock. */
  startNs: number;
  /** Called about once a second. */
  onSecond: () => void;
}

const TICK_MS = 100;
const PROGRESS_MS = 1000;
const BACKLOG_INTERVAL_MS = 300;
/** Fewest outcomes from which a share is judged. */
const LEAST_OUTCOMES = 50;

/**
 * Watches a run: says when a second is over, reads the server's counters at both ends of the measured
 * window, and ends the run when it is interrupted or an abort condition comes true.
 */
export class RunWatch {
  readonly #run: WatchedRun;
  readonly #ending = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  readonly #onInterrupt = (): void => this.end();
  #reportedAtMs = 0;
  #backlogS = 0;
  #backlogSeenAtMs = 0;
  #growths = 0;
  #endedNs: number | null = null;
  #before: Promise<ServerReading | null> | null = null;
  #after: Promise<ServerReading | null> | null = null;

  /** The condition that ended the run early; null for none. */
  abortedOn: EndedBy | null = null;

  constructor(run: WatchedRun) {
    this.#run = run;
    // Each generator listens.
    setMaxListeners(0, this.#ending.signal);
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    const { signal } = run.load.context;
    if (signal?.aborted) this.end();
    else signal?.addEventListener('abort', this.#onInterrupt, { once: true });
  }

  /** Aborts when the run is to end before its time. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  stop(): void {
    clearInterval(this.#ticker);
    this.#run.load.context.signal?.removeEventListener('abort', this.#onInterrupt);
    this.#after ??= this.#readServer();
  }

  /** Length of the measured window, milliseconds: less than planned where the run ended early. */
  measuredMs(): number {
    const { load, startNs } = this.#run;
    const { plan } = load;
    const endedMs = this.#endedNs === null ? Number.POSITIVE_INFINITY : this.#endedNs / 1e6;
    return Math.max(0, Math.min(plan.durationMs, endedMs - startNs / 1e6 - plan.warmupMs));
  }

  /** Health of the server over the measured window; null if it cannot be read. */
  async serverHealth(): Promise<ServerHealth | null> {
    const [before, after] = await Promise.all([this.#before, this.#after]);
    return before && after ? serverHealthBetween(before, after) : null;
  }

  #tick(): void {
    const { load, startNs } = this.#run;
    const { context, plan } = load;
    const elapsedMs = (context.clock.monotonicNs() - startNs) / 1e6;
    if (elapsedMs >= plan.warmupMs) this.#before ??= this.#readServer();
    if (elapsedMs >= plan.warmupMs + plan.durationMs) this.#after ??= this.#readServer();
    if (elapsedMs - this.#reportedAtMs >= PROGRESS_MS) {
      this.#reportedAtMs = Math.floor(elapsedMs / PROGRESS_MS) * PROGRESS_MS;
      this.#run.onSecond();
    }
    this.#endOnCondition();
    this.#endOnBacklog(elapsedMs);
  }

  /** A backlog that keeps growing will not recover; one of a stall shrinks again. */
  #endOnBacklog(elapsedMs: number): void {
    const { mostBacklogS } = this.#run.load;
    if (mostBacklogS === undefined || this.#endedNs !== null) return;
    if (elapsedMs - this.#backlogSeenAtMs < BACKLOG_INTERVAL_MS) return;
    const { backlogS } = this.#run.progress;
    this.#growths = backlogS > mostBacklogS && backlogS > this.#backlogS ? this.#growths + 1 : 0;
    this.#backlogS = backlogS;
    this.#backlogSeenAtMs = elapsedMs;
    if (this.#growths < 2 || elapsedMs < this.#run.load.plan.warmupMs) return;
    this.abortedOn = { words: `a backlog of more than ${mostBacklogS} s` };
    this.end();
  }

  #endOnCondition(): void {
    const { load, progress } = this.#run;
    if (load.abortOn.length === 0 || this.#endedNs !== null) return;
    const { ok, failed } = progress.now();
    if (ok + failed < LEAST_OUTCOMES) return;
    const observation = progress.observe();
    const met = load.abortOn.find((condition) => isTrue(condition, observation));
    if (!met) return;
    this.abortedOn = { words: met.expression, condition: met };
    this.end();
  }

  /** Ends the run before its time. */
  end(): void {
    this.#endedNs ??= this.#run.load.context.clock.monotonicNs();
    this.#after ??= this.#readServer();
    this.#ending.abort();
  }

  /** Null if the server does not answer, which does not end the run. */
  async #readServer(): Promise<ServerReading | null> {
    try {
      return (await this.#run.load.context.probeServer?.()) ?? null;
    } catch {
      return null;
    }
  }
}
