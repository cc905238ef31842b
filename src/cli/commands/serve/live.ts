import { ESTIMATES_PATH, type ProfilePartner, TOKEN_PATH } from '../../../interface/index.ts';
import type { LivePage, LiveRequest } from '../../../report/index.ts';
import type { Attendant, AttendedExchange, AttendedRequest } from '../../../server/index.ts';

/** How often the page is told. */
const TICK_MS = 250;
/** Requests listed of each tick; more could not be read, and all are counted. */
const LISTED_PER_TICK = 50;
/** Latencies kept of each second, from which its percentiles are taken. */
const LATENCIES_PER_SECOND = 4096;
/** Different refusals that are counted; the reference server has fewer. */
const MOST_REFUSALS = 100;

/** Stands beside the reference server and tells a live page of its traffic; it never directs. */
export class ServeLive implements Attendant {
  readonly #nowMs: () => number;
  readonly #begun = new WeakMap<AttendedRequest, number>();
  readonly #refusals = new Map<string, number>();
  #page: LivePage | null = null;
  #secrets: readonly string[] = [];
  #ticker: NodeJS.Timeout | null = null;
  #startMs = 0;
  #requests = 0;
  #good = 0;
  #listed: LiveRequest[] = [];
  #second = { startMs: 0, good: 0, refused: 0, latenciesUs: [] as number[] };
  #isIdle = true;

  /** @param nowMs a clock that nobody moves, in milliseconds and parts of them */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Begins to tell a page; `partners` have secrets that a client may put where they do not belong. */
  start(page: LivePage, partners: readonly ProfilePartner[]): void {
    this.#page = page;
    this.#secrets = partners.flatMap(({ signingKey, authCodes, accessToken }) => [
      signingKey,
      ...authCodes,
      ...(accessToken === undefined ? [] : [accessToken]),
    ]);
    this.#startMs = this.#nowMs();
    this.#second.startMs = this.#startMs;
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Tells what is left, and nothing more. */
  stop(): void {
    if (this.#ticker === null) return;
    clearInterval(this.#ticker);
    this.#flush();
  }

  /** Only takes down when the request was whole. */
  instead(request: AttendedRequest): null {
    this.#begun.set(request, this.#nowMs());
    return null;
  }

  ended({ request, answer, finishedMs }: AttendedExchange): void {
    const begunMs = this.#begun.get(request);
    const isOut = finishedMs !== null;
    const durationUs =
      begunMs === undefined || !isOut ? null : Math.round((this.#nowMs() - begunMs) * 1000);
    const refusal = answer.status === 200 ? null : refusalIn(answer.body);
    this.#take({
      method: request.method,
      path: shownPath(request.target, this.#secrets),
      status: isOut ? answer.status : null,
      receivedMs: request.receivedMs,
      durationUs,
      refusal: isOut ? refusal : 'the connection ended before the answer was out',
    });
  }

  broken(_bytes: Uint8Array, receivedMs: number): void {
    const refusal = 'no HTTP request';
    this.#take({ method: '?', path: '', status: 400, receivedMs, durationUs: null, refusal });
  }

  #take({ method, path, status, receivedMs, durationUs, refusal }: Taken): void {
    const isGood = status === 200;
    const second = this.#second;
    this.#isIdle = false;
    this.#requests++;
    if (isGood) {
      this.#good++;
      second.good++;
    } else {
      second.refused++;
      const name = refusal ?? `status ${status ?? '-'}`;
      const isNew = !this.#refusals.has(name) && this.#refusals.size >= MOST_REFUSALS;
      const counted = isNew ? 'others' : name;
      this.#refusals.set(counted, (this.#refusals.get(counted) ?? 0) + 1);
    }
    if (durationUs !== null && second.latenciesUs.length < LATENCIES_PER_SECOND) {
      second.latenciesUs.push(durationUs);
    }
    if (this.#listed.length >= LISTED_PER_TICK) return;
    this.#listed.push({
      kind: 'request',
      id: null,
      at: new Date(receivedMs).toISOString(),
      scenario: null,
      method,
      path,
      status,
      durationUs,
      refusal,
      broken: null,
    });
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
    const at = (share: number): number =>
      latenciesUs[Math.ceil(share * latenciesUs.length) - 1] ?? 0;
    this.#page?.publish({
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
    for (const request of this.#listed) this.#page?.publish(request);
    this.#listed = [];
    this.#page?.publish({
      kind: 'tally',
      requests: this.#requests,
      good: this.#good,
      counts: [...this.#refusals].map(([name, count]) => ({ name, count })),
    });
  }
}

interface Taken extends Pick<LiveRequest, 'method' | 'path' | 'status' | 'durationUs' | 'refusal'> {
  readonly receivedMs: number;
}

const KNOWN_PATHS: ReadonlySet<string> = new Set([
  TOKEN_PATH,
  ESTIMATES_PATH,
  '/healthz',
  '/openapi.json',
]);
/** A word, or a version: what a path is made of, and a token is not. */
const PLAIN = /^(v\d{1,3}|[a-z][a-z_.-]{0,23}|)$/i;

/** A path without its query; of one that is not served, what may be a secret is left out. */
export function shownPath(target: string, secrets: readonly string[]): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (KNOWN_PATHS.has(path)) return path;
  return path
    .split('/')
    .map((part) =>
      PLAIN.test(part) && !secrets.some((secret) => part.includes(secret)) ? part : '[…]',
    )
    .join('/');
}

/** The condition, and the rule behind it, as the reference server writes them. */
function refusalIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; rule?: unknown } };
    if (typeof error?.code !== 'string') return null;
    return typeof error.rule === 'string' ? `${error.code}: ${error.rule}` : error.code;
  } catch {
    return null;
  }
}
