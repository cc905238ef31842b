import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/** Name or IPv4 address, each of which is a `reg-name` (RFC 3986, 3.2.2), and port; either may be empty. */
const NAMED = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*(?::\d*)?$/i;
/** `IP-literal` and port. */
const LITERAL = /^\[(?:v[\da-f]+\.[\w.~!$&'()*+,;=:-]+|([\da-f:.]+))\](?::\d*)?$/i;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** A defect of a head that `node:http` leaves to the application. */
export type HeadDefect = 'HOST_MISSING' | 'HOST_INVALID' | 'TARGET_INVALID' | 'VERSION_NOT_SERVED';

/** Checks whether a value of Host is `uri-host [":" port]` (RFC 9110, 7.2). */
export function isHost(value: string): boolean {
  if (!value.startsWith('[')) return NAMED.test(value);
  const literal = LITERAL.exec(value);
  return literal !== null && (literal[1] === undefined || isIPv6(literal[1]));
}

/** The authority in an absolute target; undefined for another target. */
export function authorityOf(target: string): string | undefined {
  return ABSOLUTE.exec(target)?.[1];
}

/** The defect of a head that was parsed (RFC 9112, 2.3 and 3.2; RFC 9110, 4.2.1); null for none. */
export function defectOf(request: IncomingMessage): HeadDefect | null {
  const { headers, httpVersion, httpVersionMajor, url = '' } = request;
  if (httpVersionMajor !== 1) return 'VERSION_NOT_SERVED';
  const { host } = headers;
  if (host === undefined && httpVersion === '1.1') return 'HOST_MISSING';
  // Two of them are joined by a comma and a space, which is no host.
  if (host !== undefined && !isHost(host)) return 'HOST_INVALID';
  const authority = authorityOf(url);
  return authority === undefined || isNamed(authority) ? null : 'TARGET_INVALID';
}

/** Checks whether an authority is valid and its host is not empty, which a Host may be. */
function isNamed(authority: string): boolean {
  return isHost(authority) && !/^(?::|$)/.test(authority);
}

/** Checks whether an error of the parser is about a version that is well-formed, but that it does not know. */
export function isUnknownVersion({ code, message }: NodeJS.ErrnoException): boolean {
  return code === 'HPE_INVALID_VERSION' && message.endsWith('Invalid HTTP version');
}
