import { Agent } from 'undici';
import { sign } from '../../../interface/signature.ts';
import type { ClientEnvironment } from '../scenario/run-scenario.ts';

type Fields = Record<string, unknown>;

/** A token as the sample client keeps it. */
export interface KeptToken {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** An answer as the sample client sees it. */
export interface SeenAnswer {
  readonly status: number;
  readonly text: string;
}

/** Where the sample client can be made to do wrong; each left out, it does right. */
export interface Quirks {
  readonly prefix?: string;
  readonly tokenMethod?: string;
  readonly tokenContentType?: string;
  readonly tokenBody?: (fields: Fields) => string;
  readonly tokenAuthorization?: (id: string, signature: string) => string;
  readonly sign?: (fields: Fields, key: string) => string;
  /** The fields of a token request, before they are signed. */
  readonly fields?: (fields: Fields) => Fields;
  readonly time?: (nowMs: number) => string;
  readonly nostr?: (random: () => string) => string;
  readonly scope?: (mode: string) => string | undefined;
  /** Refusals in a row after which it asks for no more tokens. */
  readonly patience?: number;
  /** Milliseconds before expiry at which a token is replaced; below 0 it is used for too long. */
  readonly marginMs?: number;
  /** Whether the token is replaced ahead of this estimate, and how. */
  readonly replaces?: (nth: number) => 'new' | 'refresh' | 'both' | null;
  readonly refreshes?: boolean;
  /** Which of the refresh_tokens received is sent, the newest last. */
  readonly pickRefresh?: (received: readonly string[]) => string | undefined;
  /** Whether a refresh whose answer was lost is sent again. */
  readonly resends?: boolean;
  /** Which of the tokens received is used, the newest last. */
  readonly pickToken?: (received: readonly KeptToken[]) => KeptToken | undefined;
  /** Whether a refused user token is used again. */
  readonly insists?: boolean;
  readonly estimateMethod?: string;
  readonly estimateContentType?: string | null;
  readonly estimateAuthorization?: (header: string) => string;
  readonly query?: (query: Record<string, string>) => Record<string, string>;
  readonly encode?: (query: Record<string, string>) => string;
  /** Whether an answer's token is taken. */
  readonly accepts?: (answer: SeenAnswer) => boolean;
  /** Reads the records; throwing ends the client. */
  readonly read?: (records: readonly Record<string, unknown>[]) => void;
  /** Whether a lost answer ends the client. */
  readonly fragile?: boolean;
}

/** Time and chance, given from outside. */
export interface SampleSurroundings {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Six digits and letters. */
  readonly random: () => string;
  readonly signal: AbortSignal | null;
}

const RETRIES = 3;
const BACKOFF_MS = 40;

/** It asks for no more tokens. */
class GivenUp extends Error {}

/** A right client, with which the checker is proved; quirks make it a wrong one. */
export class SampleClient {
  readonly #env: ClientEnvironment;
  readonly #quirks: Quirks;
  readonly #around: SampleSurroundings;
  readonly #agent = new Agent({ keepAliveTimeout: 1000, connections: 4 });
  readonly #received: KeptToken[] = [];
  #spentRefresh = new Set<string>();
  #refusals = 0;
  #dropped = false;

  constructor(env: ClientEnvironment, quirks: Quirks, around: SampleSurroundings) {
    this.#env = env;
    this.#quirks = quirks;
    this.#around = around;
  }

  /** Asks for its estimates; returns an exit code. */
  async run(): Promise<number> {
    const count = Number(this.#env.FAREPROOF_ESTIMATES);
    try {
      for (let nth = 1; nth <= count && !this.#around.signal?.aborted; nth++) {
        if (nth > 1) await this.#around.sleep(Number(this.#env.FAREPROOF_INTERVAL_MS));
        await this.#estimate(nth);
      }
      return 0;
    } catch {
      return 1;
    } finally {
      await this.#agent.destroy();
    }
  }

  async #estimate(nth: number): Promise<void> {
    for (let attempt = 1; attempt <= RETRIES; attempt++) {
      const token = await this.#token(attempt === 1 ? nth : 0);
      const answer = await this.#askEstimate(token);
      if (answer.status === 401 && !this.#quirks.insists) this.#dropped = true;
      const records = answer.status === 200 ? parse(answer.text) : null;
      if (Array.isArray(records)) {
        this.#quirks.read?.(records as Record<string, unknown>[]);
        return;
      }
      await this.#around.sleep(BACKOFF_MS * attempt);
    }
  }

  /** The token in hand while it is valid, else a new one, by refresh where that is possible. */
  async #token(nth: number): Promise<KeptToken> {
    const { marginMs = 300, replaces, pickToken } = this.#quirks;
    const newest = pickToken?.(this.#received) ?? this.#received.at(-1);
    const wish = nth > 1 ? (replaces?.(nth) ?? null) : null;
    if (newest && wish === 'both') {
      await this.#askToken(this.#grant()).catch(() => undefined);
      return this.#refreshed(newest);
    }
    if (newest && wish === 'new') return this.#newToken();
    if (newest && wish === 'refresh') return this.#refreshed(newest);
    const isValid = newest !== undefined && this.#around.now() < newest.expiresMs - marginMs;
    if (newest && isValid && !this.#dropped) return newest;
    return newest && this.#quirks.refreshes !== false ? this.#refreshed(newest) : this.#newToken();
  }

  async #refreshed(newest: KeptToken): Promise<KeptToken> {
    const all = this.#received.map(({ refreshToken }) => refreshToken);
    const sent = this.#quirks.pickRefresh?.(all) ?? newest.refreshToken;
    const mayAgain = this.#quirks.resends || this.#quirks.pickRefresh;
    if (this.#spentRefresh.has(sent) && !mayAgain) return this.#newToken();
    this.#spentRefresh.add(sent);
    const fields = { grant_type: 'refresh_token', refresh_token: sent };
    for (let attempt = 1; attempt <= 2; attempt++) {
      try {
        return await this.#askToken(fields);
      } catch (error) {
        if (error instanceof GivenUp || this.#quirks.fragile) throw error;
        if (!this.#quirks.resends) break;
      }
    }
    return this.#newToken();
  }

  /** Retried with a bound; three refusals in a row are taken for a ban. */
  async #newToken(): Promise<KeptToken> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askToken(this.#grant());
      } catch (error) {
        if (error instanceof GivenUp) throw error;
        await this.#around.sleep(BACKOFF_MS * attempt);
      }
    }
  }

  #grant(): Fields {
    const { FAREPROOF_MODE: mode, FAREPROOF_AUTH_CODE: code } = this.#env;
    const { scope: scopeOf = defaultScope } = this.#quirks;
    const scope = scopeOf(mode);
    return {
      ...(mode === 'user'
        ? { grant_type: 'authorization_code', auth_code: code }
        : { grant_type: 'client_credentials' }),
      ...(scope !== undefined && { scope }),
    };
  }

