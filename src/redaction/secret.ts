/** Kind of a secret, used in its pseudonym. */
export type SecretKind =
  | 'signing_key'
  | 'signature'
  | 'access_token'
  | 'refresh_token'
  | 'auth_code'
  | 'control_token'
  | 'join_token'
  | 'header'
  /** Text like a token in an answer that is not understood. */
  | 'token'
  /** The same, if no header can carry it. */
  | 'text';

/** A text that must not be shown. */
export interface Secret {
  readonly kind: SecretKind;
  readonly text: string;
  /** Replaces the number in its pseudonym, as in `[signing_key p-100]`. */
  readonly label?: string | undefined;
}
