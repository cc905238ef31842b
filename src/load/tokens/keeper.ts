import {
  ConfigurationError,
  FareproofError,
  LIMITS,
  type ProfilePartner,
} from '../../interface/index.ts';
import { NOTHING_LEFT } from '../../spending/index.ts';
import type { Engine, TokenUser } from '../engine/engine.ts';
import { engineNames } from '../engine/engines.ts';
import type { LoadIdentity } from '../options.ts';
import { type AccessToken, firstToken, refreshToken, type TokenSource } from './access-token.ts';
import { makeFreshPartner } from './partners.ts';

export type { AccessToken };

/** A token is replaced when a fifth of its life is left, or a minute where that is less. */
const MARGIN_SHARE = 0.2;
const LONGEST_MARGIN_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The token that one or several runs need. */
export interface TokenNeed extends Omit<TokenSource, 'partner'> {
  identity: LoadIdentity;
  /** In the order in which they are tried. */
  partners: readonly ProfilePartner[];
}

/**
 * Owns the token of a run: takes it, replaces it in time, and sends each refresh_token once. Runs in a
 * row share one keeper, and so one token request.
 */
export class TokenKeeper {
  readonly #source: TokenSource;
  readonly #identity: LoadIdentity;
  #token: AccessToken;
  #user: TokenUser | null = null;
  #timer: NodeJS.Timeout | null = null;
  #refreshing: Promise<void> | null = null;
  #refreshes = 0;
  /** Refreshes that failed, for the report. */
  readonly notes: string[] = [];

  private constructor(source: TokenSource, identity: LoadIdentity, token: AccessToken) {
    this.#source = source;
    this.#identity = identity;
    this.#token = token;
  }

  /**
   * Takes a token: of the first partner that has allowance left, and where none has, of a fresh one
   * of the control API.
   *
   * @throws FareproofError as firstToken, its allowance included
   */
  static async take(need: TokenNeed): Promise<TokenKeeper> {
    const { profile, identity, signal } = need;
    const takeOf = async (source: TokenSource): Promise<TokenKeeper> =>
      new TokenKeeper(source, identity, await firstToken(source, identity));
    let usedUp: unknown;
    for (const partner of need.partners) {
      try {
        return await takeOf({ ...need, partner });
      } catch (error) {
        if (!(error instanceof FareproofError && NOTHING_LEFT.has(error.code))) throw error;
        usedUp ??= error;
      }
    }
    if (profile.control === undefined) throw usedUp;
    const partner = await makeFreshPartner(profile.control, identity, signal);
    return takeOf({ ...need, partner, allowance: null });
  }

  get current(): AccessToken {
    return this.#token;
  }

  /** Partner of the token. */
  get partner(): ProfilePartner {
    return this.#source.partner;
  }

  /**
   * Makes sure that a run has a good token from its start to its end: one that is replaced during it,
   * or that outlives it where the engine cannot replace tokens.
   *
   * @throws ConfigurationError `TOKEN_TOO_SHORT` if the run needs more refreshes than are left
   *   today, or a token that lives longer
   * @throws FareproofError as refreshToken, if the engine needs a token that outlives the run
   */
  async prepare(runMs: number, engine: Engine): Promise<void> {
    const { lifeMs } = this.#token;
    if (lifeMs === null) return;
    if (!engine.can.replacesTokens) return this.#outlast(runMs, lifeMs, engine);
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

  /** Replaces an aged token before the run; refuses one that is too short for it even then. */
  async #outlast(runMs: number, lifeMs: number, engine: Engine): Promise<void> {
    if (runMs <= this.#replaceInMs()) return;
    if (runMs <= lifeMs - marginOf(lifeMs) && (await this.#refreshesLeft()) > 0) {
      const failure = await this.#replace();
      if (failure !== null) throw failure;
      if (runMs <= this.#replaceInMs()) return;
    }
    throw new ConfigurationError(
      'TOKEN_TOO_SHORT',
      (name) =>
        `The target's tokens live for ${lifeMs / 1000} s, ${engine.name} cannot replace one during a run, and this one takes up to ${Math.ceil(runMs / 1000)} s (warm-up, duration and timeout). Shorten ${name('duration')}, use ${name('engine')} ${engineNames(({ can }) => can.replacesTokens)}, or give the profile's partner an accessToken that lives longer.`,
    );
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

  /** Waits for a refresh in progress, so that its tokens are not lost. */
  async detach(): Promise<void> {
    this.#user = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#refreshing;
  }

  #replaceInMs(): number {
    const { askedAtMs, lifeMs } = this.#token;
    if (lifeMs === null) return Number.POSITIVE_INFINITY;
    return askedAtMs + lifeMs - marginOf(lifeMs) - this.#source.clock.now();
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

  /** Only a user's newest token is valid, so nothing may be in flight with an older one. */
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

  /** @returns why it failed, which is noted too; null if there is a new token */
  async #replace(): Promise<FareproofError | null> {
    const spent = this.#token.refreshToken;
    try {
      if (spent === null) return null;
      this.#refreshes++;
      this.#token = await refreshToken(this.#source, spent);
      return null;
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      // The refresh_token may be used up by now; sending it again could cost more than a token.
      this.notes.push(`The token could not be refreshed: ${error.message}`);
      this.#token = { ...this.#token, refreshToken: null, lifeMs: null };
      return error;
    }
  }
}

const marginOf = (lifeMs: number): number => Math.min(LONGEST_MARGIN_MS, lifeMs * MARGIN_SHARE);
