import type { FaultSwitches } from '../faults/switches.ts';
import type { RandomSource } from '../random.ts';
import type { Settings } from '../settings.ts';
import { ExpiringMap } from './expiring-map.ts';
import type { Partner } from './partners.ts';
import { ShardedMap } from './sharded-map.ts';

/** A token and all that it was refreshed into; it ends as a whole where a replay ends it. */
export interface Family {
  ended: boolean;
}

/** What one access_token may do; its refresh_token stands for the same grant. */
export interface Grant {
  readonly partner: Partner;
  /** Null for a platform token. */
  readonly userId: string | null;
  /** Space-separated scopes. */
  readonly scope: string;
  readonly isPublic: boolean;
  /** When the access_token expires, in milliseconds since the epoch. */
  readonly accessExpiresAtMs: number;
  /** When the access_token may be forgotten, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly accessToken: string;
  readonly family: Family;
  /** A newer token of the same user was issued. */
  superseded: boolean;
}

/** Whom a token is issued to. */
export interface GrantRequest {
  readonly partner: Partner;
  readonly userId: string | null;
  readonly scope: string;
  /** The grant that is refreshed; null for a first token. */
  readonly refreshed: Grant | null;
}

/** An issued token, as the answer tells it. */
export interface IssuedToken {
  readonly grant: Grant;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** An expired token is remembered a while, so that its refusal can say that it expired. */
const REMEMBERED_AFTER_EXPIRY_MS = 10 * 60_000;
const REMEMBERED_USED_REFRESH_TOKENS = 10_000;
const HOUR_MS = 3_600_000;
const TOKEN_BYTES = 16;

/**
 * Access tokens and refresh tokens (interface.md, "States and transitions"): platform tokens
 * coexist, of a user's tokens only the newest is valid, a refresh_token is good once and has no
 * validity period limit. Nothing here waits, so a check and its mark are one step.
 */
export class Tokens {
  readonly #access = new ExpiringMap<Grant>();
  readonly #refresh = new ShardedMap<Grant>();
  /** The last used refresh tokens; older ones are refused as unknown. */
  readonly #usedRefresh = new Map<string, Grant>();
  readonly #newestOf = new ExpiringMap<Grant>();
  readonly #lifetimeMs: number;
  readonly #random: RandomSource;
  readonly #faults: FaultSwitches;

  constructor({ expiresInSeconds, random, faults }: Settings) {
    this.#lifetimeMs = expiresInSeconds * 1000;
    this.#random = random;
    this.#faults = faults;
  }

  /** How many tokens of each sort are held. */
  get sizes(): { access: number; refresh: number; usedRefresh: number } {
    return {
      access: this.#access.size,
      refresh: this.#refresh.size,
      usedRefresh: this.#usedRefresh.size,
    };
  }

  /** Looks an access_token up, valid or not: {@link isExpired} and the grant itself tell. */
  findAccess(accessToken: string): Grant | undefined {
    return this.#access.get(accessToken);
  }

  /** Once expires_in_second has elapsed. */
  isExpired(grant: Grant, nowMs: number): boolean {
    return nowMs >= grant.accessExpiresAtMs;
  }

  /** Looks an unused refresh_token up. */
  findRefresh(refreshToken: string, nowMs: number): Grant | undefined {
    const grant = this.#refresh.get(refreshToken);
    if (this.#faults['lifecycle/refresh-never-expires'] && grant !== undefined) {
      return nowMs < grant.accessExpiresAtMs + HOUR_MS ? grant : undefined;
    }
    return grant;
  }

  /** Looks a used refresh_token up, while it is remembered. */
  findUsedRefresh(refreshToken: string): Grant | undefined {
    return this.#usedRefresh.get(refreshToken);
  }

  /** Marks a refresh_token as used. */
  useRefresh(refreshToken: string): void {
    const grant = this.#refresh.get(refreshToken);
    if (grant === undefined || this.#faults['lifecycle/refresh-single-use']) return;
    this.#refresh.delete(refreshToken);
    this.#usedRefresh.set(refreshToken, grant);
    if (this.#usedRefresh.size > REMEMBERED_USED_REFRESH_TOKENS) {
      for (const oldest of this.#usedRefresh.keys()) {
        this.#usedRefresh.delete(oldest);
        break;
      }
    }
  }

  /** Issues an access_token and its refresh_token. */
  issue(request: GrantRequest, nowMs: number): IssuedToken {
    const grant = this.#makeGrant(request, this.#newAccessToken(request), nowMs);
    this.#access.set(grant.accessToken, grant, nowMs);
    const refreshToken = this.#newToken(this.#faults['token/response-refresh-token']);
    this.#refresh.set(refreshToken, grant);
    this.#supersede(grant, request.refreshed !== null, nowMs);
    return { grant, accessToken: grant.accessToken, refreshToken };
  }

  /** Admits an access_token that was made elsewhere, so that a profile's own token is good here. */
  admit(partner: Partner, accessToken: string, nowMs: number): void {
    const request = { partner, userId: null, scope: 'public', refreshed: null };
    this.#access.set(accessToken, this.#makeGrant(request, accessToken, nowMs), nowMs);
  }

  #makeGrant(request: GrantRequest, accessToken: string, nowMs: number): Grant {
    const { partner, userId, scope, refreshed } = request;
    const accessExpiresAtMs = nowMs + this.#effectiveLifetimeMs();
    return {
      partner,
      userId,
      scope,
      isPublic: ` ${scope} `.includes(' public '),
      accessExpiresAtMs,
      expiresAtMs: accessExpiresAtMs + REMEMBERED_AFTER_EXPIRY_MS,
      accessToken,
      family: refreshed?.family ?? { ended: false },
      superseded: this.#isStillborn(refreshed, nowMs),
    };
  }

  #effectiveLifetimeMs(): number {
    if (this.#faults['lifecycle/access-token-expires']) return Number.MAX_SAFE_INTEGER / 2;
    if (this.#faults['lifecycle/access-token-valid-until-expiry']) return this.#lifetimeMs / 2;
    return this.#lifetimeMs;
  }

  /** With its rule broken, what replaces an expired token does not work. */
  #isStillborn(refreshed: Grant | null, nowMs: number): boolean {
    if (!this.#faults['lifecycle/expired-replaced-by-refresh']) return false;
    return refreshed !== null && this.isExpired(refreshed, nowMs);
  }

  #newAccessToken({ refreshed }: GrantRequest): string {
    if (this.#faults['lifecycle/refresh-rotates'] && refreshed) return refreshed.accessToken;
    return this.#newToken(this.#faults['token/response-access-token']);
  }

  /** 128 random bits; digits alone where a fault wants to write the token as a number. */
  #newToken(asDigits: boolean): string {
    if (!asDigits) return this.#random(TOKEN_BYTES).toString('base64url');
    return String(1e14 + this.#random(6).readUIntBE(0, 6));
  }

  #supersede(grant: Grant, isRefresh: boolean, nowMs: number): void {
    if (grant.userId === null) {
      if (isRefresh || !this.#faults['lifecycle/platform-tokens-coexist']) return;
    } else if (this.#faults['lifecycle/user-token-newest-only']) return;
    const owner = `${grant.partner.id} ${grant.userId ?? ''}`;
    const previous = this.#newestOf.get(owner);
    if (previous !== undefined && previous.accessToken !== grant.accessToken) {
      previous.superseded = true;
    }
    this.#newestOf.set(owner, grant, nowMs);
  }
}
