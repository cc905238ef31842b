import type { Shape } from './target.ts';

/** A request body or the pairs of a signature: JSON values by field name, in order. */
export type Fields = Readonly<Record<string, unknown>>;

/** A token request to send. */
export interface TokenAttempt {
  readonly purpose: string;
  /** The body, its fields in this order. */
  readonly fields: Fields;
  /** Signed instead of `fields`. */
  readonly signed?: Fields | undefined;
  /** The text S to sign, instead of pairs. */
  readonly signedText?: string | undefined;
  /** Sent instead of the right signature. */
  readonly signature?: string | undefined;
  /** Key to sign with, instead of the partner's own. */
  readonly signingKey?: string | undefined;
  /** Partner id to send, instead of the partner's own. */
  readonly partnerId?: string | undefined;
  /** Makes the whole header from id and signature; null sends none. */
  readonly authorization?: ((id: string, signature: string) => string) | null | undefined;
  /** Sent instead of the JSON of `fields`. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Promise that the last byte of the request waits for. */
  readonly gate?: Promise<void> | undefined;
  /** True for a well-formed request; only these are used for observations. */
  readonly wellFormed?: boolean | undefined;
}

/** An estimate request to send. */
export interface EstimateAttempt {
  readonly purpose: string;
  /** Decoded parameters, in order. */
  readonly query: Readonly<Record<string, string>>;
  /** Sent instead of the base request's token. */
  readonly accessToken?: string | undefined;
  /** Header of a signed user estimate; default by the base request. */
  readonly as?: 'platform' | 'user' | undefined;
  readonly signature?: string | undefined;
  readonly signingKey?: string | undefined;
  readonly partnerId?: string | undefined;
  /** Makes the whole header from id and token; null sends none. */
  readonly authorization?: ((id: string, accessToken: string) => string) | null | undefined;
  /** Sent instead of the endpoint's path. */
  readonly path?: string | undefined;
  /** Sent instead of GET. */
  readonly method?: string | undefined;
  /** False omits the Content-Type. */
  readonly contentType?: false | undefined;
  /** Shape of the profile that the query brings. */
  readonly shape?: Shape | undefined;
  readonly wellFormed?: boolean | undefined;
}
