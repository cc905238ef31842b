import type { TransportFailure } from './failure.ts';

/** HTTP request as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Absolute URL, its query already encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Delays the last byte of the body until it resolves, so that several requests land together. */
  readonly gate?: Promise<void> | undefined;
  /** Uses a connection of its own, never a kept one that the target may be closing. */
  readonly ownConnection?: boolean | undefined;
}

/** HTTP response, decoded. */
export interface WireResponse {
  readonly status: number;
  /** Names in lower case; several of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bodyBytes: number;
  /** True if the body is longer than the cap. */
  readonly truncated: boolean;
}

/** Result of a request: a response or a failure, the other one null. */
export type WireOutcome =
  | { readonly response: WireResponse; readonly error: null }
  | { readonly response: null; readonly error: TransportFailure };

/** Outcome of a request, with the id of its evidence and the target's time around it, in ms. */
export interface RequestResult {
  readonly id: string;
  readonly outcome: WireOutcome;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Sends one request; never rejects for what the target does. */
export type Send = (request: WireRequest) => Promise<WireOutcome>;
