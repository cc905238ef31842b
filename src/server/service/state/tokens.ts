import type { RandomSource } from '../random.ts';
import { ExpiringMap, ShardedMap } from './maps.ts';
import type { Partner } from './partners.ts';

/** A token and every token that it was refreshed into; all of them can be ended together. */
export interface Family {
  ended: boolean;
}

/** Rights of an access_token; its refresh_token refers to the same grant. */
export interface Grant {
  readonly partner: Partner;
  /** Null for a platform token. */
  readonly userId: string | null;
  /** Space-separated scopes. */
  readonly scope: string;
  readonly isPublic: boolean;
  /** Expiry of the access_token, in milliseconds since the epoch. */
  readonly accessExpiresAtMs: number;
  /** Time from which the access_token may be forgotten, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly accessToken: string;
  readonly family: Family;
  /** A newer token of the same user was issued. */
  superseded: boolean;
}

/** A token to be issued. */
export interface GrantRequest {
  readonly partner: Partner;
  /** Null for a platform token. */
  readonly userId: string | null;
  readonly scope: string;
  /** The grant that is refreshed; null for a first token. */
  readonly refreshed: Grant | null;
  /** Texts of the tokens; default 128 random bits each. */
  readonly accessToken?: string | undefined;
  readonly refreshToken?: string | undefined;
}

/** An issued token. */
export interface IssuedToken {
  readonly grant: Grant;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** An access_token in another process. */
export interface GrantRecord
  extends Pick<Grant, 'userId' | 'scope' | 'accessToken' | 'accessExpiresAtMs'> {
  /** Position of the partner, see {@link Partner.index}. */
  readonly partnerIndex: number;
}

/** Sees the changes of access tokens. */
export interface GrantObserver {
  /** An access_token is valid from now on. */
  readonly admitted: (grant: Grant) => void;
  /** An access_token was replaced by a newer one. */
  readonly superseded: (grant: Grant) => void;
}

/** The tokens that a newer one ends, beyond what the interface says. */
export interface Succession {
  /** True if a refresh ends the access_token that it replaces (gap `platform-token-after-refresh`). */
  readonly refreshEnds: boolean;
  /** True if a partner has one valid user token, whoever its user (gap `newest-user-token-reach`). */
  readonly isNewestOfPartner: boolean;
}

/** An expired token is kept for a while, so that its refusal can say that it expired. */
const KEPT_AFTER_EXPIRY_MS = 10 * 60_000;
const KEPT_USED_REFRESH_TOKENS = 10_000;
const TOKEN_BYTES = 16;
/** The family of all copied tokens: whatever ends a family is done where the tokens were issued. */
const COPIED_FAMILY: Family = { ended: false };

/**
 * Access tokens and refresh tokens (interface.md, "States and transitions"): platform tokens
 * coexist, of a user's tokens only the newest is valid, a refresh_token is valid once and has no
 * validity period limit. Every method is synchronous, so that a check and its mark are one step.
 */
export class Tokens {
  readonly #access = new ExpiringMap<Grant>();
  readonly #refresh = new ShardedMap<Grant>();
  /** The last used refresh tokens; older ones are refused as unknown. */
  readonly #usedRefresh = new Map<string, Grant>();
  /** The newest token of each user, or of all users of a partner. */
  readonly #newest = new ExpiringMap<Grant>();
  readonly #lifetimeMs: number;
  readonly #random: RandomSource;
  readonly #succession: Succession;
  /** The scope of the last copied token, which most others have too. */
  #copiedScope = '';
  /** Set where another process has a copy of the access tokens. */
  observer: GrantObserver | null = null;

  /** @param lifetimeMs validity of an access_token */
  constructor(
    lifetimeMs: number,
    random: RandomSource,
    succession: Succession = { refreshEnds: false, isNewestOfPartner: false },
  ) {
    this.#lifetimeMs = lifetimeMs;
    this.#random = random;
    this.#succession = succession;
  }

  /** Number of tokens in memory, by kind. */
  get sizes(): { access: number; refresh: number; usedRefresh: number } {
    return {
      access: this.#access.size,
      refresh: this.#refresh.size,
      usedRefresh: this.#usedRefresh.size,
    };
  }

