import type { EstimateFields } from '../../../answers/estimate-record.ts';
import { UnheldNumber } from '../../../answers/json-text.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import type { OptionalParameter } from '../../../interface/limits.ts';
import type { RefusingAnswer } from '../../../interface/refusal-cause.ts';
import type { Gate } from '../http/message.ts';
import type { Shape } from './target.ts';

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

/** Answer to an earlier token request of the partner. */
export interface EarlierAnswer extends TokenAnswer {
  /** True if it asked for a platform token. */
  readonly isPlatform: boolean;
}

/** An answer of the estimate endpoint; records are empty if the body is not a list of objects. */
export interface EstimateAnswer extends Answer {
  readonly records: readonly EstimateFields[];
}

/** Describes an answer: `status 401`, or what broke. */
export function describeAnswer(answer: Answer): string {
  return answer.outcome === 'broken' ? answer.failure : `status ${answer.status}`;
}

/** Longest text of a body that is quoted. */
const QUOTED_CHARACTERS = 120;

/** The same with the beginning of the body: what a target says itself goes beside what is guessed. */
export function quoteAnswer(answer: Answer): string {
  const body = answer.outcome === 'broken' ? '' : answer.body.trim().slice(0, QUOTED_CHARACTERS);
  return body === '' ? describeAnswer(answer) : `${describeAnswer(answer)}: ${body}`;
}

/** An answer of a target whose clock is this machine's, for the causes that it shows by itself. */
export const refusingAnswer = (answer: Answer): RefusingAnswer => ({
  ...answer,
  skewMs: skewOf(answer.headers, answer.answeredAtMs),
});

/** Time by which a Date header is ahead of a time, ms; 0 without one. */
export function skewOf({ date = '' }: Answer['headers'], atMs: number): number {
  return (Date.parse(date) || atMs) - atMs;
}

/** A request body or the pairs of a signature: JSON values by field name, in order. */
export type Fields = Readonly<Record<string, unknown>>;

/** Answer that a service which follows the rules gives to a request; `either` where it may give any. */
export type Expects = NonNullable<Exchange['expects']>;

/** A token request to send. */
export interface TokenAttempt {
  readonly purpose: string;
  /** Left out, that of {@link expectsOf}. */
  readonly expects?: Expects | undefined;
  /** The body, its fields in this order. */
  readonly fields: Fields;
  /** Signed instead of `fields`. */
  readonly signed?: Fields | undefined;
  /** The text S to sign, instead of pairs. */
  readonly signedText?: string | undefined;
  /** Sent instead of the right signature. */
  readonly signature?: string | undefined;
  /** Key to sign with, instead of the partner's own. */
  readonly signingKey?: string | undefined;
  /** Partner id to send, instead of the partner's own. */
  readonly partnerId?: string | undefined;
  /** Makes the whole header from id and signature; null sends none. */
  readonly authorization?: ((id: string, signature: string) => string) | null | undefined;
  /** Sent instead of the JSON of `fields`. */
  readonly body?: string | undefined;
  /** True to send the fields as parameters of the URL too. */
  readonly inQuery?: true | undefined;
  /** False omits the Content-Type. */
  readonly contentType?: string | false | undefined;
  /** Gate that the last byte of the request waits for. */
  readonly gate?: Gate | undefined;
  /** Name of a kept connection that only requests with this name use; left out, one of its own. */
  readonly connection?: string | undefined;
  /** Period of the rate limits that have reset when it is sent; left out, none is awaited. */
  readonly rest?: Rest | undefined;
  /** True for a well-formed request; only these are used for observations. */
  readonly wellFormed?: boolean | undefined;
}

/** Period by which a target may limit its rate: a rest before a request that long lets the limit have reset. */
export type Rest = 'second' | 'minute';

/** An estimate request to send. */
export interface EstimateAttempt {
  readonly purpose: string;
  /** Left out, that of {@link expectsOf}. */
  readonly expects?: Expects | undefined;
  /** Decoded parameters, in order. */
  readonly query: Readonly<Record<string, string>>;
  /** Sent instead of the base request's token. */
  readonly accessToken?: string | undefined;
  /** Header of a signed user estimate; default by the base request. */
  readonly as?: 'platform' | 'user' | undefined;
  /** The text S to sign, instead of the query. */
  readonly signedText?: string | undefined;
  readonly signature?: string | undefined;
  readonly signingKey?: string | undefined;
  readonly partnerId?: string | undefined;
  /** Makes the whole header from the id and what follows its `|`; null sends none. */
  readonly authorization?: ((id: string, credentials: string) => string) | null | undefined;
  /** Sent instead of the endpoint's path. */
  readonly path?: string | undefined;
  /** Sent instead of GET. */
  readonly method?: string | undefined;
  /** False omits the Content-Type. */
  readonly contentType?: false | undefined;
  /** Name of a kept connection that only requests with this name use; left out, any. */
  readonly connection?: string | undefined;
  /** Period of the rate limits that have reset when it is sent; left out, none is awaited. */
  readonly rest?: Rest | undefined;
  /** Shape of the profile that the query brings. */
  readonly shape?: Shape | undefined;
  readonly wellFormed?: boolean | undefined;
}

/** Answer that a request expects: a well-formed one is to be accepted, unless it says otherwise. */
export function expectsOf({
  expects,
  wellFormed,
}: Pick<TokenAttempt, 'expects' | 'wellFormed'>): Expects {
  return expects ?? (wellFormed ? 'accepted' : 'either');
}

/**
 * Ordinary values of the optional parameters.
 *
 * @param nowMs the target's time
 */
export function optionalParameters(nowMs: number): Record<OptionalParameter, string> {
  return {
    imei: '356938035643809',
    map_type: 'soso',
    departure_time: String(Math.floor(nowMs / 1000) + 3600),
  };
}

/** A value of an answer as a reader may see it, cut to a line. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = value instanceof UnheldNumber ? value.text : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
