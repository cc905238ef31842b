import { Agent } from 'undici';
import { sign } from '../../../interface/signature.ts';
import type { ClientEnvironment } from '../scenario/run-scenario.ts';

/** Fields of a token request. */
export type Fields = Record<string, unknown>;

/** A token that the sample client received. */
export interface KeptToken {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** An answer that the sample client received. */
export interface SampleAnswer {
  readonly status: number;
  readonly text: string;
  /** Seconds of a Retry-After; 0 for none. */
  readonly retryAfterS: number;
}

/** Deviations of the sample client from right behaviour; without any it is right. */
export interface Quirks {
  /** Prefix of all paths, `/v1` if it is right. */
  readonly prefix?: string;
  readonly tokenMethod?: string;
  readonly tokenContentType?: string;
  readonly tokenAuthorization?: (id: string, signature: string) => string;
  readonly sign?: (fields: Fields, key: string) => string;
  /** The fields of a token request, before they are signed. */
  readonly fields?: (fields: Fields, key: string) => Fields;
  /** The body of a token request; by default JSON. */
  readonly json?: (fields: Fields) => string;
  readonly time?: (nowMs: number) => string;
  readonly nostr?: (random: () => string) => string;
  readonly scope?: (mode: string) => string | undefined;
  /** Number of refusals in a row after which no more tokens are requested. */
  readonly maxRefusals?: number;
  /** Time before expiry at which a token is replaced, ms; a negative one is after it. */
  readonly marginMs?: number;
  /** Replacement of the token before the n-th estimate; null for none. */
  readonly replaces?: (nth: number) => 'new' | 'refresh' | 'both' | null;
  /** False to request a new token in place of an expired one. */
  readonly refreshes?: boolean;
  /** Chooses the refresh_token to send from those received, the newest last. */
  readonly pickRefresh?: (received: readonly string[]) => string | undefined;
  /** True to send a refresh again if its answer is lost. */
  readonly resendsRefresh?: boolean;
  /** True to use a refused token again. */
  readonly reusesRefused?: boolean;
  readonly estimateMethod?: string;
  readonly estimateContentType?: string | null;
  readonly estimateAuthorization?: (header: string) => string;
  readonly query?: (query: Record<string, string>, token: string) => Record<string, string>;
  readonly encode?: (query: Record<string, string>) => string;
  /** Decides if the token of an answer is used. */
  readonly accepts?: (answer: SampleAnswer) => boolean;
  /** Reads the records of an estimate; throwing ends the client. */
  readonly read?: (records: readonly Record<string, unknown>[]) => void;
  /** Pause after a failed estimate, ms; left out, it grows, and keeps a Retry-After. */
  readonly retryMs?: number;
  /** True to end at a lost answer. */
  readonly endsOnLostAnswer?: boolean;
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

/** The two requests of the sample client. */
export class SampleRequests {
  readonly #environment: ClientEnvironment;
  readonly #quirks: Quirks;
  readonly #agent = new Agent({ keepAliveTimeout: 1000, connections: 1 });

  constructor(environment: ClientEnvironment, quirks: Quirks) {
    this.#environment = environment;
    this.#quirks = quirks;
  }

  /** Requests a token; the quirks may change its fields. */
  async token(fields: Fields): Promise<SampleAnswer> {
    const {
      fields: change = (same: Fields) => same,
      sign: signWith = sign,
      json = JSON.stringify,
      tokenMethod = 'POST',
      tokenContentType = 'application/json',
      tokenAuthorization = (id: string, signature: string) => `Bearer ${id}|${signature}`,
    } = this.#quirks;
    const { FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key } = this.#environment;
    const sent = change(fields, key);
    const headers = {
      'Content-Type': tokenContentType,
      Authorization: tokenAuthorization(id, signWith(sent, key)),
    };
    return this.#send(tokenMethod, '/oauth/token', headers, json(sent));
  }

  /** Requests an estimate; on behalf of a user in mode `user`. */
  async estimate(accessToken: string): Promise<SampleAnswer> {
    const {
      query: change = (same: Record<string, string>) => same,
      sign: signWith = sign,
      encode = (pairs: Record<string, string>) => new URLSearchParams(pairs).toString(),
      estimateMethod = 'GET',
      estimateContentType = 'application/x-www-form-urlencoded',
      estimateAuthorization = (header: string) => header,
    } = this.#quirks;
    const { FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key } = this.#environment;
    const {
      FAREPROOF_FROM_NAME: from,
      FAREPROOF_TO_NAME: to,
      FAREPROOF_IMEI: imei,
    } = this.#environment;
    const asked = {
      ...QUERY,
      ...(from !== undefined && { from_name: from }),
      ...(to !== undefined && { to_name: to }),
      ...(imei !== undefined && { imei }),
    };
    const query = change(asked, accessToken);
    const header =
      this.#environment.FAREPROOF_MODE === 'user'
        ? `Bearer ${id}|${signWith(query, key)} openid|${accessToken}`
        : `Bearer ${id}|${accessToken}`;
    const headers = {
      ...(estimateContentType !== null && { 'Content-Type': estimateContentType }),
      Authorization: estimateAuthorization(header),
    };
    return this.#send(estimateMethod, `/estimates/prices?${encode(query)}`, headers, null);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<SampleAnswer> {
    const response = await this.#agent.request({
      origin: this.#environment.FAREPROOF_BASE_URL,
      path: (this.#quirks.prefix ?? '/v1') + path,
      method,
      headers,
      body,
    });
    const { statusCode: status, headers: received, body: text } = response;
    const retryAfterS = Number(received['retry-after'] ?? 0);
    return { status, text: await text.text(), retryAfterS };
  }
}
