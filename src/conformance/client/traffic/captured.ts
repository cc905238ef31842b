import type { StimulusKind } from '../../../documents/parsed-request.ts';

/** A request as the server received it; not redacted. */
export interface CapturedRequest {
  readonly method: string;
  /** Path and query as sent; each byte is one character. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Its connection; undefined for one that was recovered from broken bytes. */
  readonly connection?: object | undefined;
  /** Server clock, ms since the epoch. */
  readonly receivedMs: number;
  /** True if the connection ended before the announced end of the body. */
  readonly isIncomplete?: boolean | undefined;
}

/** The answer to a captured request; not redacted. */
export interface CapturedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request to the server and its answer; not redacted. */
export interface CapturedExchange {
  /** Null outside of scenarios. */
  readonly scenario: string | null;
  /** Attempt of the scenario, from 2; left out for the first. */
  readonly attempt?: number | undefined;
  /** `elsewhere`: sent by the scenario itself, as another system of the partner would. */
  readonly sender: 'client' | 'elsewhere';
  /** True for one that followed a redirect to another origin. */
  readonly isRedirected?: boolean | undefined;
  readonly request: CapturedRequest;
  /** Null if the connection broke before the answer began. */
  readonly answer: CapturedAnswer | null;
  /** Server clock, ms since the epoch; null if the connection broke before the last byte. */
  readonly finishedMs: number | null;
  readonly stimuli: readonly StimulusKind[];
  /** Number of its connection. */
  readonly connection?: number | undefined;
  /** Longest time that the request may have waited before it was noted, ms. */
  readonly delayMs?: number | undefined;
  /** Step of this machine's clock shortly before it ended, ms; left out for none. */
  readonly clockStepMs?: number | undefined;
  /** Time by which this machine's clock had been set since the run began, ms; left out for none. */
  readonly clockSetByMs?: number | undefined;
  /** True if the request may have been sent before an earlier answer had been received. */
  readonly overlaps?: boolean | undefined;
  /** The bytes were not valid HTTP; the request is what could be recovered from them. */
  readonly malformed?: boolean;
  /** The service refused the request without its body, which is not known. */
  readonly isUnread?: boolean;
}
