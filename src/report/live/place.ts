import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** 22 characters of base64url hold 128 bits and more. */
const TOKEN = /^[\w-]{22,}$/;

/** Tells whether a token has at least 128 bits and fits into an address. */
export function isStrongToken(token: string): boolean {
  return TOKEN.test(token);
}

/** Finds what a request asks for, if it may. */
export class PlaceFinder {
  readonly #origins: ReadonlySet<string>;
  readonly #token: string;

  constructor(hosts: readonly string[], port: number, token: string) {
    this.#origins = new Set(hosts.map((host) => `http://${host}:${port}`));
    this.#token = token;
  }

  /**
   * The page or its stream; null unless the request names this server as its host, comes from no
   * other origin and has the token. A foreign name that resolves to this machine (DNS rebinding) has
   * another host.
   */
  find({ headers, url = '' }: IncomingMessage): 'page' | 'events' | null {
    const own = `http://${headers.host ?? ''}`;
    if (!this.#origins.has(own)) return null;
    if (headers.origin !== undefined && headers.origin !== own) return null;
    const [, token = '', place, ...more] = url.split('/');
    if (!isEqual(token, this.#token) || more.length > 0) return null;
    if (place === 'events') return isCrossSite(headers) ? null : 'events';
    return place === '' ? 'page' : null;
  }
}

/** A browser says so where a script of another site asks. */
function isCrossSite({ 'sec-fetch-site': site }: IncomingMessage['headers']): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isEqual(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
