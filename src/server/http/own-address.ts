import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { reachableHost } from './node-server.ts';
import { authorityOf } from './request-head.ts';

/** The refusal of a request that was not meant for this server. */
export type Misdirected = readonly [status: number, code: string, message: string];

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::'];
const DEFAULT_PORTS = { http: 80, https: 443 };

/**
 * The names under which clients may address a server. Listening on loopback keeps web pages out only
 * together with this check: a browser on the same machine sends what any page tells it to, and a
 * domain of the page's author can resolve to 127.0.0.1 (DNS rebinding).
 */
export class OwnAddress {
  readonly #scheme: 'http' | 'https';
  readonly #port: number;
  /** With their port, in lower case. */
  readonly #authorities: readonly string[];
  readonly #isWildcard: boolean;

  /** @param host that the server listens on, as it was configured */
  constructor(scheme: 'http' | 'https', host: string, port: number) {
    this.#scheme = scheme;
    this.#port = port;
    this.#isWildcard = WILDCARDS.includes(host);
    const hosts = new Set([...LOOPBACK_HOSTS, reachableHost(host).toLowerCase()]);
    this.#authorities = [...hosts].map((name) => `${name}:${port}`);
  }

  /**
   * The reason to refuse a request; null for one that names this server in Host, and in the target
   * where that is absolute, and that comes from no web page of another origin.
   */
  refusalOf({ headers, url = '' }: IncomingMessage): Misdirected | null {
    const { host = '' } = headers;
    const named = [host, authorityOf(url) ?? host];
    if (!named.every((authority) => this.#isOwn(authority.toLowerCase()))) {
      const message = `The Host of this request is not this server; address it as ${this.#authorities.join(', ')}.`;
      return [421, 'host-foreign', message];
    }
    if (isOfOtherOrigin(headers, `${this.#scheme}://${headers.host}`)) {
      const message =
        'Requests of web pages are refused; send this one from a program, without Origin and Sec-Fetch-Site.';
      return [403, 'origin-foreign', message];
    }
    return null;
  }

  #isOwn(authority: string): boolean {
    const isDefaultPort = DEFAULT_PORTS[this.#scheme] === this.#port;
    const whole =
      isDefaultPort && !/:\d+$/.test(authority) ? `${authority}:${this.#port}` : authority;
    if (this.#authorities.includes(whole)) return true;
    // Where every address of the machine is listened on, any address will do: only names are rebound.
    const address = new RegExp(`^\\[?(.+?)\\]?:${this.#port}$`).exec(whole)?.[1] ?? '';
    return this.#isWildcard && isIP(address) !== 0;
  }
}

/** Browsers name the origin in Origin for anything but simple GETs, and in Sec-Fetch-Site for all. */
function isOfOtherOrigin(headers: IncomingMessage['headers'], own: string): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined && origin.toLowerCase() !== own.toLowerCase()) return true;
  return site !== 'same-origin' && site !== 'none';
}
