import type { ProfilePartner } from '../../interface/index.ts';
import { METHOD_OF_PATH } from '../service/service.ts';
import type { InterceptedExchange, InterceptedRequest, Interceptor } from './interceptor.ts';

const PUBLISH_INTERVAL_MS = 250;
/** Requests published one by one in each interval; all of them are counted. */
const LISTED_PER_INTERVAL = 50;
/** Latencies kept of each second, from which its percentiles are taken. */
const LATENCIES_PER_SECOND = 4096;
/** Different refusals that are counted by name; the reference server has fewer. */
const MAX_REFUSALS = 100;
/** Fields of requests that `certify` fills. */
const UNJUDGED = { kind: 'request', id: null, scenario: null, broken: null } as const;

/** An answered request, without query, headers and body. */
export interface TrafficRequest {
  readonly kind: 'request';
  readonly id: null;
  /** ISO 8601. */
  readonly at: string;
  readonly scenario: null;
  readonly method: string;
  readonly path: string;
  /** Null if the answer was not sent. */
  readonly status: number | null;
  /** From the whole request to the end of its answer; null if it was not measured. */
  readonly durationUs: number | null;
  /** Error condition and rule; null for a request that was not refused. */
  readonly refusal: string | null;
  readonly broken: null;
}

/** Totals since the start. */
export interface TrafficTally {
  readonly kind: 'tally';
  readonly requests: number;
  /** Requests answered 200. */
  readonly good: number;
  /** Number of refusals by name. */
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/** One second of traffic. */
export interface TrafficPoint {
  readonly kind: 'point';
  readonly point: {
    /** Seconds since the start. */
    readonly t: number;
    /** Requests/s that were answered 200. */
    readonly rate: number;
    /** Requests/s that were refused. */
    readonly failed: number;
    /** Latencies in microseconds. */
    readonly p50: number;
    readonly p99: number;
    readonly max: number;
  };
}

/** An update on a server's traffic. */
export type TrafficEvent = TrafficRequest | TrafficTally | TrafficPoint;

/** Publishes the traffic of a server, a few times a second; changes no answer. */
export class TrafficMonitor implements Interceptor {
  readonly #nowMs: () => number;
  readonly #startedMs = new WeakMap<InterceptedRequest, number>();
  readonly #refusals = new Map<string, number>();
  #publish: (event: TrafficEvent) => void = () => {};
  #secrets: readonly string[] = [];
  #ticker: NodeJS.Timeout | null = null;
  #startMs = 0;
  #requests = 0;
  #good = 0;
  #listed: TrafficRequest[] = [];
  #second = { startMs: 0, good: 0, refused: 0, latenciesUs: [] as number[] };
  #isIdle = true;

  /** @param nowMs a monotonic clock, in milliseconds with fractions */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Starts to publish; secrets of the partners are removed from the paths. */
  start(publish: (event: TrafficEvent) => void, partners: readonly ProfilePartner[]): void {
    this.#publish = publish;
    this.#secrets = partners
      .flatMap(({ signingKey, authCodes, accessToken }) => [signingKey, ...authCodes, accessToken])
      .filter((secret) => secret !== undefined);
    this.#startMs = this.#nowMs();
    this.#second.startMs = this.#startMs;
    this.#ticker = setInterval(() => this.#tick(), PUBLISH_INTERVAL_MS).unref();
  }

