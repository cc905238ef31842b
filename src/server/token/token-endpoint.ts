import { setTimeout as sleep } from 'node:timers/promises';
import type { GrantType, TokenResponse } from '../../interface/index.ts';
import { ALLOWANCE_OF_GRANT } from '../../interface/index.ts';
import type { Answer } from '../answer.ts';
import { JSON_UTF8 } from '../answer.ts';
import { parseTokenAuthorization } from '../authorization.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { SignatureCheck } from '../signature-check.ts';
import type { Account, Allowances } from '../state/allowances.ts';
import type { AuthCodes } from '../state/auth-codes.ts';
import type { NostrLog } from '../state/nostr-log.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { IssuedToken, Tokens } from '../state/tokens.ts';
import { entitle } from './entitlement.ts';
import { refuseStale } from './freshness.ts';
import { grantScope } from './scopes.ts';
import type { TokenFields, TokenGrant } from './token-fields.ts';
import { parseTokenBody, readGrant, readGrantType } from './token-fields.ts';

/** A token request, as HTTP brought it. */
export interface TokenHttpRequest {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** What the token endpoint works on. */
export interface TokenState {
  readonly partners: Partners;
  readonly tokens: Tokens;
  readonly authCodes: AuthCodes;
  readonly allowances: Allowances;
  readonly nostrLog: NostrLog;
  readonly signatureCheck: SignatureCheck;
}

/** Steps of a millisecond between a check and its mark, with the rule of concurrent refreshes broken. */
const RACE_STEPS = 25;

/**
 * `POST /v1/oauth/token` (interface.md, "1. Request, refresh or exchange a token").
 *
 * Order of judgement: Authorization, partner, body, grant type, fields, signature, `_`, nostr,
 * scope, ban, then what the grant needs, then the allowance. So a request that is refused for
 * another reason spends nothing, and no wait stands between a check and its mark.
 */
export class TokenEndpoint {
  readonly #settings: Settings;
  readonly #state: TokenState;

  constructor(settings: Settings, state: TokenState) {
    this.#settings = settings;
    this.#state = state;
  }

  /** @throws Refusal for a request that gets no token */
  async answer(request: TokenHttpRequest): Promise<Answer> {
    const { faults } = this.#settings;
    const { partner, signature } = this.#identify(request.authorization);
    const fields = this.#readBody(request);
    const grantType = readGrantType(fields, faults);
    try {
      return this.#write(await this.#issue(partner, signature, fields, grantType));
    } catch (error) {
      if (error instanceof Refusal) this.#countRefused(error, partner, grantType);
      throw error;
    }
  }

  /** The partner, and its signature; null where a fault leaves nothing to check. */
  #identify(header: string | undefined): { partner: Partner; signature: string | null } {
    const { faults } = this.#settings;
    const { partners } = this.#state;
    const anyone = { partner: partners.at(0) ?? GUEST, signature: null };
    if (faults['token/authorization-required'] && !header) return anyone;
    try {
      const { partnerId, signature } = parseTokenAuthorization(header);
      const partner = partners.find(partnerId);
      if (partner !== undefined) return { partner, signature };
    } catch (refusal) {
      if (faults['token/authorization-shape'] && header) return anyone;
      throw refusal;
    }
    if (faults['token/partner-unknown']) return { partner: GUEST, signature: null };
    throw new Refusal('partner-unknown', 'No partner has this id.', {
      field: 'Authorization',
      rule: 'token/partner-unknown',
    });
  }

  #readBody({ body, contentType }: TokenHttpRequest): TokenFields {
    try {
      return parseTokenBody(body, contentType);
    } catch (refusal) {
      if (!this.#settings.faults['token/json-body']) throw refusal;
      return UNREADABLE;
    }
  }

