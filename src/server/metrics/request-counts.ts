import { ESTIMATES_PATH, TOKEN_PATH } from '../../interface/index.ts';
import { type AccessLogEntry, UNANSWERED_STATUS } from '../http/requests.ts';
import { HEALTH_PATH, OPENAPI_PATH } from '../service/service.ts';
import type { ServiceState } from '../service/service-state.ts';

/** Endpoints as metrics name them; `other` is any other path, `malformed` no HTTP request at all. */
export type CountedEndpoint = 'token' | 'estimates' | 'health' | 'openapi' | 'other' | 'malformed';

/** Counts of a server since its start, and the number of things that it holds now. */
export interface ServerMetrics {
  readonly requests: readonly {
    readonly endpoint: CountedEndpoint;
    readonly status: number;
    readonly count: number;
  }[];
  /** Refused requests by the rule that they broke. */
  readonly refusals: readonly { readonly rule: string; readonly count: number }[];
  /** Estimates that the fast path answered; they are part of the requests. */
  readonly fastPathAnswers: number;
  /** Access tokens that are valid now. */
  readonly validTokens: { readonly platform: number; readonly user: number };
  /** Tokens in memory, expired ones included. */
  readonly storedTokens: {
    readonly access: number;
    readonly refresh: number;
    readonly usedRefresh: number;
  };
  /** Bans that last now. */
  readonly bans: number;
  readonly partners: number;
}

const ENDPOINT_OF_PATH: ReadonlyMap<string, CountedEndpoint> = new Map([
  [TOKEN_PATH, 'token'],
  [ESTIMATES_PATH, 'estimates'],
  [HEALTH_PATH, 'health'],
  [OPENAPI_PATH, 'openapi'],
]);

/** Counts the requests that `node:http` answers; the fast path has a counter of its own. */
export class RequestCounts {
  readonly #servedPath: (path: string) => string;
  readonly #requests = new Map<CountedEndpoint, Map<number, number>>();
  readonly #refusals = new Map<string, number>();

  /** @param servedPath maps the path of a request to the path that is served */
  constructor(servedPath: (path: string) => string) {
    this.#servedPath = servedPath;
  }

  /** Counts a request, unless nobody was there for its answer. */
  take({ path, status, rule }: Pick<AccessLogEntry, 'path' | 'status' | 'rule'>): void {
    if (status === UNANSWERED_STATUS) return;
    this.#add(ENDPOINT_OF_PATH.get(this.#servedPath(path)) ?? 'other', status, 1);
    if (rule !== undefined) this.#refusals.set(rule, (this.#refusals.get(rule) ?? 0) + 1);
  }

  /** Counts bytes that were no HTTP request. */
  takeBroken(status: number): void {
    this.#add('malformed', status, 1);
  }

  /** Reads everything; tokens and bans are counted between other work of the event loop. */
  async read(fastPathAnswers: number, state: ServiceState, nowMs: number): Promise<ServerMetrics> {
    const requests = [...this.#requests].flatMap(([endpoint, byStatus]) =>
      [...byStatus].map(([status, count]) => ({
        endpoint,
        status,
        count: count + (endpoint === 'estimates' && status === 200 ? fastPathAnswers : 0),
      })),
    );
    if (fastPathAnswers > 0 && this.#requests.get('estimates')?.get(200) === undefined)
      requests.push({ endpoint: 'estimates', status: 200, count: fastPathAnswers });
    return {
      requests,
      refusals: [...this.#refusals].map(([rule, count]) => ({ rule, count })),
      fastPathAnswers,
      validTokens: await state.tokens.countValid(nowMs),
      storedTokens: state.tokens.sizes,
      bans: await state.allowances.countBans(nowMs),
      partners: state.partners.all.length,
    };
  }

  #add(endpoint: CountedEndpoint, status: number, count: number): void {
    const byStatus = this.#requests.get(endpoint) ?? new Map<number, number>();
    byStatus.set(status, (byStatus.get(status) ?? 0) + count);
    this.#requests.set(endpoint, byStatus);
  }
}