  /** Counts the access tokens that are valid now, of partners and of users. */
  async countValid(nowMs: number): Promise<{ platform: number; user: number }> {
    let platform = 0;
    const all = await this.#access.count((grant) => {
      const { accessExpiresAtMs, superseded, family, userId } = grant;
      if (superseded || family.ended || accessExpiresAtMs <= nowMs) return false;
      if (userId === null) platform++;
      return true;
    });
    return { platform, user: all - platform };
  }

  /** Looks up an access_token; it may have expired or been superseded. */
  findAccess(accessToken: string): Grant | undefined {
    return this.#access.get(accessToken);
  }

  /** Looks up an unused refresh_token. */
  findRefresh(refreshToken: string): Grant | undefined {
    return this.#refresh.get(refreshToken);
  }

  /** Looks up a used refresh_token, as long as it is kept. */
  findUsedRefresh(refreshToken: string): Grant | undefined {
    return this.#usedRefresh.get(refreshToken);
  }

  /** Marks a refresh_token as used. */
  useRefresh(refreshToken: string): void {
    const grant = this.#refresh.get(refreshToken);
    if (grant === undefined) return;
    this.#refresh.delete(refreshToken);
    this.#usedRefresh.set(refreshToken, grant);
    if (this.#usedRefresh.size <= KEPT_USED_REFRESH_TOKENS) return;
    const [oldest] = this.#usedRefresh.keys();
    this.#usedRefresh.delete(oldest!);
  }

  /** Issues an access_token and its refresh_token. */
  issue(request: GrantRequest, nowMs: number): IssuedToken {
    const grant = this.admit(request, nowMs);
    const refreshToken = request.refreshToken ?? this.createToken();
    this.#refresh.set(refreshToken, grant);
    if (grant.userId !== null) this.#supersedeEarlier(grant, grant.userId, nowMs);
    if (request.refreshed !== null && this.#succession.refreshEnds)
      this.#supersede(request.refreshed);
    return { grant, accessToken: grant.accessToken, refreshToken };
  }

  /** Makes an access_token valid, without a refresh_token; used for one that was issued elsewhere. */
  admit(request: GrantRequest, nowMs: number): Grant {
    const { accessToken = this.createToken() } = request;
    const accessExpiresAtMs = nowMs + this.#lifetimeMs;
    const family = request.refreshed?.family ?? { ended: false };
    const grant = this.#store({ ...request, accessToken, accessExpiresAtMs, family }, nowMs);
    this.observer?.admitted(grant);
    return grant;
  }

  /** Copies an access_token of another process. */
  copy(record: GrantRecord, partner: Partner, nowMs: number): void {
    // A message brings a text of its own for each token, and there are as many as a million.
    if (record.scope !== this.#copiedScope) this.#copiedScope = record.scope;
    const shared = { scope: this.#copiedScope, family: COPIED_FAMILY };
    this.#store({ ...record, ...shared, partner }, nowMs);
  }

  /** Marks the copy of an access_token that was replaced, if it is still here. */
  supersede(accessToken: string): void {
    const grant = this.#access.get(accessToken);
    if (grant !== undefined) this.#supersede(grant);
  }

  /**
   * Every access_token that is valid now, to be copied; tokens that come or go meanwhile may be missed or
   * repeated.
   */
  *valid(nowMs: number): Generator<Grant, undefined> {
    for (const grant of this.#access.values()) {
      if (!grant.superseded && grant.accessExpiresAtMs > nowMs) yield grant;
    }
    return undefined;
  }

  /** The text of a new token: 128 random bits in base64url. */
  createToken(): string {
    return this.#random(TOKEN_BYTES).toString('base64url');
  }

  #store(
    {
      partner,
      userId,
      scope,
      accessToken,
      accessExpiresAtMs,
      family,
    }: Omit<GrantRequest, 'refreshed'> &
      Pick<Grant, 'accessToken' | 'accessExpiresAtMs' | 'family'>,
    nowMs: number,
  ): Grant {
    const grant: Grant = {
      partner,
      userId,
      scope,
      isPublic: ` ${scope} `.includes(' public '),
      accessExpiresAtMs,
      expiresAtMs: accessExpiresAtMs + KEPT_AFTER_EXPIRY_MS,
      accessToken,
      family,
      superseded: false,
    };
    this.#access.set(grant.accessToken, grant, nowMs);
    return grant;
  }

  #supersede(grant: Grant): void {
    grant.superseded = true;
    this.observer?.superseded(grant);
  }

  #supersedeEarlier(grant: Grant, userId: string, nowMs: number): void {
    const owner = `${grant.partner.id} ${this.#succession.isNewestOfPartner ? '' : userId}`;
    const earlier = this.#newest.get(owner);
    if (earlier !== undefined) this.#supersede(earlier);
    this.#newest.set(owner, grant, nowMs);
  }
}
