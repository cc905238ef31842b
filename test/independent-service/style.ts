/** Differences between conforming services that the interface allows. */
export interface Style {
  readonly name: string;
  /** Status of a refusal, by what is refused; any but 200. */
  readonly refusal: (why: string) => number;
  readonly errorBody: 'none' | 'text' | 'json' | 'html';
  readonly chunked: boolean;
  readonly closes: boolean;
  readonly upperCaseHeaders: boolean;
  readonly contentType: string | null;
  readonly extraFields: boolean;
  readonly tagAsText: boolean;
  readonly tokenType: string;
  readonly replayEndsFamily: boolean;
  readonly nostrOnce: boolean;
  readonly failedCount: boolean;
  readonly banReach: 'kind' | 'tokens' | 'everything';
  /** Hours east of UTC of the midnight at which a day ends, or the last 24 hours. */
  readonly day: number | 'rolling';
  readonly userAllowancePer: 'user' | 'partner';
  readonly extendsBan: boolean;
  readonly tokenFields: 'all' | readonly string[];
  /** Fields that a token request must not have. */
  readonly refusesUnknownFields: boolean;
  /** Validity of an access_token, in seconds. */
  readonly expiresIn: number;
  /** Times that `_` may have, of those that are ISO 8601. */
  readonly timeForm?: RegExp | undefined;
  /** Time by which the clock is behind, and that `_` may be ahead of it; ms. */
  readonly clockBehindMs?: number | undefined;
  readonly futureMs?: number | undefined;
  readonly floatsAsIntegers: boolean;
  /** Minutes of the day (UTC) in which a ride is more expensive; by default a few hours. */
  readonly dearMinutes?: readonly [number, number] | undefined;
  /** Maximum time that a departure may lie ahead; unlimited if omitted. */
  readonly aheadMinutes?: number | undefined;
  /** True if an unsolicited `100 Continue` is sent before each answer. */
  readonly continuesUnasked?: boolean | undefined;
  /** Time before each answer, in ms. */
  readonly delayMs?: number | undefined;
  /** True if a request without Authorization gets no answer, but a closed connection. */
  readonly dropsUnauthorized?: boolean | undefined;
  /** Requests that are refused whatever they are, by their number from 1 on; such as a rate limit. */
  readonly limit?: Limit | undefined;
  /** Body of a refusal, instead of `errorBody`. */
  readonly refusalBody?: string | undefined;
  /** Text of an answer, from its JSON. */
  readonly write?: ((json: unknown) => string) | undefined;
  /** Header fields of each answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True if a field may not be sent empty. */
  readonly refusesEmptyFields?: boolean | undefined;
}

/** A limit of a service's own. */
export interface Limit {
  readonly status: number;
  readonly endpoint?: 'token' | 'estimate' | undefined;
  /** Seconds. */
  readonly retryAfter?: string | undefined;
  /** True if the request of that number, at that time in ms, is refused. */
  readonly isOver: (number: number, recentMs: readonly number[], nowMs: number) => boolean;
}

const KNOWN_FIELDS = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];

/** Three services that follow every rule and differ in everything else. */
export const STYLES: readonly Style[] = [
  {
    name: 'plain',
    refusal: () => 400,
    errorBody: 'json',
    chunked: false,
    closes: false,
    upperCaseHeaders: false,
    contentType: 'application/json',
    extraFields: false,
    tagAsText: false,
    tokenType: 'bearer',
    replayEndsFamily: false,
    nostrOnce: false,
    failedCount: false,
    banReach: 'kind',
    day: 0,
    userAllowancePer: 'partner',
    extendsBan: false,
    tokenFields: 'all',
    refusesUnknownFields: false,
    expiresIn: 7200,
    floatsAsIntegers: false,
  },
  {
    name: 'strict',
    refusal: () => 500,
    errorBody: 'none',
    chunked: true,
    closes: true,
    upperCaseHeaders: true,
    contentType: 'application/json; charset="utf-8"',
    extraFields: true,
    tagAsText: true,
    tokenType: 'bear',
    replayEndsFamily: true,
    nostrOnce: true,
    failedCount: true,
    banReach: 'everything',
    day: 'rolling',
    userAllowancePer: 'user',
    extendsBan: true,
    tokenFields: KNOWN_FIELDS,
    refusesUnknownFields: false,
    expiresIn: 600,
    floatsAsIntegers: true,
  },
  {
    name: 'odd',
    refusal: (why) => ({ signature: 302, token: 204, banned: 418 })[why] ?? 422,
    errorBody: 'html',
    chunked: true,
    closes: false,
    upperCaseHeaders: true,
    contentType: null,
    extraFields: true,
    tagAsText: true,
    tokenType: 'Bearer',
    replayEndsFamily: true,
    nostrOnce: true,
    failedCount: true,
    banReach: 'tokens',
    day: 8,
    userAllowancePer: 'user',
    extendsBan: true,
    tokenFields: 'all',
    refusesUnknownFields: false,
    expiresIn: 86_400 * 3,
    floatsAsIntegers: true,
  },
];
