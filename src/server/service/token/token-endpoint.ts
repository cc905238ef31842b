import {
  ALLOWANCE_OF_GRANT,
  DURATION_WORDS,
  type GrantType,
  LIMITS,
  type TokenResponse,
} from '../../../interface/index.ts';
import { identify, type Sender } from '../authorization.ts';
import { type Answer, jsonAnswer, Refusal, type ServiceRequest } from '../messages.ts';
import { type RateLimiter, rateLimiterOf } from '../rate-limiter.ts';
import type { ServiceState } from '../service-state.ts';
import type { Settings } from '../settings.ts';
import { type SignatureCheck, signatureRefusal } from '../signature-check.ts';
import type { Account } from '../state/allowances.ts';
import { ExpiringMap } from '../state/maps.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { IssuedToken } from '../state/tokens.ts';
import { type Entitlement, entitle } from './entitlement.ts';
import { type FreshnessLimits, refuseStale } from './timestamp.ts';
import {
  grantRefreshScope,
  grantScope,
  parseTokenBody,
  readGrant,
  readGrantType,
  refuseContentType,
  type TokenFields,
  type TokenGrant,
} from './token-fields.ts';

/** The steps of a token request that a fault can replace, in their order. */
export interface TokenSteps {
  /** Reads the header Authorization and finds the partner that it names. */
  readonly identify: (header: string | undefined, partners: Partners) => Sender;
  /** Parses the body. */
  readonly parseBody: (body: Uint8Array, contentType: string | undefined) => TokenFields;
  readonly readGrantType: (fields: TokenFields) => GrantType;
  /** Reads the fields that the grant type requires. */
  readonly readGrant: (fields: TokenFields, grantType: GrantType) => TokenGrant;
  /** Judges the field `_`. */
  readonly refuseStale: (timestamp: unknown, nowMs: number) => void;
  /** Judges the refresh_token or the auth_code. */
  readonly entitle: (
    partner: Partner,
    grant: TokenGrant,
    state: ServiceState,
    nowMs: number,
  ) => Entitlement;
  /** Writes the answer. */
  readonly writeToken: (issued: IssuedToken) => Answer;
}

/** The steps as the interface has them, with the gaps' settings. */
export function tokenSteps(
  { behaviour, expiresInSeconds }: Settings,
  freshness: FreshnessLimits,
): TokenSteps {
  return {
    identify,
    parseBody: (body, contentType) => {
      refuseContentType(contentType, behaviour['token-content-type-required']);
      return parseTokenBody(body);
    },
    readGrantType,
    readGrant,
    refuseStale: (timestamp, nowMs) => refuseStale(timestamp, freshness, nowMs),
    entitle: (partner, grant, state) => entitle(partner, grant, state, behaviour),
    writeToken: ({ grant, accessToken, refreshToken }) =>
      jsonAnswer(200, {
        access_token: accessToken,
        refresh_token: refreshToken,
        expires_in_second: expiresInSeconds,
        token_type: behaviour['token-type-spelling'],
        scope: grant.scope,
      } satisfies TokenResponse),
  };
}

/**
 * `POST /v1/oauth/token` (interface.md, "1. Request, refresh or exchange a token").
 *
 * Order of judgement: Authorization, partner, rate, body, grant type, fields, signature, `_`, nostr,
 * scope, ban, then the refresh_token or auth_code, then the allowance. So a request that is refused
 * for another reason spends nothing. It is synchronous: no other request comes between a check and
 * its mark.
 */
export class TokenEndpoint {
  readonly #settings: Settings;
  readonly #state: ServiceState;
  readonly #check: SignatureCheck;
  readonly #steps: TokenSteps;
  readonly #rateLimiter: RateLimiter | null;
  /** The nostr values of the last 10 minutes, by partner. */
  readonly #nostrs = new ExpiringMap<{ readonly expiresAtMs: number }>();

  constructor(settings: Settings, state: ServiceState, check: SignatureCheck, steps: TokenSteps) {
    this.#settings = settings;
    this.#state = state;
    this.#check = check;
    this.#steps = steps;
    this.#rateLimiter = rateLimiterOf(settings.behaviour['token-rate-limit']);
  }

