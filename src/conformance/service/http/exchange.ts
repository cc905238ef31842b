/**
 * Bytes of a body that are read; the connection is closed beyond them. A list of estimates has some
 * thousand; few answers as long as this are kept in memory.
 */
export const BODY_CAP_BYTES = 1024 * 1024;

/** Answer as it came, its body still encoded. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; several of one name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** True if the body is longer than the cap. */
  readonly truncated: boolean;
}

/** Progress of an exchange. */
export interface ExchangeProgress {
  isConnected: boolean;
  /** True once any byte of the answer came. */
  isBegun: boolean;
  /** True once the head of the answer was read. */
  isAnswered: boolean;
  /** True if its connection had other requests before. */
  isReused: boolean;
}

/** Request that is sent once, and its answer. */
export interface Exchange {
  /** Sends the request and reads the answer; rejects if none came whole. */
  answer(): Promise<RawAnswer>;
  /** Closes its connection. */
  destroy(): void;
}
