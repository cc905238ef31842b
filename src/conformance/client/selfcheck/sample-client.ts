import type { ClientEnvironment } from '../scenario/run-scenario.ts';
import {
  type Fields,
  type KeptToken,
  type Quirks,
  type SampleAnswer,
  SampleRequests,
} from './sample-requests.ts';

/** Time and randomness of the sample client. */
export interface SampleRuntime {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** A text of six digits and letters. */
  readonly random: () => string;
  readonly signal: AbortSignal | null;
}

const ATTEMPTS = 3;
/** An answer that broke off. */
const LOST: SampleAnswer = { status: 0, text: '', retryAfterS: 0 };
const BACKOFF_MS = 40;

/** The client stops requesting tokens. */
class GivenUp extends Error {}

/** A right client, by which the checker is proved; quirks make it wrong. */
export class SampleClient {
  readonly #environment: ClientEnvironment;
  readonly #quirks: Quirks;
  readonly #runtime: SampleRuntime;
  readonly #requests: SampleRequests;
  readonly #received: KeptToken[] = [];
  readonly #sentRefreshTokens = new Set<string>();
  /** Refused token requests in a row. */
  #refusals = 0;
  /** True if the newest token was refused. */
  #isRefused = false;

  constructor(environment: ClientEnvironment, quirks: Quirks, runtime: SampleRuntime) {
    this.#environment = environment;
    this.#quirks = quirks;
    this.#runtime = runtime;
    this.#requests = new SampleRequests(environment, quirks);
  }

  /** Requests the number of estimates in its environment; returns an exit code. */
  async run(): Promise<number> {
    const { FAREPROOF_ESTIMATES: estimates, FAREPROOF_INTERVAL_MS: intervalMs } = this.#environment;
    try {
      for (let nth = 1; nth <= Number(estimates) && !this.#runtime.signal?.aborted; nth++) {
        if (nth > 1) await this.#runtime.sleep(Number(intervalMs));
        await this.#estimate(nth);
      }
      return 0;
    } catch {
      return 1;
    } finally {
      await this.#requests.close();
    }
  }

  async #estimate(nth: number): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { accessToken } = await this.#token(attempt === 1 ? nth : 0);
      const answer = await this.#requests.estimate(accessToken).catch(() => LOST);
      if (answer.status === 401 && !this.#quirks.reusesRefused) this.#isRefused = true;
      const records = answer.status === 200 ? parse(answer.text) : null;
      if (Array.isArray(records)) {
        this.#quirks.read?.(records as Record<string, unknown>[]);
        return;
      }
      const pauseMs = Math.max(BACKOFF_MS * attempt, answer.retryAfterS * 1000);
      await this.#runtime.sleep(this.#quirks.retryMs ?? pauseMs);
    }
  }

  /** The newest token while it is valid, otherwise a new one, by refresh if possible. */
  async #token(nth: number): Promise<KeptToken> {
    const { marginMs = 300, replaces, refreshes = true } = this.#quirks;
    const newest = this.#received.at(-1);
    if (newest === undefined) return this.#newToken();
    const replacement = nth > 1 ? replaces?.(nth) : null;
    if (replacement === 'both') await this.#requestToken(this.#grant()).catch(() => undefined);
    if (replacement === 'both' || replacement === 'refresh') return this.#refreshed(newest);
    if (replacement === 'new') return this.#newToken();
    const isValid = this.#runtime.now() < newest.expiresMs - marginMs;
    if (isValid && !this.#isRefused) return newest;
    return refreshes ? this.#refreshed(newest) : this.#newToken();
  }

  async #refreshed(newest: KeptToken): Promise<KeptToken> {
    const { pickRefresh, resendsRefresh, endsOnLostAnswer } = this.#quirks;
    const received = this.#received.map(({ refreshToken }) => refreshToken);
    const sent = pickRefresh?.(received) ?? newest.refreshToken;
    const maySendAgain = resendsRefresh || pickRefresh;
    if (this.#sentRefreshTokens.has(sent) && !maySendAgain) return this.#newToken();
    this.#sentRefreshTokens.add(sent);
    for (let attempt = 1; attempt <= (resendsRefresh ? 2 : 1); attempt++) {
      try {
        return await this.#requestToken({ grant_type: 'refresh_token', refresh_token: sent });
      } catch (error) {
        if (error instanceof GivenUp || endsOnLostAnswer) throw error;
      }
    }
    return this.#newToken();
  }

  /** Retries until it has given up. */
  async #newToken(): Promise<KeptToken> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#requestToken(this.#grant());
      } catch (error) {
        if (error instanceof GivenUp) throw error;
        await this.#runtime.sleep(BACKOFF_MS * attempt);
      }
    }
  }

  #grant(): Fields {
    const { FAREPROOF_MODE: mode, FAREPROOF_AUTH_CODE: code } = this.#environment;
    const isUser = mode === 'user';
    const right = isUser ? 'public rides.read rides.request' : undefined;
    const scope = this.#quirks.scope ? this.#quirks.scope(mode) : right;
    const grant = isUser
      ? { grant_type: 'authorization_code', auth_code: code }
      : { grant_type: 'client_credentials' };
    return scope === undefined ? grant : { ...grant, scope };
  }

  /** Three refusals in a row are taken for a ban. */
  async #requestToken(grant: Fields): Promise<KeptToken> {
    const { maxRefusals = 3, time, nostr, accepts } = this.#quirks;
    const { now, random } = this.#runtime;
    if (this.#refusals >= maxRefusals) throw new GivenUp('refused');
    const answer = await this.#requests.token({
      ...grant,
      _: time?.(now()) ?? new Date(now()).toISOString(),
      nostr: nostr?.(random) ?? random(),
    });
    const body = parse(answer.text) as Fields | null;
    const isAccepted = accepts?.(answer) ?? answer.status === 200;
    if (!isAccepted || typeof body?.['access_token'] !== 'string') {
      this.#refusals++;
      throw new Error('refused');
    }
    this.#refusals = 0;
    this.#isRefused = false;
    const token: KeptToken = {
      accessToken: body['access_token'],
      refreshToken: String(body['refresh_token']),
      expiresMs: now() + Number(body['expires_in_second']) * 1000,
    };
    this.#received.push(token);
    return token;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
