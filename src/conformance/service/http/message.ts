/** Gateways may refuse requests without these, which `node:http` leaves out. */
export const USUAL_HEADERS = { 'user-agent': 'fareproof', accept: '*/*' } as const;

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

/** Codes of transport failures; with `CONNECT_` the target was never reached. */
export type TransportErrorCode =
  | 'CONNECT_REFUSED'
  | 'CONNECT_NAME_UNKNOWN'
  | 'CONNECT_TLS'
  | 'CONNECT_TIMEOUT'
  | 'CONNECT_FAILED'
  | 'TIMEOUT'
  | 'CONNECTION_BROKEN'
  | 'HTTP_MALFORMED'
  | 'BODY_UNDECODABLE'
  | 'TIMEOUT_MID_ANSWER'
  | 'TARGET_GIVEN_UP'
  | 'ANSWER_LOST'
  | 'INTERRUPTED';

/** Reason why a request got no complete response. */
export interface TransportFailure {
  readonly code: TransportErrorCode;
  readonly message: string;
}

const CODES: Readonly<Record<string, TransportErrorCode>> = {
  ECONNREFUSED: 'CONNECT_REFUSED',
  ENOTFOUND: 'CONNECT_NAME_UNKNOWN',
  EAI_AGAIN: 'CONNECT_NAME_UNKNOWN',
  EHOSTUNREACH: 'CONNECT_FAILED',
  ENETUNREACH: 'CONNECT_FAILED',
  EADDRNOTAVAIL: 'CONNECT_FAILED',
  ECONNRESET: 'CONNECTION_BROKEN',
  EPIPE: 'CONNECTION_BROKEN',
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|INVALID_CA)/;

/** Maps an error of a connection to a stable code. */
export function explainFailure(error: unknown): TransportFailure {
  const message = error instanceof Error ? error.message : String(error);
  for (const code of codesOf(error)) {
    const known = CODES[code];
    if (known) return { code: known, message: message || code };
    if (TLS_CODE.test(code)) return { code: 'CONNECT_TLS', message: `${message} (${code})` };
    if (code.startsWith('HPE_')) return { code: 'HTTP_MALFORMED', message };
  }
  return { code: 'CONNECTION_BROKEN', message };
}

/** Codes of an error, its parts and its causes: a connection tried on several addresses fails with several. */
function codesOf(error: unknown): string[] {
  if (error === null || typeof error !== 'object') return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const own = typeof code === 'string' ? [code] : [];
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(cause)];
}
