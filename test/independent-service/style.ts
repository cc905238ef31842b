import type { Chance } from './chance.ts';
import type { Kind } from './state.ts';
import type { Transport } from './transport.ts';

/** Differences between conforming services that the interface allows. */
export interface Style extends Transport {
  readonly name: string;
  /** Status of a refusal, by what is refused; any but 200. */
  readonly refusal: (why: string, chance: Chance) => number;
  readonly errorBody: 'none' | 'text' | 'json' | 'html';
  readonly contentType: string | null;
  readonly extraFields: boolean;
  readonly tagAsText: boolean;
  readonly tokenType: string;
  readonly replayEndsFamily: boolean;
  /** `refused too`: a nostr of a refused request is used as well. */
  readonly nostrOnce: boolean | 'refused too';
  /** True if refused requests count, or those that are refused for that reason. */
  readonly failedCount: boolean | ((why: string) => boolean);
  readonly banReach: 'kind' | 'tokens' | 'everything';
  /** Hours east of UTC of the midnight at which a day ends, or the last 24 hours. */
  readonly day: number | 'rolling';
  readonly userAllowancePer: 'user' | 'partner';
  readonly extendsBan: boolean;
  readonly tokenFields: 'all' | readonly string[];
  /** Fields that a token request must not have. */
  readonly refusesUnknownFields: boolean;
  /** Validity of an access_token, in seconds. */
  readonly expiresIn: number | ((kind: Kind, chance: Chance) => number);
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
  /** True if a request without Authorization gets no answer, but a closed connection. */
  readonly dropsUnauthorized?: boolean | undefined;
  /** Requests that are refused whatever they are, by their number from 1 on; such as a rate limit. */
  readonly limit?: Limit | undefined;
  /** Body of a refusal, instead of `errorBody`, and its Content-Type. */
  readonly refusalBody?: string | undefined;
  readonly refusalType?: string | undefined;
  /** Time before each refusal, ms. */
  readonly refusalDelayMs?: number | undefined;
  /** Requests that are worked on at once, of all or of one partner; more wait, or are refused. */
  readonly atOnce?: AtOnce | undefined;
  /** Refused requests of a partner in a row that lock it out, for how long, and as what. */
  readonly lockout?: Lockout | undefined;
  /** Time for which an auth_code can be exchanged, ms. */
  readonly codeLifeMs?: number | undefined;
  /** Most that the clocks of replicas differ by, ms. */
  readonly clockJitterMs?: number | undefined;
  /** True if a request that is sent again byte by byte gets its first answer. */
  readonly repeatsAnswers?: boolean | undefined;
  /** Text of an answer, from its JSON. */
  readonly write?: ((json: unknown) => string) | undefined;
  /** True if a field may not be sent empty. */
  readonly refusesEmptyFields?: boolean | undefined;
  /** Parameters that enter the signature of a user estimate; all if omitted. */
  readonly estimateFields?: readonly string[] | undefined;
  /** True if that signature covers the values as the query spells them. */
  readonly signsEncoded?: boolean | undefined;
  /** Text of an access_token or refresh_token, made of one that is unique. */
  readonly tokenText?: ((unique: string) => string) | undefined;
  /** Scope of a token, by the one asked for and, for a refresh, that of the token before. */
  readonly scopeOf?:
    | ((asked: string | undefined, before: string | undefined) => string)
    | undefined;
  /** True if an auth_code may be exchanged again. */
  readonly keepsCodes?: boolean | undefined;
  /** Credentials that a refused request uses up. */
  readonly burns?: readonly ('code' | 'refresh')[] | undefined;
}

/** A limit of the requests under way. */
export interface AtOnce {
  readonly most: number;
  readonly per: 'service' | 'partner';
  /** Status of those beyond; left out, they wait. */
  readonly status?: number | undefined;
}

/** A partner that is locked out, by the clock of the service. */
export interface Lockout {
  readonly after: number;
  readonly forMs: number;
  /** Reasons of refusals that count. */
  readonly why: RegExp;
  readonly endpoint?: 'token' | 'estimate' | undefined;
}

/** A limit of a service's own. */
export interface Limit {
  /** 0 if the connection is closed without an answer. */
  readonly status: number;
  readonly endpoint?: 'token' | 'estimate' | undefined;
  /** Seconds. */
  readonly retryAfter?: string | undefined;
  /** Requests that it counts apart, by the id in their header; all together if omitted. */
  readonly per?: 'partner' | undefined;
  /** True if the period is that of the service's own clock, which the control API moves. */
  readonly byOwnClock?: true | undefined;
  /** Period that is counted, ms; default a second. */
  readonly periodMs?: number | undefined;
  /** True if the request of that number, with those in the period before it, is refused. */
  readonly isOver: (
    number: number,
    recentMs: readonly number[],
    nowMs: number,
    chance: Chance,
  ) => boolean;
}

/** Fields of the token request that the interface names. */
export const KNOWN_FIELDS: readonly string[] = [
  'grant_type',
  'scope',
  '_',
  'nostr',
  'refresh_token',
  'auth_code',
];

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
