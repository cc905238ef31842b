/** Answer to a request of any kind. */
export interface Answer {
  /** Id of the exchange. */
  readonly exchange: string;
  /** 0 if no whole answer came. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
  /** `broken`: no whole answer, so the request was neither accepted nor refused. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  /** Reason for `broken`; else empty. */
  readonly failure: string;
  /** Target's time at which the request was sent and its answer was complete, ms. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** An answer of the token endpoint; a token is null if the answer has none. */
export interface TokenAnswer extends Answer {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** expires_in_second; null if it is not a positive number. */
  readonly expiresInSeconds: number | null;
}

/** An answer of the estimate endpoint; records are empty if the body is not a list of objects. */
export interface EstimateAnswer extends Answer {
  readonly records: readonly EstimateFields[];
}

/** One record of an estimate as received, not validated. */
export type EstimateFields = Readonly<Record<string, unknown>>;

/** Describes an answer: `status 401`, or what broke. */
export function describeAnswer(answer: Answer): string {
  return answer.outcome === 'broken' ? answer.failure : `status ${answer.status}`;
}
