import type { Grant, IssuedToken, Tokens } from '../service/state/tokens.ts';
import { withMethods } from './with-methods.ts';

/** The history of a token since it was issued. Times are in milliseconds since the epoch. */
export interface TokenLife {
  readonly grant: Grant;
  readonly refreshToken: string;
  readonly issuedAtMs: number;
  /** Number of refreshes between a first token and this one. */
  readonly generation: number;
  /** The token that its refresh_token was first exchanged for. */
  successor: TokenLife | null;
  /** Time of that exchange. */
  refreshedAtMs: number | null;
  /** Number of further exchanges. */
  replays: number;
  /** The token that took its place as the newest of the user. */
  newer: TokenLife | null;
  /** Number of estimates with its access_token. */
  uses: number;
  lastUsedAtMs: number | null;
}

/** The histories of the tokens of a service, which its faults may depend on. */
export class TokenLives {
  readonly #lives = new WeakMap<Grant, TokenLife>();
  readonly #newest = new Map<string, TokenLife>();

  /** The history of a grant; undefined for one that was not issued here. */
  of(grant: Grant | undefined): TokenLife | undefined {
    return grant && this.#lives.get(grant);
  }

  /** Tokens that write their history. */
  watch(tokens: Tokens): Tokens {
    return withMethods(tokens, {
      issue: (request, nowMs) => {
        const issued = tokens.issue(request, nowMs);
        this.#begin(issued, this.of(request.refreshed ?? undefined), nowMs);
        return issued;
      },
    });
  }

  #begin({ grant, refreshToken }: IssuedToken, from: TokenLife | undefined, nowMs: number): void {
    const life: TokenLife = {
      grant,
      refreshToken,
      issuedAtMs: nowMs,
      generation: from === undefined ? 0 : from.generation + 1,
      successor: null,
      refreshedAtMs: null,
      replays: 0,
      newer: null,
      uses: 0,
      lastUsedAtMs: null,
    };
    this.#lives.set(grant, life);
    if (from?.successor) from.replays++;
    else if (from) Object.assign(from, { successor: life, refreshedAtMs: nowMs });
    if (grant.userId === null) return;
    const owner = `${grant.partner.id} ${grant.userId}`;
    const earlier = this.#newest.get(owner);
    if (earlier) earlier.newer = life;
    this.#newest.set(owner, life);
  }
}
