/** What came back, whatever was asked. */
export interface Answer {
  /** Id of the exchange. */
  readonly exchange: string;
  /** 0 where no whole answer came. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly truncated: boolean;
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown;
  /** `broken`: no whole answer, which neither accepts nor refuses. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  /** What broke; empty where nothing did. */
  readonly failure: string;
  /** Target's time, in ms, when the request went out and when its answer was there. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** An answer of the token endpoint; a token is null where the answer holds no usable text. */
export interface TokenAnswer extends Answer {
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** expires_in_second, null where it is no positive number. */
  readonly expiresInSeconds: number | null;
}

/** An answer of the estimate endpoint; records are empty where the body is no list of objects. */
export interface EstimateAnswer extends Answer {
  readonly records: readonly EstimateFields[];
}

/** One record of an estimate as it came, nothing assumed of it. */
export type EstimateFields = Readonly<Record<string, unknown>>;

/** `status 401`, or what broke. */
export function describeAnswer(answer: Answer): string {
  return answer.outcome === 'broken' ? answer.failure : `status ${answer.status}`;
}
