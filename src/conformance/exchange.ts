/** Header fields by name, as sent or with lower-case names as received; secrets redacted. */
export type HeaderFields = Readonly<Record<string, string>>;

/** One request and what came back: the evidence that a verdict points to, secrets redacted. */
export interface Exchange {
  /** `x1`, `x2` … in order of sending. */
  id: string;
  /** ISO 8601, wall clock. */
  at: string;
  /** ISO 8601, when it was sent by the target's clock, where that can be moved. */
  targetAt?: string | undefined;
  /** What the request was sent for. */
  purpose: string;
  partnerId: string | null;
  request: { method: string; url: string; headers: HeaderFields; body: string | null };
  response: {
    status: number;
    headers: HeaderFields;
    /** Decoded text, cut where `truncated` says so. */
    body: string;
    /** Bytes read of the body, at most the cap. */
    bodyBytes: number;
    truncated: boolean;
  } | null;
  /** What broke on the way, where no whole answer came back. */
  error: { code: string; message: string } | null;
  durationMs: number;
  /** Who sent it, and as its how-manieth: by this a stored run is judged again. */
  key?: string | undefined;
}
