import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../service/clock.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Partner, Partners } from '../service/state/partners.ts';
import type { Grant, Tokens } from '../service/state/tokens.ts';
import type { TokenFields } from '../service/token/token-fields.ts';
import { withMethods } from './with-methods.ts';

/** The endpoints that faults concern. */
export type Endpoint = 'token' | 'estimate';

const NONE: TokenFields = {};

/**
 * The request that the service is answering, as far as conditions of faults need it. A service answers
 * a request within one synchronous call, so there is one at a time.
 */
export class RequestInHand {
  /** Null between the start of the service and its first request. */
  endpoint: Endpoint | null = null;
  /** Number of requests so far, by endpoint. */
  readonly counts: Record<Endpoint, number> = { token: 0, estimate: 0 };
  #request: ServiceRequest | null = null;
  #fields: TokenFields | null = null;
  #tokens: Tokens | null = null;
  /** The partners of the service. */
  partners: readonly Partner[] = [];
  /** Grants that came with a refresh. */
  readonly #refreshed = new WeakSet<Grant>();
  /** Lets some ms pass. */
  readonly sleep: NonNullable<Clock['sleep']>;

  constructor(clock: Pick<Clock, 'sleep'> = {}) {
    this.sleep = (forMs) => clock.sleep?.(forMs) ?? setTimeout(forMs);
  }

  /** Makes a request the one in hand, and returns it. */
  take(endpoint: Endpoint, request: ServiceRequest): ServiceRequest {
    this.endpoint = endpoint;
    this.counts[endpoint]++;
    this.#request = request;
    this.#fields = null;
    return request;
  }

  /** Keeps the partners of the service. */
  keep(partners: Partners): Partners {
    this.partners = partners.all;
    return partners;
  }

  /** Watches the tokens of the service. */
  watch(tokens: Tokens): Tokens {
    this.#tokens = tokens;
    return withMethods(tokens, {
      issue: (request, nowMs) => {
        const issued = tokens.issue(request, nowMs);
        if (request.refreshed) this.#refreshed.add(issued.grant);
        return issued;
      },
    });
  }

  /** Fields of a token request, or parameters of an estimate; none if they cannot be read. */
  get fields(): TokenFields {
    this.#fields ??= this.#readFields();
    return this.#fields;
  }

  /** A field as a text; empty if it is left out or no text. */
  text(name: string): string {
    const value = this.fields[name];
    return typeof value === 'string' ? value : '';
  }

  get authorization(): string {
    return this.#request?.authorization ?? '';
  }

  get body(): string {
    return Buffer.from(this.#request?.body ?? []).toString();
  }

  /** True for an estimate with the header of a user. */
  get isSignedEstimate(): boolean {
    return this.endpoint === 'estimate' && /\sopenid\|/.test(this.authorization);
  }

  /** Grant of the access_token of an estimate, or of the refresh_token of a refresh, used or not. */
  get grant(): Grant | undefined {
    if (this.endpoint === 'estimate') {
      return this.#tokens?.findAccess(/[^|]*$/.exec(this.authorization)?.[0] ?? '');
    }
    const refreshToken = this.text('refresh_token');
    return this.#tokens?.findRefresh(refreshToken) ?? this.#tokens?.findUsedRefresh(refreshToken);
  }

  /** True if that grant came with a refresh. */
  get isOfRefreshed(): boolean {
    const { grant } = this;
    return grant !== undefined && this.#refreshed.has(grant);
  }

  #readFields(): TokenFields {
    if (this.endpoint === 'estimate') {
      return Object.fromEntries(new URLSearchParams(this.#request?.rawQuery));
    }
    try {
      const value: unknown = JSON.parse(this.body);
      return typeof value === 'object' && value !== null ? (value as TokenFields) : NONE;
    } catch {
      return NONE;
    }
  }
}
