import type { Exchange } from '../../documents/exchange.ts';
import {
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  ESTIMATES_PATH,
  type GrantType,
  LIMITS,
  TOKEN_PATH,
} from '../../interface/limits.ts';
import { parseJson } from '../parse-json.ts';

/** A request of a log and its answer, as far as the models look at it; times in ms. */
export interface Asked {
  /** Id of its exchange, and its number in the order of sending. */
  readonly id: string;
  readonly number: number;
  readonly partner: string;
  /** Allowance that a token request draws on; null for an estimate. */
  readonly kind: AllowanceKind | null;
  /** Target's time at which it was sent, and answered. */
  readonly sentMs: number;
  readonly answeredMs: number;
  /** This machine's clock at which it was sent, by any zero: a rate limit may follow that one. */
  readonly wallMs: number;
  /** `broken` without a whole answer: it was neither accepted nor refused. */
  readonly outcome: 'accepted' | 'refused' | 'broken';
  readonly status: number;
  /** True if nothing about the request itself permits a refusal. */
  readonly isRight: boolean;
  /** True if it was sent to be refused, by a check that knew why. */
  readonly isWrong: boolean;
  /** Set where something about it permits a refusal, whatever was sent before: a refusal begins no ban for sure. */
  readonly hasOtherCause?: boolean;
  /** True if its check was repeated, as it had accused the target. */
  readonly isRepeated: boolean;
  /** Seconds of Retry-After; null without one. */
  readonly retryAfterS: number | null;
  /** User whose token it asks for; left out where all are one user's. */
  readonly user?: string;
  /** Secrets that it was sent with; null for none. */
  readonly sent: {
    readonly accessToken: string | null;
    readonly refreshToken: string | null;
    readonly authCode: string | null;
  };
  /** Tokens of an accepted answer; null for none. */
  readonly got: {
    readonly accessToken: string | null;
    readonly refreshToken: string | null;
    readonly lifeMs: number | null;
  };
  /** Header and ride of an estimate: what is refused in one may be accepted in another. */
  readonly form: string;
  /** Text of a token request's body: the same request may be one that is sent twice. */
  readonly body: string;
}

/** Most by which the clocks of both sides may disagree, ms. */
export const SKEW_MS = 2_000;

/** A stored exchange; what it is for says nothing of what the target does. */
type Sent = Omit<Exchange, 'purpose'>;

/** Reads the requests of a log that the models look at, in order of sending; secrets may be redacted. */
export function askedIn(exchanges: readonly Sent[], baseUrl: string): readonly Asked[] {
  const known = LOGS.get(exchanges);
  if (known?.baseUrl === baseUrl) return known.log;
  const log: Asked[] = [];
  for (const one of exchanges) {
    const read = KNOWN.get(one);
    const asked = read === undefined ? askedBy(one, baseUrl) : read;
    KNOWN.set(one, asked);
    if (asked !== null && !one.part?.batch?.isProbe) log.push(asked);
  }
  log.sort((a, b) => a.number - b.number);
  LOGS.set(exchanges, { baseUrl, log });
  return log;
}

/** Exchanges, and lists of them, that were read: a run is judged several times as it grows. */
const KNOWN = new WeakMap<Sent, Asked | null>();
const LOGS = new WeakMap<readonly Sent[], { baseUrl: string; log: readonly Asked[] }>();

/**
 * Outcome of a request. A token with another status than 200 breaks token/response-status: it is a success where
 * one was to come, a refusal where none was, and else neither.
 */
function outcomeOf(
  status: number | null,
  accessToken: string | null,
  expects: 'accepted' | 'refused' | 'either',
): Asked['outcome'] {
  if (status === null) return 'broken';
  if (status === 200) return 'accepted';
  if (Math.trunc(status / 100) !== 2 || accessToken === null || expects === 'refused')
    return 'refused';
  return expects === 'accepted' ? 'accepted' : 'broken';
}

