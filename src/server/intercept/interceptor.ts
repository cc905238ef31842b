/** A whole request, as it came in over HTTP. */
export interface InterceptedRequest {
  readonly method: string;
  /** Path and query as they were sent; each byte is one character. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values in turn, as they were sent; each byte is one character. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** Identity of the connection that it came over. */
  readonly connection: object;
  /** End of its head, by the server's clock, in milliseconds since the epoch. */
  readonly receivedMs: number;
}

/** An answer as text. */
export interface InterceptedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer byte for byte. */
export interface RawAnswer {
  readonly statusText: string;
  /** Names and values in turn, without hop-by-hop headers; each byte is one character. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** An answer, with the delay and the cut to apply when it is sent. */
export interface OutgoingAnswer extends InterceptedAnswer {
  /** Sent in place of `headers` and `body`, which then only describe it. */
  readonly raw?: RawAnswer | undefined;
  /** Milliseconds before its first byte. */
  readonly delayMs?: number | undefined;
  /** Sends half of the body, then closes the connection. */
  readonly cut?: boolean | undefined;
}

/** A request and its answer. */
export interface InterceptedExchange {
  readonly request: InterceptedRequest;
  readonly answer: InterceptedAnswer;
  /**
   * Time of the last byte of the answer, by the server's clock; null if it was cut off, or if its client
   * was gone by then.
   */
  readonly finishedMs: number | null;
}

/**
 * Sees every exchange of a server and may answer or change answers. It must not throw: where it
 * fails to give an answer, the server answers 500.
 */
export interface Interceptor {
  /** Called when a client has opened a connection. */
  onConnect?(connection: object): void;
  /** Answers in place of the service, which then never sees the request; null lets it pass. */
  respond?(request: InterceptedRequest): OutgoingAnswer | null | Promise<OutgoingAnswer | null>;
  /** Changes the service's answer; the service has committed to it by then. */
  rewrite?(
    request: InterceptedRequest,
    answer: InterceptedAnswer,
  ): OutgoingAnswer | Promise<OutgoingAnswer>;
  /** Called once an answer was sent, or its connection ended. */
  onExchange(exchange: InterceptedExchange): void;
  /** Called with a request whose connection ended before its body did. */
  onAborted?(request: InterceptedRequest): void;
  /** Called with a request that was refused before its body was read, which is left out. */
  onUnread?(request: InterceptedRequest, answer: InterceptedAnswer): void;
  /** Called with bytes that are not an HTTP request. */
  onMalformed?(bytes: Uint8Array, receivedMs: number): void;
}
