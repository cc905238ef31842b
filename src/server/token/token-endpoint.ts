import type { GrantType } from '../../interface/index.ts';
import { ALLOWANCE_OF_GRANT } from '../../interface/index.ts';
import type { Answer } from '../answer.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { SignatureCheck } from '../signature-check.ts';
import type { Account, Allowances } from '../state/allowances.ts';
import type { NostrLog } from '../state/nostr-log.ts';
import type { Partner, Partners } from '../state/partners.ts';
import type { IssuedToken } from '../state/tokens.ts';
import type { EntitlementState } from './entitlement.ts';
import type { Sender } from './identify.ts';
import { grantScope } from './scopes.ts';
import type { TokenFields, TokenGrant } from './token-fields.ts';
import type { TokenSteps } from './token-steps.ts';

/** A token request. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** The state that the token endpoint works on. */
export interface TokenState extends EntitlementState {
  readonly partners: Partners;
  readonly allowances: Allowances;
  readonly nostrLog: NostrLog;
}

/**
 * `POST /v1/oauth/token` (interface.md, "1. Request, refresh or exchange a token").
 *
 * Order of judgement: Authorization, partner, body, grant type, fields, signature, `_`, nostr,
 * scope, ban, then the refresh_token or auth_code, then the allowance. So a request that is refused
 * for another reason spends nothing. It is synchronous: no other request comes between a check and
 * its mark.
 */
export class TokenEndpoint {
  readonly #settings: Settings;
  readonly #state: TokenState;
  readonly #signatures: SignatureCheck;
  readonly #steps: TokenSteps;

  constructor(
    settings: Settings,
    state: TokenState,
    signatures: SignatureCheck,
    steps: TokenSteps,
  ) {
    this.#settings = settings;
    this.#state = state;
    this.#signatures = signatures;
    this.#steps = steps;
  }

  /** @throws Refusal for a request that gets no token */
  answer({ authorization, contentType, body }: TokenRequest): Answer {
    const { identify, parseBody, readGrantType, writeToken } = this.#steps;
    const sender = identify(authorization, this.#state.partners);
    const fields = parseBody(body, contentType);
    const grantType = readGrantType(fields);
    try {
      return writeToken(this.#issue(sender, fields, grantType));
    } catch (error) {
      if (error instanceof Refusal) this.#countRefused(error, sender.partner, grantType);
      throw error;
    }
  }

  #issue({ partner, signature }: Sender, fields: TokenFields, grantType: GrantType): IssuedToken {
    const { readGrant, refuseStale, entitle } = this.#steps;
    const { tokens, allowances } = this.#state;
    const nowMs = this.#settings.clock.now();
    const grant = readGrant(fields, grantType);
    this.#checkSignature(partner, fields, signature);
    refuseStale(grant.timestamp, nowMs);
    this.#refuseReplay(partner, grant.nostr, nowMs);
    const requestedScope = this.#grantScope(grant.scope);
    const account = this.#accountOf(partner, grant);
    allowances.refuseBanned(account, nowMs);
    const { markUsed, ...entitlement } = entitle(partner, grant, this.#state, nowMs);
    allowances.spend(account, nowMs);
    markUsed();
    const scope = requestedScope ?? entitlement.defaultScope;
    return tokens.issue({ partner, scope, ...entitlement }, nowMs);
  }

  /** @throws Refusal `signature-invalid` */
  #checkSignature(partner: Partner, fields: TokenFields, signature: string): void {
    if (this.#signatures.isTokenSigned(partner, fields, signature)) return;
    throw new Refusal('signature-invalid', 'SIGN is not the signature of this body.', {
      field: 'Authorization',
      rule: 'signature/invalid-refused',
    });
  }

  /** Gap `nostr-replay`. */
  #refuseReplay(partner: Partner, nostr: string, nowMs: number): void {
    if (this.#settings.behaviour['nostr-replay'] !== 'refused') return;
    if (this.#state.nostrLog.remember(partner, nostr, nowMs)) return;
    const message = 'This nostr was sent within the last 10 minutes.';
    throw new Refusal('nostr-replayed', message, { field: 'nostr' });
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
