import { ConfigurationError, FareproofError, LIMITS } from '../interface/index.ts';
import {
  type AccessToken,
  choosePartner,
  refreshToken,
  type TokenSource,
  takeToken,
} from './access-token.ts';
import type { LoadOptions } from './load-options.ts';
import { resolveTarget } from './target-address.ts';
import type { LoadIdentity } from './workload.ts';

/** Whoever sends with the token; told of each new one. */
export interface TokenUser {
  /** From now on requests carry this token; those in flight may still carry the one before it. */
  setToken(accessToken: string): void;
  /** Sends nothing more, and resolves when nothing is in flight. */
  hold(): Promise<void>;
  /** Sends again, with this token. */
  resume(accessToken: string): void;
}

/** A token is replaced when a fifth of its life is left, and at most a minute of it. */
const MARGIN_SHARE = 0.2;
const LONGEST_MARGIN_MS = 60_000;
/** The longest time that a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The one owner of a run's token: takes it, replaces it in time, and sends each refresh_token once.
 * Several runs in a row share one owner, so that they spend one token request together.
 */
export class TokenKeeper {
  readonly #source: TokenSource;
  readonly #identity: LoadIdentity;
  #token: AccessToken;
  #issuedAtMs: number;
  #user: TokenUser | null = null;
  #timer: NodeJS.Timeout | null = null;
  #refreshing: Promise<void> | null = null;
  #refreshes = 0;
  /** What went wrong with a refresh, for the report. */
  readonly notes: string[] = [];

  private constructor(source: TokenSource, identity: LoadIdentity, token: AccessToken) {
    this.#source = source;
    this.#identity = identity;
    this.#token = token;
    this.#issuedAtMs = source.clock.now();
  }

  /**
   * Takes the token.
   *
   * @throws FareproofError as takeToken
   */
  static async take(source: TokenSource, identity: LoadIdentity): Promise<TokenKeeper> {
    return new TokenKeeper(source, identity, await takeToken(source, identity));
  }

  get current(): AccessToken {
    return this.#token;
  }

  get refreshes(): number {
    return this.#refreshes;
  }

  /**
   * Makes sure of a token that is good at the start of a run, and of its replacement during it.
   *
   * @throws ConfigurationError `TOKEN_TOO_SHORT` where the run needs more refreshes than a day allows
   */
  async prepare(runMs: number): Promise<void> {
    const lifeMs = this.#lifeMs();
    if (lifeMs === null) return;
    const needed = Math.ceil(runMs / (lifeMs - marginOf(lifeMs)));
    if (this.#refreshes + needed - 1 > LIMITS.refreshesPerDay) {
      throw new ConfigurationError(
        'TOKEN_TOO_SHORT',
        `The target's tokens live for ${lifeMs / 1000} s, so a run of ${Math.ceil(runMs / 1000)} s needs ${needed - 1} refreshes, and a partner has ${LIMITS.refreshesPerDay} a day; shorten the run, or give the profile's partner an accessToken that outlives it.`,
      );
    }
    if (this.#replaceInMs() <= 0) await this.#replace();
  }

  /** Replaces the token in time for as long as it is used. */
  attach(user: TokenUser): void {
    this.#user = user;
    this.#arm();
  }

  /** A refresh under way is waited for, so that its tokens are not lost. */
  async detach(): Promise<void> {
    this.#user = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#refreshing;
  }

  #lifeMs(): number | null {
    return this.#token.expiresAtMs === null ? null : this.#token.expiresAtMs - this.#issuedAtMs;
  }

  #replaceInMs(): number {
    const lifeMs = this.#lifeMs();
    if (lifeMs === null) return Number.POSITIVE_INFINITY;
    return this.#issuedAtMs + lifeMs - marginOf(lifeMs) - this.#source.clock.now();
  }

  #arm(): void {
    const inMs = this.#replaceInMs();
    if (this.#user === null || inMs > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(
      () => {
        this.#refreshing = this.#replaceForUser().finally(() => {
          this.#refreshing = null;
          this.#arm();
        });
      },
      Math.max(0, inMs),
    );
  }

  /** Of one user only the newest token is valid, so nothing may be in flight with the older one. */
  async #replaceForUser(): Promise<void> {
    const user = this.#user;
    if (this.#identity === 'platform') {
      await this.#replace();
      user?.setToken(this.#token.value);
      return;
    }
    await user?.hold();
    await this.#replace();
    user?.resume(this.#token.value);
  }

  async #replace(): Promise<void> {
    const spent = this.#token.refreshToken;
    const askedAtMs = this.#source.clock.now();
    try {
      if (spent === null) return;
      this.#refreshes++;
      this.#token = await refreshToken(this.#source, spent);
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      // The refresh_token may be used up by now; sending it again could cost more than a token.
      this.notes.push(`The token could not be refreshed: ${error.message}`);
      this.#token = { ...this.#token, refreshToken: null, expiresAtMs: null };
    }
    this.#issuedAtMs = askedAtMs;
  }
}

const marginOf = (lifeMs: number): number => Math.min(LONGEST_MARGIN_MS, lifeMs * MARGIN_SHARE);

/**
 * Takes the token of one or several runs with the same options.
 *
 * @throws as {@link TokenKeeper.take}
 */
export async function takeTokens(
  options: Pick<LoadOptions, 'profile' | 'identity' | 'clock' | 'seed'>,
): Promise<TokenKeeper> {
  const { profile, clock, seed } = options;
  const identity = options.identity ?? 'platform';
  const address = await resolveTarget(profile);
  const partner = choosePartner(profile, identity);
  return TokenKeeper.take({ profile, address, partner, clock, seed }, identity);
}
