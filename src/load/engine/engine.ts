import type { LoadClock } from '../clock.ts';
import type { LoadPlan } from '../plan/plan.ts';
import type { EstimateRequest } from '../workload/requests.ts';
import type { GeneratorHandle } from './generator.ts';
import type { GeneratorEvents } from './generator-report.ts';
import type { EngineName } from './names.ts';

/** A way to send the requests of a plan: what it can do, and its generators. */
export interface Engine {
  readonly name: EngineName;
  readonly can: {
    /** Sends at planned times, whatever becomes of earlier requests. */
    readonly openModel: boolean;
    /** Takes a new access token during a run; else the token must outlive the run. */
    readonly replacesTokens: boolean;
    /** Measures the time from when a request could have been sent to its write. */
    readonly seesSendLag: boolean;
  };
  /**
   * Returns the reason why the engine cannot run a load with these options, a sentence that names
   * the flag; or null. Called before anything is sent; the abilities above are judged by the
   * caller.
   */
  refuse(options: EngineOptions): string | null;
  /** Makes the generators of a plan ready to start; they send nothing before that. */
  prepare(run: EngineRun): Promise<GeneratorHandle[]>;
}

/** Options of a load that an engine may be unable to honour. */
export interface EngineOptions {
  readonly workers?: number | undefined;
  /** Share of the answers to validate, from 0 to 1. */
  readonly validateShare?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A plan about to be run. */
export interface EngineRun {
  plan: LoadPlan;
  /** Sent in turn; each generator starts at another one. */
  requests: readonly EstimateRequest[];
  accessToken: string;
  clock: LoadClock;
  /** Receives the updates of generator k. */
  events: (generator: number) => GeneratorEvents;
  /** Each generator in its own thread, or all in the calling one; the default depends on the engine. */
  placement?: 'threads' | 'inline' | undefined;
}
