/** A request whose head and body are whole, before its path is looked at. */
export interface ServiceRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Text after the `?`, as it was sent. */
  readonly rawQuery: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** Address of the server, for links in answers. */
  readonly baseUrl: string;
}
