/** Fields of a token request. */
export type Fields = Record<string, unknown>;

/** A token that the sample client received. */
export interface KeptToken {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** An answer that the sample client received. */
export interface SampleAnswer {
  readonly status: number;
  readonly text: string;
}

/** Deviations of the sample client from right behaviour; without any it is right. */
export interface Quirks {
  /** Prefix of all paths, `/v1` if it is right. */
  readonly prefix?: string;
  readonly tokenMethod?: string;
  readonly tokenContentType?: string;
  readonly tokenAuthorization?: (id: string, signature: string) => string;
  readonly sign?: (fields: Fields, key: string) => string;
  /** The fields of a token request, before they are signed. */
  readonly fields?: (fields: Fields) => Fields;
  readonly time?: (nowMs: number) => string;
  readonly nostr?: (random: () => string) => string;
  readonly scope?: (mode: string) => string | undefined;
  /** Number of refusals in a row after which no more tokens are requested. */
  readonly maxRefusals?: number;
  /** Time before expiry at which a token is replaced, ms; a negative one is after it. */
  readonly marginMs?: number;
  /** Replacement of the token before the n-th estimate; null for none. */
  readonly replaces?: (nth: number) => 'new' | 'refresh' | 'both' | null;
  /** False to request a new token in place of an expired one. */
  readonly refreshes?: boolean;
  /** Chooses the refresh_token to send from those received, the newest last. */
  readonly pickRefresh?: (received: readonly string[]) => string | undefined;
  /** True to send a refresh again if its answer is lost. */
  readonly resendsRefresh?: boolean;
  /** True to use a refused token again. */
  readonly reusesRefused?: boolean;
  readonly estimateMethod?: string;
  readonly estimateContentType?: string | null;
  readonly estimateAuthorization?: (header: string) => string;
  readonly query?: (query: Record<string, string>) => Record<string, string>;
  readonly encode?: (query: Record<string, string>) => string;
  /** Decides if the token of an answer is used. */
  readonly accepts?: (answer: SampleAnswer) => boolean;
  /** Reads the records of an estimate; throwing ends the client. */
  readonly read?: (records: readonly Record<string, unknown>[]) => void;
  /** True to end at a lost answer. */
  readonly endsOnLostAnswer?: boolean;
}
