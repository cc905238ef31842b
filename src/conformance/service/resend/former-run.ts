import type { Exchange } from '../../../documents/sealed.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { TOKEN_PATH } from '../../../interface/limits.ts';
import { sentFields } from '../recheck/stored-session.ts';

/** Redacted secret, whole or in part. */
const PSEUDONYM = /\[(part of )?([a-z_]+) ([^\]\s]+)\]/g;

/** Pseudonyms in a text, each once. */
export function pseudonymsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PSEUDONYM), ([whole]) => whole))];
}

/** Texts of a request, in one. */
export function requestText({ request: { url, headers, body } }: Exchange): string {
  return [url, ...Object.values(headers), body ?? ''].join('\n');
}

/** Time by the target's clock at which an exchange was sent, in ms since the epoch. */
export function sentMs({ at, targetAt }: Exchange): number {
  return Date.parse(targetAt ?? at);
}

/** Grant type of a token request; empty if it names none. */
export function grantOf(exchange: Exchange): string {
  const grant = isTokenRequest(exchange) ? sentFields(exchange)?.['grant_type'] : '';
  return typeof grant === 'string' ? grant : '';
}

/** True for a request to the token endpoint. */
export function isTokenRequest({ request }: Exchange): boolean {
  return (request.url.split('?')[0] ?? '').endsWith(TOKEN_PATH);
}

/** A run whose exchanges are to be sent again. */
export class FormerRun {
  readonly exchanges: readonly Exchange[];
  readonly #targets: readonly StoredTarget[];

  constructor(exchanges: readonly Exchange[], targets: readonly StoredTarget[]) {
    this.exchanges = exchanges;
    this.#targets = targets;
  }

  /** The exchange of an id. */
  find(id: string): Exchange {
    const found = this.exchanges.find((one) => one.id === id);
    if (found) return found;
    throw new Error(`the run has no exchange ${id}`);
  }

  /** Target that an exchange was with; null for a request to a control API. */
  targetOf({ request: { url } }: Exchange): StoredTarget | null {
    return this.#targets.find(({ baseUrl }) => url.startsWith(`${baseUrl}/`)) ?? null;
  }

  /** Part of the URL of an exchange after the base URL of its target. */
  pathOf(exchange: Exchange): string {
    return exchange.request.url.slice(this.targetOf(exchange)?.baseUrl.length ?? 0);
  }

  /** Exchanges that were sent before another one. */
  before(exchange: Exchange): Exchange[] {
    return this.exchanges.slice(0, this.exchanges.indexOf(exchange));
  }

  /** Token request that a token came from; null for a token of a profile, or one that was made up. */
  originOf(pseudonym: string, user: Exchange): Exchange | null {
    const came = this.before(user).find(
      (one) => isTokenRequest(one) && one.response?.body.includes(pseudonym),
    );
    // A target may repeat what it was sent: then it is not the origin.
    return came && !requestText(came).includes(pseudonym) ? came : null;
  }
}
