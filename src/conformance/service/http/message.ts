import type { SecureContextOptions } from 'node:tls';
import type { TransportFailure } from '../../../interface/connection-failure.ts';

/** Gateways may refuse requests without these, which `node:http` leaves out. */
export const USUAL_HEADERS = { 'user-agent': 'fareproof', accept: '*/*' } as const;

/** Holds back the last bytes of several requests, so that they land together. */
export interface Gate {
  /** Resolves when the last bytes may leave. */
  readonly opened: Promise<void>;
  /** Notes that one of the requests is under way. */
  readonly arrive: () => void;
}

/** HTTP request as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Absolute URL, its query already encoded. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Gate that the last byte of the body waits for. */
  readonly gate?: Gate | undefined;
  /** Uses a connection of its own, never a kept one that the target may be closing. */
  readonly ownConnection?: boolean | undefined;
  /**
   * Uses a kept connection all the same, where the target was seen to keep them. If that is closed
   * before any of the answer came, the request is sent again on a connection of its own.
   */
  readonly mayBeKept?: boolean | undefined;
  /**
   * Uses a new connection and the headers of a kept one, as the first request of a client does; or one
   * that saw nothing but accepted requests of this kind, where one is free.
   */
  readonly apart?: 'new' | 'unspoiled' | undefined;
  /** Name of a kept connection that only requests with this name use. */
  readonly connection?: string | undefined;
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

/** Limits and certificates of a transport. */
export interface TransportOptions {
  /** Limit of a whole exchange, connection and body included. */
  readonly timeoutMs: number;
  /** PEM texts. */
  readonly tls?: Readonly<Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>> | undefined;
  /** Time after which a kept connection without a request is closed. */
  readonly idleMs?: number | undefined;
  /** Leaves requests under way a short grace period when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Connections to one target. */
export interface Transport {
  readonly send: Send;
  /** Lets some ms pass in which connections open. */
  readonly pause: (forMs: number) => Promise<void>;
  close(): Promise<void>;
}

/** Opens a transport. */
export type OpenTransport = (options: TransportOptions) => Transport;
