import type { Shape } from './target.ts';

/** A request body or the pairs of a signature: JSON values by field name, in order. */
export type Fields = Readonly<Record<string, unknown>>;

/** A token request to send. */
export interface TokenAttempt {
  readonly purpose: string;
  /** The body, its fields in this order. */
  readonly fields: Fields;
  /** Signed in place of `fields`. */
  readonly signed?: Fields | undefined;
  /** The text S, signed as it is, in place of any pairs. */
  readonly signedText?: string | undefined;
  /** Sent in place of the right one. */
  readonly signature?: string | undefined;
  /** Signs in place of the partner's own. */
  readonly signingKey?: string | undefined;
  /** Named in place of the partner's own. */
  readonly partnerId?: string | undefined;
  /** The whole header made from the id and signature; null sends none. */
  readonly authorization?: ((id: string, signature: string) => string) | null | undefined;
  /** Sent in place of the JSON of `fields`. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** Held back at the last byte until this resolves. */
  readonly gate?: Promise<void> | undefined;
  /** Whether the request is as the interface asks; only such are observed by passive rules. */
  readonly wellFormed?: boolean | undefined;
}

/** An estimate request to send. */
export interface EstimateAttempt {
  readonly purpose: string;
  /** Decoded parameters, in order. */
  readonly query: Readonly<Record<string, string>>;
  /** Sent in place of the base request's. */
  readonly accessToken?: string | undefined;
  /** Header of a user estimate, signed; the base request's kind where left out. */
  readonly as?: 'platform' | 'user' | undefined;
  readonly signature?: string | undefined;
  readonly signingKey?: string | undefined;
  readonly partnerId?: string | undefined;
  /** The whole header made from id and token; null sends none. */
  readonly authorization?: ((id: string, accessToken: string) => string) | null | undefined;
  /** In place of the endpoint's path. */
  readonly path?: string | undefined;
  /** In place of GET. */
  readonly method?: string | undefined;
  /** False leaves the Content-Type out. */
  readonly contentType?: false | undefined;
  /** Which shape of the profile the query brings. */
  readonly shape?: Shape | undefined;
  readonly wellFormed?: boolean | undefined;
}
