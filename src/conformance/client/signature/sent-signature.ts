import type { SignaturePairs } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';

/** Fields that are signed (gaps `signed-fields-token`, `signed-fields-estimate`). */
export interface SignedFields {
  readonly token: 'all' | readonly string[];
  readonly estimate: 'all' | readonly string[];
}

/** The documented fields: all that are sent. */
export const ALL_FIELDS: SignedFields = { token: 'all', estimate: 'all' };

/** A signature as sent, with the parts of the request that it may cover. */
export interface SentSignature {
  readonly kind: 'token' | 'estimate';
  readonly partner: PartnerCredentials;
  readonly signature: string;
  readonly pairs: SignaturePairs;
  /** Encoded values of the query; null for a token request. */
  readonly encodedPairs: Readonly<Record<string, string>> | null;
  /** Body of a token request, as sent. */
  readonly bodyText?: string | undefined;
  /** The access token of the same request. */
  readonly token: string | null;
  /** Values of earlier requests. */
  readonly earlier: EarlierValues;
  readonly signedFields: SignedFields;
}

/** Values of `_` and nostr in earlier token requests. */
export interface EarlierValues {
  readonly _: readonly unknown[];
  readonly nostr: readonly unknown[];
}
