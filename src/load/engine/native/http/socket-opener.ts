import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  type DetailedPeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { TargetAddress } from '../../../target-address.ts';

/** Opens the sockets of a generator to its target. */
export interface SocketOpener {
  /** Event of a socket that can be written to. */
  readonly opened: 'connect' | 'secureConnect';
  open(onread: OnReadOpts): Socket;
}

/**
 * Makes the opener of an address. All its TLS connections share one context, since building one takes
 * longer than half a handshake. No session is resumed, so each connection is a whole handshake.
 */
export function socketOpener({ host, port, tls }: TargetAddress): SocketOpener {
  if (tls === null) {
    return { opened: 'connect', open: (onread) => connectTcp({ host, port, onread }) };
  }
  const isAddress = isIP(host) !== 0;
  const shared = {
    host,
    port,
    secureContext: createSecureContext(tls),
    ...(!isAddress && { servername: host }),
  };
  const open = (onread: OnReadOpts): Socket => {
    // tls.connect takes onread as net.connect does; its type declaration does not say so.
    const options: ConnectionOptions & { onread: OnReadOpts } = {
      ...shared,
      onread,
      checkServerIdentity: () => identityProblem(socket, host, isAddress),
    };
    const socket: TLSSocket = connectTls(options);
    // Node converts the whole chain into objects before it asks for the check above, which takes a third of
    // a connection's time; the check reads the certificate itself.
    socket.getPeerCertificate = noCertificate;
    return socket;
  };
  return { opened: 'secureConnect', open };
}

const noCertificate = (): DetailedPeerCertificate => ({}) as DetailedPeerCertificate;

/** The error of `tls.checkServerIdentity` for a certificate of another name (RFC 9525), else undefined. */
function identityProblem(socket: TLSSocket, host: string, isAddress: boolean): Error | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return new Error('The target sent no certificate.');
  const isNamed = isAddress ? certificate.checkIP(host) : certificate.checkHost(host);
  if (isNamed !== undefined) return undefined;
  return checkServerIdentity(host, certificate.toLegacyObject());
}
