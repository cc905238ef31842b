import type { SignaturePairs } from '../../interface/index.ts';
import type { Answer } from '../answer.ts';
import { JSON_UTF8 } from '../answer.ts';
import type { EstimateAuthorization } from '../authorization.ts';
import { parseEstimateAuthorization } from '../authorization.ts';
import type { BodyWriter } from '../faults/faulty-records.ts';
import { bodyWriterWith } from '../faults/faulty-records.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { SignatureCheck } from '../signature-check.ts';
import type { Allowances } from '../state/allowances.ts';
import type { Partner, Partners } from '../state/partners.ts';
import { RateLimiter } from '../state/rate-limiter.ts';
import type { Grant, Tokens } from '../state/tokens.ts';
import type { EstimateIds } from './estimate-ids.ts';
import type { Pricing } from './pricing.ts';
import type { ParsedQuery } from './query.ts';
import { parseQuery } from './query.ts';
import type { RecordWriter } from './record.ts';
import { readRoute } from './route.ts';

/** An estimate request, as HTTP brought it. */
export interface EstimateHttpRequest {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** What stands after the `?`, as it was sent. */
  readonly rawQuery: string;
}

/** What the estimate endpoint works on. */
export interface EstimateState {
  readonly partners: Partners;
  readonly tokens: Tokens;
  readonly allowances: Allowances;
  readonly signatureCheck: SignatureCheck;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly records: RecordWriter;
}

/**
 * `GET /v1/estimates/prices` (interface.md, "2. Estimate prices").
 *
 * Order of judgement: Authorization, partner, token, scope, ban, rate, query, signature,
 * parameters. Synchronous throughout, and without memory for an estimate.
 */
export class EstimateEndpoint {
  readonly #settings: Settings;
  readonly #state: EstimateState;
  readonly #writeBody: BodyWriter;
  readonly #rateLimiter: RateLimiter | null;

  constructor(settings: Settings, state: EstimateState) {
    const { behaviour, faults } = settings;
    const rateLimit = behaviour['estimate-rate-limit'];
    this.#settings = settings;
    this.#state = state;
    this.#writeBody = bodyWriterWith(faults);
    this.#rateLimiter = rateLimit === 'none' ? null : new RateLimiter(rateLimit.perSecond);
  }

  /** @throws Refusal for a request that gets no estimate */
  answer(request: EstimateHttpRequest): Answer {
    const { behaviour, faults, clock } = this.#settings;
    const nowMs = clock.now();
    if (behaviour['estimate-content-type-required'] === 'yes' && !request.contentType) {
      throw new Refusal('parameter-invalid', 'There is no Content-Type.', {
        field: 'Content-Type',
      });
    }
    const { partner, authorization } = this.#authorize(request.authorization, nowMs);
    this.#limit(partner, nowMs);
    const query = parseQuery(request.rawQuery);
    this.#refuseForged(partner, authorization, query);
    const route = readRoute(query.decoded, behaviour, faults);
    if (route === null) return this.#answerWithout();
    const fare = this.#state.pricing.fare(route, route.departureS ?? Math.floor(nowMs / 1000));
    const estimateId = this.#state.estimateIds.issue(partner, fare.priceFen, nowMs);
    const body = this.#writeBody([this.#state.records.record(route, fare, estimateId)]);
    return { status: 200, contentType: JSON_UTF8, body };
  }

