/** Partner id and the key that signs its requests (interface.md, "Authentication"). */
export interface PartnerCredentials {
  readonly id: string;
  readonly signingKey: string;
}