  /** Publishes the rest and stops. */
  stop(): void {
    if (this.#ticker === null) return;
    clearInterval(this.#ticker);
    this.#flush();
  }

  /** Notes when the request was whole; the service answers it. */
  respond(request: InterceptedRequest): null {
    this.#startedMs.set(request, this.#nowMs());
    return null;
  }

  onExchange({ request, answer, finishedMs }: InterceptedExchange): void {
    const startedMs = this.#startedMs.get(request);
    const isSent = finishedMs !== null;
    const isMeasured = startedMs !== undefined && isSent;
    const refusal = answer.status === 200 ? null : refusalIn(answer.body);
    this.#count({
      ...UNJUDGED,
      at: new Date(request.receivedMs).toISOString(),
      method: request.method,
      path: redactedPath(request.target, this.#secrets),
      status: isSent ? answer.status : null,
      durationUs: isMeasured ? Math.round((this.#nowMs() - startedMs) * 1000) : null,
      refusal: isSent ? refusal : 'connection closed before the response was sent',
    });
  }

  onMalformed(_bytes: Uint8Array, receivedMs: number): void {
    const unread = { ...UNJUDGED, method: '?', path: '', status: 400, durationUs: null };
    const at = new Date(receivedMs).toISOString();
    this.#count({ ...unread, at, refusal: 'not an HTTP request' });
  }

  #count(request: TrafficRequest): void {
    const { status, durationUs, refusal } = request;
    const second = this.#second;
    this.#isIdle = false;
    this.#requests++;
    if (status === 200) {
      this.#good++;
      second.good++;
    } else {
      second.refused++;
      const name = refusal ?? `status ${status ?? '-'}`;
      const isFull = !this.#refusals.has(name) && this.#refusals.size >= MAX_REFUSALS;
      const counted = isFull ? 'others' : name;
      this.#refusals.set(counted, (this.#refusals.get(counted) ?? 0) + 1);
    }
    if (durationUs !== null && second.latenciesUs.length < LATENCIES_PER_SECOND) {
      second.latenciesUs.push(durationUs);
    }
    if (this.#listed.length < LISTED_PER_INTERVAL) this.#listed.push(request);
  }

  #tick(): void {
    this.#flush();
    const nowMs = this.#nowMs();
    const { startMs, good, refused, latenciesUs } = this.#second;
    const elapsedS = (nowMs - startMs) / 1000;
    if (elapsedS < 1) return;
    this.#second = { startMs: nowMs, good: 0, refused: 0, latenciesUs: [] };
    // Before the first request there is nothing to draw.
    if (this.#isIdle) return;
    latenciesUs.sort((a, b) => a - b);
    const at = (share: number) => latenciesUs[Math.ceil(share * latenciesUs.length) - 1] ?? 0;
    this.#publish({
      kind: 'point',
      point: {
        t: Math.round((startMs - this.#startMs) / 1000),
        rate: good / elapsedS,
        failed: refused / elapsedS,
        p50: at(0.5),
        p99: at(0.99),
        max: latenciesUs.at(-1) ?? 0,
      },
    });
  }

  #flush(): void {
    if (this.#listed.length === 0) return;
    for (const request of this.#listed) this.#publish(request);
    this.#listed = [];
    this.#publish({
      kind: 'tally',
      requests: this.#requests,
      good: this.#good,
      counts: [...this.#refusals].map(([name, count]) => ({ name, count })),
    });
  }
}

/** Condition and rule in an error body of the reference server. */
function refusalIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; rule?: unknown } };
    if (typeof error?.code !== 'string') return null;
    return typeof error.rule === 'string' ? `${error.code}: ${error.rule}` : error.code;
  } catch {
    return null;
  }
}

/** Words of the served paths, and what clients write in their place; any other may be a token. */
const WORDS: ReadonlySet<string> = new Set([
  ...[...METHOD_OF_PATH.keys()].flatMap((path) => path.split('/')),
  'token',
  'tokens',
  'estimate',
  'price',
]);
const VERSION = /^v\d{1,3}$/;

/** The path of a request without its query; segments not known to be harmless are replaced by `[…]`. */
export function redactedPath(target: string, secrets: readonly string[]): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (METHOD_OF_PATH.has(path)) return path;
  const isHarmless = (part: string): boolean =>
    (WORDS.has(part) || VERSION.test(part)) && !secrets.some((secret) => part.includes(secret));
  return path.replace(/[^/]+/g, (part) => (isHarmless(part) ? part : '[…]'));
}
