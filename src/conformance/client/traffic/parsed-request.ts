/** The `Authorization` of a request, taken apart; secrets are pseudonyms. */
export interface ParsedAuthorization {
  /** `pair` is `Bearer ID|X`, `user` is `Bearer ID|SIGN openid|TOKEN`. */
  readonly form: 'missing' | 'pair' | 'user' | 'other';
  /** The scheme and shape in a parser's words, for `other`. */
  readonly shape: string;
  readonly partnerId: string | null;
  /** What stands in the place of SIGN or ACCESS_TOKEN of a pair, as a pseudonym. */
  readonly second: string | null;
  /** The access token of a user's header, as a pseudonym. */
  readonly userToken: string | null;
}

/** The body of a token request. */
export interface ParsedTokenBody {
  readonly body: 'json' | 'form' | 'other';
  /** JSON values by name, secrets as pseudonyms. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The query of an estimate request. */
export interface ParsedEstimateQuery {
  /** Decoded values by name, from the query; the last of two with one name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** What is wrong with the encoding of the query, in words; null for nothing. */
  readonly encodingFault: string | null;
}

/** What a signature turned out to be, secrets in the texts as pseudonyms. */
export interface SignatureFinding {
  readonly verdict: 'right' | 'explained' | 'unexplained';
  /** Ids, statements and advice of the mistakes that explain it. */
  readonly mistakes: readonly {
    readonly id: string;
    readonly statement: string;
    readonly advice: string;
  }[];
  readonly signedText: string | null;
  readonly canonical: string;
}

/** What came back, as far as a client may use it; tokens are pseudonyms. */
export interface ParsedAnswer {
  /** Null where no answer began. */
  readonly status: number | null;
  /** Whether the last byte went out. */
  readonly whole: boolean;
  readonly isJson: boolean;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  readonly expiresInS: number | null;
  readonly estimateIds: readonly string[];
}

/** What a request is about, by its path, or where that is wrong, by its content. */
export type RequestKind = 'token' | 'estimate' | 'other' | 'probe' | 'malformed';

/** What the server did on purpose to one exchange. */
export type StimulusKind =
  | 'failure'
  | 'lost-answer'
  | 'refusal'
  | 'carpool'
  | 'unknown-fields'
  | 'newer-token'
  | 'delay';

/** One request of a client, read; everything that a rule looks at, and no secret. */
export interface ParsedRequest {
  /** Id of its exchange. */
  readonly id: string;
  /** Null outside of scenarios. */
  readonly scenario: string | null;
  /** `elsewhere`: sent by the scenario itself, in another's place. */
  readonly sender: 'client' | 'elsewhere';
  /** By the server's clock, milliseconds since the epoch. */
  readonly receivedMs: number;
  /** When the last byte of the answer was out; null where the connection broke. */
  readonly finishedMs: number | null;
  readonly kind: RequestKind;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly contentType: string | null;
  readonly authorization: ParsedAuthorization;
  /** Whether the partner id is one that was given to the client; null where none is known. */
  readonly partnerKnown: boolean | null;
  readonly token: ParsedTokenBody | null;
  readonly estimate: ParsedEstimateQuery | null;
  /** Null where there is none to judge. */
  readonly signature: SignatureFinding | null;
  readonly answer: ParsedAnswer;
  readonly stimuli: readonly StimulusKind[];
}
