import { isLoopbackHost } from '../interface/loopback.ts';

/** Further names by which a client may reach this machine, as most systems resolve them. */
const MAY_BE_LOOPBACK = /^(?:.+\.localhost|0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/;

/**
 * Identity of a target, which all spellings of its address share: scheme, host, port and path in one
 * form. All names of loopback are one.
 *
 * @param baseUrl http or https URL; any other text is its own identity
 */
export function identityOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  // The parser lowers case, fills in short IPv4 addresses, drops default ports, and resolves dot segments.
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const name = hostname.replace(/\.+$/, '');
  // Whatever answers on this machine is one service for each port and path.
  const host = isLoopbackHost(name) || MAY_BE_LOOPBACK.test(name) ? 'localhost' : name;
  const path = evenPath(pathname);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}${path}`;
}

/**
 * Scheme, host and port of an identity. Targets that share them may be one service under several paths, and then
 * have one allowance.
 */
export function originOf(identity: string): string {
  return /^\w+:\/\/[^/]+/.exec(identity)?.[0] ?? identity;
}

/** A path without empty segments, and with escapes only where they are needed. */
function evenPath(pathname: string): string {
  const decoded = pathname.replaceAll(/%[0-9a-f]{2}/gi, (coded) => {
    const character = String.fromCharCode(Number.parseInt(coded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : coded.toUpperCase();
  });
  return decoded.replaceAll(/\/+/g, '/').replace(/\/$/, '');
}