  #authorize(
    header: string | undefined,
    nowMs: number,
  ): { partner: Partner; authorization: EstimateAuthorization | null } {
    const { faults } = this.#settings;
    const { partners, tokens } = this.#state;
    const anyone = partners.at(0);
    if (faults['auth/authorization-required'] && !header && anyone) {
      return { partner: anyone, authorization: null };
    }
    const authorization = parseEstimateAuthorization(header, faults['auth/scheme']);
    const partner = partners.find(authorization.partnerId);
    if (partner === undefined) {
      throw new Refusal('partner-unknown', 'No partner has this id.', { field: 'Authorization' });
    }
    const grant = tokens.findAccess(authorization.accessToken);
    if (grant !== undefined) this.#refuseGrant(grant, partner, authorization, nowMs);
    else if (!faults['auth/unknown-token']) {
      throw tokenInvalid('is not known', 'auth/unknown-token');
    }
    return { partner, authorization };
  }

  /** Whatever can stand against a token that was issued. */
  #refuseGrant(
    grant: Grant,
    partner: Partner,
    { signature }: EstimateAuthorization,
    nowMs: number,
  ): void {
    const { faults, behaviour } = this.#settings;
    if (grant.partner !== partner && !faults['auth/token-of-partner']) {
      throw tokenInvalid('is not this partner’s', 'auth/token-of-partner');
    }
    if (this.#state.tokens.isExpired(grant, nowMs)) {
      throw new Refusal('access-token-expired', 'The access_token has expired; refresh it.', {
        field: 'Authorization',
        rule: 'lifecycle/access-token-expires',
      });
    }
    if (grant.superseded) {
      throw tokenInvalid('was replaced by a newer one', 'lifecycle/user-token-newest-only');
    }
    if (grant.family.ended) throw tokenInvalid('was ended', 'lifecycle/refresh-single-use');
    const isUserToken = grant.userId !== null;
    if (signature !== null && !isUserToken) {
      throw tokenInvalid('is no user token, as its header says', 'estimate/user');
    }
    if (
      signature === null &&
      isUserToken &&
      behaviour['user-token-platform-header'] === 'refused'
    ) {
      throw tokenInvalid('is a user token and needs a signature', 'estimate/user');
    }
    if (faults[isUserToken ? 'estimate/user' : 'estimate/platform']) {
      throw tokenInvalid('is not taken', isUserToken ? 'estimate/user' : 'estimate/platform');
    }
    if (!grant.isPublic && !faults['auth/scope-public']) {
      throw new Refusal('scope-insufficient', 'The token needs the scope public.', {
        field: 'Authorization',
        rule: 'auth/scope-public',
      });
    }
  }

  /** @throws Refusal `banned` or `rate-limited` */
  #limit(partner: Partner, nowMs: number): void {
    this.#state.allowances.refuseBannedEstimate(partner, nowMs);
    if (this.#rateLimiter !== null && !this.#rateLimiter.take(partner, nowMs)) {
      throw new Refusal('rate-limited', 'Too many estimate requests in a second.');
    }
  }

  #refuseForged(
    partner: Partner,
    authorization: EstimateAuthorization | null,
    query: ParsedQuery,
  ): void {
    const { behaviour, faults } = this.#settings;
    const signature = authorization?.signature ?? null;
    if (signature === null || faults['auth/user-signature']) return;
    const isDecoded = behaviour['estimate-signed-decoded-or-encoded'] === 'decoded';
    const pairs: SignaturePairs = Object.fromEntries(isDecoded ? query.decoded : query.encoded);
    if (!this.#state.signatureCheck.isEstimateSigned(partner, pairs, signature)) {
      throw new Refusal('signature-invalid', 'SIGN is not the signature of this query.', {
        field: 'Authorization',
        rule: 'auth/user-signature',
      });
    }
  }

  /** Gap `no-estimate-answer`. */
  #answerWithout(): Answer {
    if (this.#settings.behaviour['no-estimate-answer'] === 'refused') {
      throw new Refusal('no-estimate', 'There is no estimate for these parameters.');
    }
    return { status: 200, contentType: JSON_UTF8, body: this.#writeBody([]) };
  }
}

function tokenInvalid(
  what: string,
  rule:
    | 'auth/unknown-token'
    | 'auth/token-of-partner'
    | 'estimate/user'
    | 'estimate/platform'
    | 'lifecycle/user-token-newest-only'
    | 'lifecycle/refresh-single-use',
): Refusal {
  return new Refusal('access-token-invalid', `The access_token ${what}.`, {
    field: 'Authorization',
    rule,
  });
}
