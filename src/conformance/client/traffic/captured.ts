import type { ParsedRequest } from '../../../documents/parsed-request.ts';

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
export interface CapturedExchange
  extends Pick<
    ParsedRequest,
    | 'scenario'
    | 'attempt'
    | 'sender'
    | 'isRedirected'
    | 'finishedMs'
    | 'stimuli'
    | 'connection'
    | 'delayMs'
    | 'clockStepMs'
    | 'clockSetByMs'
    | 'overlaps'
  > {
  readonly request: CapturedRequest;
  /** Null if the connection broke before the answer began. */
  readonly answer: CapturedAnswer | null;
  /** The bytes were not valid HTTP; the request is what could be recovered from them. */
  readonly malformed?: boolean;
  /** The service refused the request without its body, which is not known. */
  readonly isUnread?: boolean;
}
