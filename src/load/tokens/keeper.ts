import {
  ConfigurationError,
  FareproofError,
  LIMITS,
  type ProfilePartner,
} from '../../interface/index.ts';
import type { LoadOptions } from '../options.ts';
import { validateLoad } from '../plan/valid-load.ts';
import type { LoadIdentity } from '../workload/requests.ts';
import { type AccessToken, refreshToken, type TokenSource, takeToken } from './access-token.ts';
import { NOTHING_LEFT } from './allowance.ts';
import { makeFreshPartner } from './fresh-partner.ts';

/** Whoever sends with the token; told of each new one. */
export interface TokenUser {
  /** From now on requests carry this token; those in flight may still carry the one before it. */
  setToken(accessToken: string): void;
  /** Sends nothing more, and resolves when nothing is in flight. */
  pause(): Promise<void>;
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
   * @throws FareproofError as takeToken, its allowance included
   */
  static async take(source: TokenSource, identity: LoadIdentity): Promise<TokenKeeper> {
    return new TokenKeeper(source, identity, await takeToken(source, identity));
  }

  get current(): AccessToken {
    return this.#token;
  }

  /** Whose token it is. */
  get partner(): ProfilePartner {
    return this.#source.partner;
  }

  get refreshes(): number {
    return this.#refreshes;
  }

  /**
   * Makes sure of a token that is good at the start of a run, and of its replacement during it.
   *
   * @throws ConfigurationError `TOKEN_TOO_SHORT` where the run needs more refreshes than are left today
   */
  async prepare(runMs: number): Promise<void> {
    const lifeMs = this.#lifeMs();
    if (lifeMs === null) return;
    const firstMs = Math.max(0, this.#replaceInMs());
    const needed =
      runMs <= firstMs ? 0 : Math.ceil((runMs - firstMs) / (lifeMs - marginOf(lifeMs)));
    const left = needed === 0 ? 0 : await this.#refreshesLeft();
    if (needed > left) {
      throw new ConfigurationError(
        'TOKEN_TOO_SHORT',
        `The target's tokens live for ${lifeMs / 1000} s, so a run of ${Math.ceil(runMs / 1000)} s needs ${needed} refreshes, and partner ${this.partner.id} has ${left} of ${LIMITS.refreshesPerDay} left today; shorten the run, or give the profile's partner an accessToken that outlives it.`,
      );
    }
    if (this.#replaceInMs() <= 0) await this.#replace();
  }

  async #refreshesLeft(): Promise<number> {
    const own = LIMITS.refreshesPerDay - this.#refreshes;
    const kept = await this.#source.allowance?.left(this.partner.id, 'refresh');
    return Math.max(0, Math.min(own, kept ?? own));
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
    await user?.pause();
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
 * Takes the token of one or several runs with the same options, once these are known to be possible:
 * of the first partner that has something left, and where none has, of a fresh one of the control API.
 *
 * @throws ConfigurationError as validateLoad, before anything is sent
 * @throws FareproofError as {@link TokenKeeper.take}
 */
export async function takeTokens(options: LoadOptions): Promise<TokenKeeper> {
  const { profile, clock, seed, allowance } = options;
  const { address, identity, partners } = await validateLoad(options);
  const source = { profile, address, clock, seed };
  let usedUp: unknown;
  for (const partner of partners) {
    try {
      return await TokenKeeper.take({ ...source, partner, allowance }, identity);
    } catch (error) {
      if (!(error instanceof FareproofError && NOTHING_LEFT.has(error.code))) throw error;
      usedUp ??= error;
    }
  }
  if (profile.control === undefined) throw usedUp;
  const partner = await makeFreshPartner(profile.control, identity);
  return TokenKeeper.take({ ...source, partner }, identity);
}
