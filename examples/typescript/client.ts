/**
 * Example client for the token and estimate endpoints, with undici.
 *
 *     npx tsc -p examples/typescript --outDir client && npx fareproof certify -- node client/client.js
 *
 * Node 22.18 and later need no build: npx fareproof certify -- node examples/typescript/client.ts
 */
import { hash, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';

const baseUrl = process.env['FAREPROOF_BASE_URL'] ?? '';
const partnerId = process.env['FAREPROOF_PARTNER_ID'] ?? '';
const signingKey = process.env['FAREPROOF_SIGNING_KEY'] ?? '';
const authCode = process.env['FAREPROOF_AUTH_CODE'] ?? '';
const asUser = process.env['FAREPROOF_MODE'] === 'user';
const estimates = Number(process.env['FAREPROOF_ESTIMATES'] ?? 3);
const intervalMs = Number(process.env['FAREPROOF_INTERVAL_MS'] ?? 1000);

const TRIES = 3;
const TIMEOUT_MS = 10_000;

type Pairs = Readonly<Record<string, string | number | readonly unknown[] | null>>;

interface EstimateRecord {
  product_type: string;
  estimate_price: number;
  carpool_info?: readonly { seat?: number; estimate_price: number }[];
}

/** Three token requests in a row were refused: stop, the partner may be banned. */
class Banned extends Error {}

/** MD5(MD5(S) + key); S is the sorted, non-empty pairs as key=value, joined with &. */
function sign(pairs: Pairs): string {
  const trim = (text: string): string => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, '');
  const isEmpty = (value: Pairs[string]): boolean =>
    value == null || value === '' || (Array.isArray(value) && value.length === 0);
  const textOf = (value: Pairs[string]): string =>
    typeof value === 'object' ? JSON.stringify(value).replaceAll('/', '\\/') : String(value);
  const text = Object.entries(pairs)
    .filter(([, value]) => !isEmpty(value))
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, value]) => `${trim(key)}=${trim(textOf(value))}`)
    .join('&')
    .replace(/^&+|&+$/g, '');
  return hash('md5', hash('md5', text) + signingKey);
}

/** Returns status and text of the answer; throws if it did not arrive whole. */
async function send(
  method: Dispatcher.HttpMethod,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text: string; retryAfterMs: number }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await request(baseUrl + path, { method, headers, body: body ?? null, signal });
  const retryAfterMs = 1000 * (Number(answer.headers['retry-after']) || 0);
  return { status: answer.statusCode, text: await answer.body.text(), retryAfterMs };
}

/** Holds one token: reuses it while it is valid, refreshes it before it expires. */
class Tokens {
  #access: string | null = null;
  #refresh: string | null = null;
  #renewAtMs = 0;
  #refusals = 0;

  async get(): Promise<string> {
    if (this.#access !== null && performance.now() < this.#renewAtMs) return this.#access;
    if (this.#refresh !== null) {
      // A refresh_token works once: forget it first, so that it is never sent again.
      const sent = this.#refresh;
      this.#refresh = null;
      try {
        return await this.#request({ grant_type: 'refresh_token', refresh_token: sent });
      } catch (error) {
        if (error instanceof Banned) throw error;
        console.error('refresh failed, requesting a new token:', String(error));
      }
    }
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      try {
        return await this.#request(
          asUser
            ? {
                grant_type: 'authorization_code',
                auth_code: authCode,
                scope: 'public rides.read rides.request',
              }
            : { grant_type: 'client_credentials' },
        );
      } catch (error) {
        if (error instanceof Banned) throw error;
        console.error('no token:', String(error));
        await sleep(100 * attempt);
      }
    }
    throw new Error('no token');
  }

  /** Forgets a token that the service refused, for instance since a newer one was issued. */
  drop(): void {
    this.#access = null;
  }

  async #request(grant: Pairs): Promise<string> {
    if (this.#refusals >= 3) throw new Banned();
    this.#access = null;
    const letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const nostr = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('');
    const fields = { ...grant, _: new Date().toISOString(), nostr };
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${partnerId}|${sign(fields)}`,
    };
    const { status, text } = await send('POST', '/v1/oauth/token', headers, JSON.stringify(fields));
    if (status !== 200) {
      this.#refusals++;
      throw new Error(`token refused with ${status}`);
    }
    this.#refusals = 0;
    const token = JSON.parse(text) as {
      access_token: string;
      refresh_token: string;
      expires_in_second: number;
    };
    const lifeMs = token.expires_in_second * 1000;
    this.#renewAtMs = performance.now() + lifeMs - Math.min(60_000, lifeMs / 5);
    this.#access = token.access_token;
    this.#refresh = token.refresh_token;
    return token.access_token;
  }
}

/** Returns the records for a query; retries a failure up to TRIES times. */
async function estimate(
  tokens: Tokens,
  query: Record<string, string>,
): Promise<readonly EstimateRecord[]> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const token = await tokens.get();
    const second = asUser ? `${sign(query)} openid|${token}` : token;
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Bearer ${partnerId}|${second}`,
    };
    let pauseMs = 100 * attempt;
    try {
      const path = `/v1/estimates/prices?${new URLSearchParams(query).toString()}`;
      const { status, text, retryAfterMs } = await send('GET', path, headers);
      pauseMs = Math.max(pauseMs, retryAfterMs);
      if (status === 200) return JSON.parse(text) as EstimateRecord[];
      if (status === 401) tokens.drop();
      console.error(`estimate refused with ${status}`);
    } catch (error) {
      console.error('no estimate:', String(error));
    }
    await sleep(pauseMs);
  }
  throw new Error('no estimate');
}

const tokens = new Tokens();
for (let number = 0; number < estimates; number++) {
  if (number > 0) await sleep(intervalMs);
  try {
    const records = await estimate(tokens, {
      start_lat: '39.9087',
      start_lng: '116.3975',
      from_name: process.env['FAREPROOF_FROM_NAME'] ?? '天安门 Tiananmen',
      end_lat: '39.9929',
      end_lng: '116.3106',
      to_name: process.env['FAREPROOF_TO_NAME'] ?? '颐和园 Summer Palace',
      product_type: 'private-car',
      ride_type: 'compact',
      departure_time: String(Math.floor(Date.now() / 1000) + 1800),
      ...(process.env['FAREPROOF_IMEI'] !== undefined && { imei: process.env['FAREPROOF_IMEI'] }),
    });
    for (const { product_type, estimate_price, carpool_info = [] } of records) {
      console.log(`${product_type}: ${(estimate_price / 100).toFixed(2)} CNY`);
      for (const { seat, estimate_price: price } of carpool_info) {
        console.log(`  shared, ${seat ?? 'any number of'} seats: ${(price / 100).toFixed(2)} CNY`);
      }
    }
  } catch (error) {
    console.error(String(error));
    if (error instanceof Banned) {
      console.error('banned: three token requests were refused in a row');
      process.exit(1);
    }
  }
}
