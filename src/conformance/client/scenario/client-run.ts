import type { ScenarioFrame } from '../../../documents/scenario.ts';

/** Environment variables that tell a client what to do (`fareproof certify --help`). */
export interface ClientEnvironment {
  readonly FAREPROOF_BASE_URL: string;
  readonly FAREPROOF_PARTNER_ID: string;
  readonly FAREPROOF_SIGNING_KEY: string;
  readonly FAREPROOF_AUTH_CODE: string;
  readonly FAREPROOF_SCENARIO: string;
  readonly FAREPROOF_MODE: string;
  readonly FAREPROOF_ESTIMATES: string;
  readonly FAREPROOF_INTERVAL_MS: string;
}

/** The end of a client's process. */
export interface ClientEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly ended: ScenarioFrame['ended'];
  /** Standard output and error, interleaved; not redacted. */
  readonly output: string;
}

/** Runs a client to its end; terminates it at the time limit, or when the signal aborts. */
export type RunClient = (
  environment: ClientEnvironment,
  timeLimitMs: number,
  signal: AbortSignal | null,
) => Promise<ClientEnd>;
