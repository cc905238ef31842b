import type { Behaviour, SignaturePairs } from '../../../interface/index.ts';
import { type EstimateAuthorization, parseEstimateAuthorization } from '../authorization.ts';
import { type Answer, JSON_UTF8, Refusal, type ServiceRequest } from '../messages.ts';
import { type RateLimiter, rateLimiterOf } from '../rate-limiter.ts';
import type { Settings } from '../settings.ts';
import { type SignatureCheck, signatureRefusal } from '../signature-check.ts';
import type { Allowances } from '../state/allowances.ts';
import type { Partner } from '../state/partners.ts';
import { type AuthorizationState, authorize } from './authorize.ts';
import type { EstimateIds } from './estimate-ids.ts';
import type { Pricing } from './pricing.ts';
import type { RecordWriter } from './record.ts';
import {
  type ParsedQuery,
  parseQuery,
  type QueryParameters,
  type Route,
  readRoute,
} from './route.ts';

/** The steps of an estimate request that a fault can replace, in their order. */
export interface EstimateSteps {
  /** Reads the header Authorization. */
  readonly readAuthorization: (header: string | undefined) => EstimateAuthorization;
  /** Checks partner and access_token. */
  readonly authorize: (
    authorization: EstimateAuthorization,
    state: AuthorizationState,
    nowMs: number,
  ) => Partner;
  /** Reads the route; null if no estimate exists for it. */
  readonly readRoute: (parameters: QueryParameters) => Route | null;
  /** Writes the body of the answer. */
  readonly writeRecords: (records: readonly object[]) => string;
}

/** The steps as the interface has them, with the gaps' settings. */
export function estimateSteps(behaviour: Behaviour): EstimateSteps {
  const allowsUnsigned = behaviour['user-token-platform-header'] === 'accepted';
  return {
    readAuthorization: parseEstimateAuthorization,
    authorize: (authorization, state, nowMs) =>
      authorize(authorization, state, allowsUnsigned, nowMs),
    readRoute: (parameters) => readRoute(parameters, behaviour),
    writeRecords: (records) => JSON.stringify(records),
  };
}

/** The state that the estimate endpoint works on. */
export interface EstimateState extends AuthorizationState {
  readonly allowances: Allowances;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly records: RecordWriter;
}

/**
 * `GET /v1/estimates/prices` (interface.md, "2. Estimate prices").
 *
 * Order of judgement: Authorization, partner, token, scope, ban, rate, query, signature,
 * parameters. It is synchronous, and an estimate takes no memory.
 */
export class EstimateEndpoint {
  readonly #settings: Settings;
  readonly #state: EstimateState;
  readonly #check: SignatureCheck;
  readonly #steps: EstimateSteps;
  readonly #rateLimiter: RateLimiter | null;

  constructor(
    settings: Settings,
    state: EstimateState,
    check: SignatureCheck,
    steps: EstimateSteps,
  ) {
    this.#settings = settings;
    this.#state = state;
    this.#check = check;
    this.#steps = steps;
    this.#rateLimiter = rateLimiterOf(settings.behaviour['estimate-rate-limit']);
  }

  /** @throws Refusal for a request that gets no estimate */
  answer({ authorization: header, contentType, rawQuery }: ServiceRequest): Answer {
    const steps = this.#steps;
    const { pricing, estimateIds, records } = this.#state;
    const nowMs = this.#settings.clock.now();
    this.#requireContentType(contentType);
    const authorization = steps.readAuthorization(header);
    const partner = steps.authorize(authorization, this.#state, nowMs);
    this.#limit(partner, nowMs);
    const query = parseQuery(rawQuery);
    this.#checkSignature(partner, authorization.signature, query);
    const route = steps.readRoute(query.decoded);
    if (route === null) return this.#answerWithoutEstimate();
    const fare = pricing.fare(route, route.departureS ?? Math.floor(nowMs / 1000));
    const estimateId = estimateIds.issue(partner, fare.priceFen, nowMs);
    const body = steps.writeRecords([records.record(route, fare, estimateId)]);
    return { status: 200, contentType: JSON_UTF8, body };
  }

  /** Gap `estimate-content-type-required`. */
  #requireContentType(contentType: string | undefined): void {
    if (contentType || this.#settings.behaviour['estimate-content-type-required'] === 'no') return;
    const detail = { field: 'Content-Type' };
    throw new Refusal('parameter-invalid', 'There is no Content-Type.', detail);
  }

  /** @throws Refusal `banned` or `rate-limited` */
  #limit(partner: Partner, nowMs: number): void {
    this.#state.allowances.refuseBannedEstimate(partner, nowMs);
    this.#rateLimiter?.require(partner, nowMs);
  }

  /** @throws Refusal `signature-invalid` */
  #checkSignature(partner: Partner, signature: string | null, query: ParsedQuery): void {
    if (signature === null) return;
    const { behaviour } = this.#settings;
    const isDecoded = behaviour['estimate-signed-decoded-or-encoded'] === 'decoded';
    const pairs: SignaturePairs = Object.fromEntries(isDecoded ? query.decoded : query.encoded);
    if (this.#check.isEstimateSigned(partner, pairs, signature)) return;
    throw signatureRefusal(this.#settings, { what: 'query', pairs }, partner, signature);
  }

  /** Gap `no-estimate-answer`. */
  #answerWithoutEstimate(): Answer {
    if (this.#settings.behaviour['no-estimate-answer'] === 'refused') {
      throw new Refusal('no-estimate', 'There is no estimate for these parameters.');
    }
    return { status: 200, contentType: JSON_UTF8, body: this.#steps.writeRecords([]) };
  }
}