/** Reads one exchange; null if it is none of a partner at one of the two endpoints. */
function askedBy(exchange: Sent, baseUrl: string): Asked | null {
  const { id, partnerId, request, response, signed, expects = 'either', durationMs } = exchange;
  const isToken = request.method === 'POST' && request.url === `${baseUrl}${TOKEN_PATH}`;
  const isEstimate = request.url.startsWith(`${baseUrl}${ESTIMATES_PATH}?`);
  const header = request.headers['authorization'] ?? '';
  // A request in the name of another, or of none, is no use of this partner's.
  if (partnerId === null || !(isToken || isEstimate) || !header.startsWith(`Bearer ${partnerId}|`))
    return null;
  const body = fieldsOf(request.body);
  const kind = ALLOWANCE_OF_GRANT[body['grant_type'] as GrantType] ?? null;
  if (isToken && kind === null) return null;
  const answer = fieldsOf(isToken ? (response?.body ?? null) : null);
  const outcome = outcomeOf(response?.status ?? null, textOf(answer['access_token']), expects);
  const got = outcome === 'accepted' ? answer : {};
  const sentAtMs = sentMs(exchange);
  const seconds = got['expires_in_second'];
  const retryAfterS = Number(response?.headers['retry-after']);
  return {
    id,
    number: Number(id.slice(1)),
    partner: partnerId,
    kind: isToken ? kind : null,
    sentMs: sentAtMs,
    answeredMs: sentAtMs + durationMs,
    wallMs: exchange.elapsedMs ?? Date.parse(exchange.at),
    outcome,
    status: response?.status ?? 0,
    isRight:
      expects === 'accepted' &&
      (signed?.key ?? 'own') === 'own' &&
      !signed?.alteration &&
      !isLate(body['_'], sentAtMs),
    isWrong: expects === 'refused',
    isRepeated: (exchange.part?.attempt ?? 1) > 1,
    retryAfterS: retryAfterS > 0 ? retryAfterS : null,
    sent: {
      accessToken: isEstimate ? textOf(tokenOf(header, partnerId)) : null,
      refreshToken: textOf(body['refresh_token']),
      authCode: textOf(body['auth_code']),
    },
    got: {
      accessToken: textOf(got['access_token']),
      refreshToken: textOf(got['refresh_token']),
      lifeMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
    },
    form: isEstimate ? formOf(request.url, header) : '',
    body: request.body ?? '',
  };
}

/** Longest time that a request waits for its turn, ms: a `_` that is older by more was meant to be so old. */
const LONGEST_TURN_MS = 1_200_000;

/** Checks whether a request waited for its turn until its `_` was too old to be accepted, by when it was sent. */
export function isLate(time: unknown, sentAtMs: number): boolean {
  if (typeof time !== 'string') return false;
  // Without an offset we write it in UTC; in another zone it would be off by more than the longest turn.
  const withOffset = /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`;
  const lateMs = sentAtMs - Date.parse(withOffset) - LIMITS.timestampValiditySeconds * 1000;
  return lateMs > -SKEW_MS && lateMs < LONGEST_TURN_MS;
}

/** Target's time at which an exchange was sent, ms since the epoch. */
export function sentMs({ at, targetAt }: Pick<Exchange, 'at' | 'targetAt'>): number {
  return Date.parse(targetAt ?? at);
}

/** Access token of an estimate's header (interface.md, "Authentication"); it may contain a bar. */
function tokenOf(header: string, partnerId: string): string {
  return header.slice(`Bearer ${partnerId}|`.length).replace(/^.*? openid\|/, '');
}

function formOf(url: string, header: string): string {
  const query = new URLSearchParams(url.replace(/^[^?]*\?/, ''));
  const ride = ['product_type', 'ride_type', 'end_lat', 'end_lng'].map((name) => query.get(name));
  return [header.includes(' openid|') ? 'user' : 'platform', ...ride].join(' ');
}

function fieldsOf(text: string | null): Readonly<Record<string, unknown>> {
  const value = parseJson(text ?? '');
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Requests by a text, such as the partner. */
export function groupedBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const own = groups.get(keyOf(one));
    if (own) own.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}

/** Checks whether a request was sent before another one; a clock that is moved may step back a little. */
export function isBefore(one: Asked, other: Asked): boolean {
  return one.number < other.number;
}

/**
 * Time from the answer of a request to the sending of a later one, ms; negative while it was under way. By the wall
 * clock, in whole milliseconds: readings of the target's clock differ a little.
 */
export function sinceAnswer(one: Asked, later: Asked): number {
  return later.wallMs - one.wallMs - (one.answeredMs - one.sentMs);
}

/**
 * Checks whether a request may have been served before another one, sent at the same time at the latest. The
 * target's clock may stand still while a run rests; the wall clock tells those apart.
 */
export function mayPrecede(one: Asked, other: Asked): boolean {
  const tookMs = other.answeredMs - other.sentMs;
  return isBefore(one, other) || one.wallMs <= other.wallMs + tookMs;
}

/** Checks for a refusal for the rate or the load. */
export function isOfRate({ status, retryAfterS }: Asked): boolean {
  return status === 429 || status === 503 || retryAfterS !== null;
}

/** Scope that a token request names; undefined for none. */
export function requestedScope({ body }: Asked): string | undefined {
  const { scope } = (parseJson(body) ?? {}) as { readonly scope?: unknown };
  return typeof scope === 'string' ? scope : undefined;
}