  async #askToken(grant: Fields): Promise<KeptToken> {
    const { quirks, env } = { quirks: this.#quirks, env: this.#env };
    if (this.#refusals >= (quirks.patience ?? 3)) throw new GivenUp('refused');
    const nowMs = this.#around.now();
    const made = {
      ...grant,
      _: quirks.time?.(nowMs) ?? new Date(nowMs).toISOString(),
      nostr: quirks.nostr?.(this.#around.random) ?? this.#around.random(),
    };
    const fields = quirks.fields?.(made) ?? made;
    const signature = (quirks.sign ?? sign)(fields, env.FAREPROOF_SIGNING_KEY);
    const header = quirks.tokenAuthorization ?? ((id, text) => `Bearer ${id}|${text}`);
    const answer = await this.#send(
      quirks.tokenMethod ?? 'POST',
      '/oauth/token',
      {
        'Content-Type': quirks.tokenContentType ?? 'application/json',
        Authorization: header(env.FAREPROOF_PARTNER_ID, signature),
      },
      (quirks.tokenBody ?? JSON.stringify)(fields),
    );
    const accepts = quirks.accepts ?? (({ status }) => status === 200);
    const body = parse(answer.text) as Fields | null;
    if (!accepts(answer) || typeof body?.['access_token'] !== 'string') {
      this.#refusals++;
      throw new Error('refused');
    }
    this.#refusals = 0;
    this.#dropped = false;
    const token: KeptToken = {
      accessToken: body['access_token'],
      refreshToken: String(body['refresh_token']),
      expiresMs: this.#around.now() + Number(body['expires_in_second']) * 1000,
    };
    this.#received.push(token);
    return token;
  }

  async #askEstimate({ accessToken }: KeptToken): Promise<SeenAnswer> {
    const { quirks, env } = { quirks: this.#quirks, env: this.#env };
    const query = quirks.query?.(QUERY) ?? QUERY;
    const id = env.FAREPROOF_PARTNER_ID;
    const signature = (quirks.sign ?? sign)(query, env.FAREPROOF_SIGNING_KEY);
    const header =
      env.FAREPROOF_MODE === 'user'
        ? `Bearer ${id}|${signature} openid|${accessToken}`
        : `Bearer ${id}|${accessToken}`;
    const encode = quirks.encode ?? ((pairs) => new URLSearchParams(pairs).toString());
    const contentType = quirks.estimateContentType;
    return this.#send(
      quirks.estimateMethod ?? 'GET',
      `/estimates/prices?${encode(query)}`,
      {
        ...(contentType !== null && {
          'Content-Type': contentType ?? 'application/x-www-form-urlencoded',
        }),
        Authorization: quirks.estimateAuthorization?.(header) ?? header,
      },
      null,
    );
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<SeenAnswer> {
    const response = await this.#agent.request({
      origin: this.#env.FAREPROOF_BASE_URL,
      path: (this.#quirks.prefix ?? '/v1') + path,
      method,
      headers,
      body,
    });
    return { status: response.statusCode, text: await response.body.text() };
  }
}

const QUERY: Readonly<Record<string, string>> = {
  start_lat: '39.9087',
  start_lng: '116.3975',
  from_name: '天安门 Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: '颐和园 Summer Palace',
  product_type: 'private-car',
  ride_type: 'compact',
};

function defaultScope(mode: string): string | undefined {
  return mode === 'user' ? 'public rides.read rides.request' : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
