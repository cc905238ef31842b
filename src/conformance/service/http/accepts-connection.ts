import { connect } from 'node:net';

/** Time after which an attempt to connect has no outcome, ms. */
const TIMEOUT_MS = 1_000;

/**
 * Connects to a service, and closes the connection without a request. Null if it neither accepts nor refuses it
 * in time.
 */
export function acceptsConnection(baseUrl: string): Promise<boolean | null> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const socket = connect(Number(port) || usualPort, hostname.replaceAll(/[[\]]/g, ''));
  return new Promise((resolve) => {
    const end = (outcome: boolean | null): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(null));
    socket.once('connect', () => end(true)).on('error', () => end(false));
  });
}