  async #issue(
    partner: Partner,
    signature: string | null,
    fields: TokenFields,
    grantType: GrantType,
  ): Promise<IssuedToken> {
    const { faults, clock } = this.#settings;
    const { tokens, allowances } = this.#state;
    const nowMs = clock.now();
    const grant = fields === UNREADABLE ? UNREADABLE_GRANT : readGrant(fields, grantType, faults);
    if (fields !== UNREADABLE) this.#refuseForged(partner, signature, fields, grant, nowMs);
    this.#refuseBrokenGrant(grantType);
    const requestedScope = this.#grantScope(grant.scope);
    const account = this.#accountOf(partner, grant);
    allowances.refuseBanned(account, nowMs);
    const entitlement = entitle(partner, grant, this.#settings, this.#state, nowMs);
    if (faults['lifecycle/refresh-single-use-concurrent'] && entitlement.refreshed) {
      // Where this process stands still meanwhile it takes one step: the others have turns to come.
      for (let step = 0; step < RACE_STEPS; step++) await sleep(1);
    }
    allowances.spend(account, nowMs);
    entitlement.markUsed();
    const scope = requestedScope ?? entitlement.defaultScope;
    return tokens.issue({ partner, scope, ...entitlement }, nowMs);
  }

  /** Whatever can be wrong before the grant itself is looked at. */
  #refuseForged(
    partner: Partner,
    signature: string | null,
    fields: TokenFields,
    grant: TokenGrant,
    nowMs: number,
  ): void {
    const { signatureCheck, nostrLog } = this.#state;
    if (signature !== null && !signatureCheck.isTokenSigned(partner, fields, signature)) {
      throw new Refusal('signature-invalid', 'SIGN is not the signature of this body.', {
        field: 'Authorization',
        rule: 'signature/invalid-refused',
      });
    }
    refuseStale(grant.timestamp, this.#settings, nowMs);
    if (
      this.#settings.behaviour['nostr-replay'] === 'refused' &&
      !nostrLog.remember(partner, grant.nostr, nowMs)
    ) {
      throw new Refusal('nostr-replayed', 'This nostr was sent within the last 10 minutes.', {
        field: 'nostr',
      });
    }
  }

  #refuseBrokenGrant(grantType: GrantType): void {
    const { faults } = this.#settings;
    const isBroken = {
      client_credentials: faults['token/grant-client-credentials'],
      refresh_token: faults['token/grant-refresh-token'],
      authorization_code: faults['token/grant-authorization-code'],
    };
    if (isBroken[grantType]) {
      throw new Refusal('grant-type-unknown', 'This grant_type is not served.');
    }
  }

  #grantScope(requested: string | undefined): string | null {
    return requested === undefined
      ? null
      : grantScope(requested, this.#settings.behaviour['unknown-scope']);
  }

  #accountOf(partner: Partner, { grantType, authCode }: TokenGrant): Account {
    const kind = ALLOWANCE_OF_GRANT[grantType];
    const isPerUser = kind === 'user' && this.#settings.behaviour['user-quota-reach'] === 'user';
    const userId = isPerUser ? this.#state.authCodes.find(partner, authCode)?.userId : undefined;
    return { partner, kind, userId: userId ?? '' };
  }

  /** Gap `failed-requests-count`: a refused request of a known partner and grant is counted too. */
  #countRefused(refusal: Refusal, partner: Partner, grantType: GrantType): void {
    if (this.#settings.behaviour['failed-requests-count'] === 'no') return;
    if (refusal.condition === 'banned' || refusal.condition === 'quota-exceeded') return;
    const account = { partner, kind: ALLOWANCE_OF_GRANT[grantType], userId: '' };
    const nowMs = this.#settings.clock.now();
    this.#state.allowances.refuseBanned(account, nowMs);
    this.#state.allowances.spend(account, nowMs);
  }

  #write({ grant, accessToken, refreshToken }: IssuedToken): Answer {
    const { faults, behaviour, expiresInSeconds } = this.#settings;
    const response: TokenResponse = {
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in_second: expiresInSeconds,
      token_type: faults['token/response-token-type'] ? 'mac' : behaviour['token-type-spelling'],
      scope: faults['token/scope-echo'] ? 'public' : grant.scope,
    };
    const faulty: Record<string, unknown> = {};
    if (faults['token/response-access-token']) faulty['access_token'] = Number(accessToken);
    if (faults['token/response-refresh-token']) faulty['refresh_token'] = Number(refreshToken);
    if (faults['token/response-expires']) faulty['expires_in_second'] = `${expiresInSeconds}`;
    return {
      status: faults['token/response-status'] ? 201 : 200,
      contentType: faults['token/response-content-type']
        ? 'application/json; charset=iso-8859-1'
        : JSON_UTF8,
      body: JSON.stringify({ ...response, ...faulty }),
    };
  }
}

/** Nobody in particular: whom a service with a broken rule takes a stranger for. */
const GUEST: Partner = { id: 'guest', signingKey: '', longLock: false, index: 0 };

/** What a body that is not JSON is taken for, with its rule broken. */
const UNREADABLE: TokenFields = { grant_type: 'client_credentials' };
const UNREADABLE_GRANT: TokenGrant = {
  grantType: 'client_credentials',
  scope: undefined,
  timestamp: undefined,
  nostr: '',
  refreshToken: '',
  authCode: '',
};