  /** @throws Refusal for a request that gets no token */
  answer({ authorization, contentType, body }: ServiceRequest): Answer {
    const steps = this.#steps;
    const sender = steps.identify(authorization, this.#state.partners);
    this.#rateLimiter?.require(sender.partner, this.#settings.clock.now());
    const fields = steps.parseBody(body, contentType);
    const grantType = steps.readGrantType(fields);
    try {
      return steps.writeToken(this.#issue(sender, fields, grantType));
    } catch (error) {
      if (error instanceof Refusal) this.#countRefused(error, sender.partner, grantType);
      throw error;
    }
  }

  #issue({ partner, signature }: Sender, fields: TokenFields, grantType: GrantType): IssuedToken {
    const steps = this.#steps;
    const { tokens, allowances } = this.#state;
    const nowMs = this.#settings.clock.now();
    const grant = steps.readGrant(fields, grantType);
    this.#checkSignature(partner, fields, signature);
    steps.refuseStale(grant.timestamp, nowMs);
    this.#refuseReplay(partner, grant.nostr, nowMs);
    const { 'unknown-scope': unknownScope } = this.#settings.behaviour;
    const requestedScope = grant.scope && grantScope(grant.scope, unknownScope);
    const account = this.#accountOf(partner, grant);
    allowances.refuseBanned(account, nowMs);
    const { markUsed, ...entitlement } = steps.entitle(partner, grant, this.#state, nowMs);
    const scope = this.#scopeOf(requestedScope, entitlement);
    allowances.spend(account, nowMs);
    markUsed();
    return tokens.issue({ partner, scope, ...entitlement }, nowMs);
  }

  /** @throws Refusal `scope-unknown` for a refresh (gap `refresh-scope`) */
  #scopeOf(
    requested: string | undefined,
    { defaultScope, refreshed }: Pick<Entitlement, 'defaultScope' | 'refreshed'>,
  ): string {
    if (requested === undefined) return defaultScope;
    if (refreshed === null) return requested;
    const { wider } = this.#settings.behaviour['refresh-scope'];
    return grantRefreshScope(requested, refreshed.scope, wider);
  }

  /** @throws Refusal `signature-invalid` */
  #checkSignature(partner: Partner, fields: TokenFields, signature: string): void {
    if (this.#check.isTokenSigned(partner, fields, signature)) return;
    const signed = { what: 'body', pairs: fields } as const;
    throw signatureRefusal(this.#settings, signed, partner, signature);
  }

  /** Gap `nostr-replay`. */
  #refuseReplay(partner: Partner, nostr: string, nowMs: number): void {
    if (this.#settings.behaviour['nostr-replay'] !== 'refused') return;
    const key = `${partner.id} ${nostr}`;
    if (nowMs < (this.#nostrs.get(key)?.expiresAtMs ?? 0)) {
      const message = `This nostr was sent within the last ${DURATION_WORDS.timestampValidity}.`;
      throw new Refusal('nostr-replayed', message, { field: 'nostr' });
    }
    this.#nostrs.set(key, { expiresAtMs: nowMs + LIMITS.timestampValiditySeconds * 1000 }, nowMs);
  }

  #accountOf(partner: Partner, { grantType, authCode }: TokenGrant): Account {
    const kind = ALLOWANCE_OF_GRANT[grantType];
    const isPerUser = kind === 'user' && this.#settings.behaviour['user-quota-reach'] === 'user';
    const userId = isPerUser ? this.#state.authCodes.find(partner, authCode)?.userId : undefined;
    return { partner, kind, userId: userId ?? '' };
  }

  /** Gap `failed-requests-count`: a refused request of a known partner and grant type is counted too. */
  #countRefused(refusal: Refusal, partner: Partner, grantType: GrantType): void {
    if (this.#settings.behaviour['failed-requests-count'] === 'no') return;
    if (refusal.condition === 'banned' || refusal.condition === 'quota-exceeded') return;
    const account = { partner, kind: ALLOWANCE_OF_GRANT[grantType], userId: '' };
    const nowMs = this.#settings.clock.now();
    this.#state.allowances.refuseBanned(account, nowMs);
    this.#state.allowances.spend(account, nowMs);
  }
}
