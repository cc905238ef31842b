import { ConfigurationError } from '../../../interface/errors.ts';
import { isToken } from './subjects.ts';

/** Address of a NATS server, and the group that agents join there. */
export interface BrokerAddress {
  /** `host:port`. */
  readonly server: string;
  readonly isSecure: boolean;
  readonly group: string;
  /** For messages; it has no credentials. */
  readonly text: string;
}

const DEFAULT_PORT = '4222';

/**
 * Reads `nats://host:port/group` or `tls://…`; port and group may be left out.
 *
 * @param source the flag that messages name
 * @throws ConfigurationError `BROKER_URL`, which does not quote a URL with credentials
 */
export function readBrokerAddress(url: string, source: string): BrokerAddress {
  const refused = (why: string): ConfigurationError =>
    new ConfigurationError('BROKER_URL', `${source}: ${why}`);
  if (/^[^/]*(\/\/)?[^/]*@/.test(url)) {
    throw refused(
      'leave credentials out of the URL, where other users of the machine see them; give them by FAREPROOF_JOIN_TOKEN or FAREPROOF_NATS_CREDS.',
    );
  }
  const [, scheme, path = ''] =
    /^(nats|tls):\/\/[^/?#]+(?:\/([^/]*))?$/.exec(url.replace(/\/$/, '')) ?? [];
  if (scheme === undefined || !URL.canParse(url) || new URL(url).hostname === '') {
    throw refused(`"${url}" is not an address such as nats://host:4222 or tls://host:4222/group.`);
  }
  const { hostname, port } = new URL(url);
  const group = path || 'default';
  if (!isToken(group)) {
    throw refused(
      `"${group}" is no name of a group: use letters, digits, hyphens and underscores.`,
    );
  }
  const server = `${hostname}:${port || DEFAULT_PORT}`;
  return { server, isSecure: scheme === 'tls', group, text: `${scheme}://${server}` };
}
