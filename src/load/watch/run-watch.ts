import type { LoadOptions } from '../options.ts';
import type { LoadPlan } from '../plan/plan.ts';
import {
  type ServerHealth,
  type ServerReading,
  serverHealthBetween,
} from '../record/server-probe.ts';
import { judgeThreshold } from '../threshold.ts';
import type { RunProgress } from './progress.ts';

/** What is watched while a run goes on. */
export interface WatchedRun {
  options: LoadOptions;
  plan: LoadPlan;
  progress: RunProgress;
  /** When the first request is planned, monotonic clock. */
  startNs: number;
}

const TICK_MS = 100;
const PROGRESS_MS = 1000;
const BACKLOG_LOOK_MS = 300;
/** Fewer outcomes than this say nothing about a share. */
const LEAST_OUTCOMES = 50;

/**
 * Beside a run: tells of its progress, reads the server at both ends of the measured window, and ends
 * the run when it is interrupted or an abort condition comes true.
 */
export class RunWatch {
  readonly #run: WatchedRun;
  readonly #ending = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  readonly #onInterrupt = (): void => this.#end();
  #toldAtMs = 0;
  #backlogS = 0;
  #backlogSeenAtMs = 0;
  #growths = 0;
  #endedNs: number | null = null;
  #before: Promise<ServerReading | null> | null = null;
  #after: Promise<ServerReading | null> | null = null;

  /** What ended the run early, as a condition; null for nothing. */
  abortedOn: string | null = null;

  constructor(run: WatchedRun) {
    this.#run = run;
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    const { signal } = run.options;
    if (signal?.aborted) this.#end();
    else signal?.addEventListener('abort', this.#onInterrupt, { once: true });
  }

  /** Aborts when the run is to end before its time. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  stop(): void {
    clearInterval(this.#ticker);
    this.#run.options.signal?.removeEventListener('abort', this.#onInterrupt);
    this.#after ??= this.#readServer();
  }

  /** How long the measured window was, milliseconds: less than planned where the run ended early. */
  measuredMs(): number {
    const { plan, startNs } = this.#run;
    const endedMs = this.#endedNs === null ? Number.POSITIVE_INFINITY : this.#endedNs / 1e6;
    return Math.max(0, Math.min(plan.durationMs, endedMs - startNs / 1e6 - plan.warmupMs));
  }

  /** The server over the measured window; null where it cannot be seen. */
  async serverHealth(): Promise<ServerHealth | null> {
    const [before, after] = await Promise.all([this.#before, this.#after]);
    return before && after ? serverHealthBetween(before, after) : null;
  }

  #tick(): void {
    const { options, plan, progress, startNs } = this.#run;
    const elapsedMs = (options.clock.monotonicNs() - startNs) / 1e6;
    if (elapsedMs >= plan.warmupMs) this.#before ??= this.#readServer();
    if (elapsedMs >= plan.warmupMs + plan.durationMs) this.#after ??= this.#readServer();
    if (elapsedMs - this.#toldAtMs >= PROGRESS_MS) {
      this.#toldAtMs = Math.floor(elapsedMs / PROGRESS_MS) * PROGRESS_MS;
      options.onProgress?.(progress.tell());
    }
    this.#endOnCondition();
    this.#endOnBacklog(elapsedMs);
  }

  /** A backlog that only grows says all there is to say; a stall makes one that shrinks again. */
  #endOnBacklog(elapsedMs: number): void {
    const { mostBacklogS } = this.#run.options;
    if (mostBacklogS === undefined || this.#endedNs !== null) return;
    if (elapsedMs - this.#backlogSeenAtMs < BACKLOG_LOOK_MS) return;
    const { backlogS } = this.#run.progress;
    this.#growths = backlogS > mostBacklogS && backlogS > this.#backlogS ? this.#growths + 1 : 0;
    this.#backlogS = backlogS;
    this.#backlogSeenAtMs = elapsedMs;
    if (this.#growths < 2 || elapsedMs < this.#run.plan.warmupMs) return;
    this.abortedOn = `a backlog of more than ${mostBacklogS} s`;
    this.#end();
  }

  #endOnCondition(): void {
    const { options, progress } = this.#run;
    if (!options.abortOn?.length || this.#endedNs !== null) return;
    const { ok, failed } = progress.now();
    if (ok + failed < LEAST_OUTCOMES) return;
    const observation = progress.observe();
    const met = options.abortOn.find((condition) => judgeThreshold(condition, observation).held);
    if (!met) return;
    this.abortedOn = met.expression;
    this.#end();
  }

  #end(): void {
    this.#endedNs ??= this.#run.options.clock.monotonicNs();
    this.#after ??= this.#readServer();
    this.#ending.abort();
  }

  /** A server that does not tell is no reason to lose the run. */
  async #readServer(): Promise<ServerReading | null> {
    try {
      return (await this.#run.options.probeServer?.()) ?? null;
    } catch {
      return null;
    }
  }
}
