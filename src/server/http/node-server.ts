import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { DEFAULT_CIPHERS } from 'node:tls';
import { ConfigurationError } from '../../interface/index.ts';

const HEAD_LIMIT_BYTES = 16 * 1024;
/** Interval of the checks for slow senders, and so the precision of their timeouts. */
const CHECK_INTERVAL_MS = 500;
/** Those of Node, but first the suite that every TLS 1.3 client has (RFC 8446, 9.1), which is the fastest. */
const CIPHERS = `TLS_AES_128_GCM_SHA256:${DEFAULT_CIPHERS}`;

/** Certificate and private key, in PEM. */
export interface TlsOptions {
  readonly cert: string;
  readonly key: string;
}

/** Time limits for a client, in milliseconds. */
export interface Timeouts {
  /** From the first byte of a head to its last. */
  readonly headMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly idleMs: number;
}

/** The time limits by default. */
export const DEFAULT_TIMEOUTS: Timeouts = { headMs: 10_000, requestMs: 15_000, idleMs: 60_000 };

/**
 * Creates the server of `node:http`, or of `node:https` where there is a certificate.
 *
 * A client that has closed its side still gets its answers; one that is gone looks alive until it is
 * written to.
 *
 * @throws ConfigurationError `TLS_INVALID`
 */
export function createNodeServer(timeouts: Timeouts, tls: TlsOptions | undefined): Server {
  const options: ServerOptions = {
    maxHeaderSize: HEAD_LIMIT_BYTES,
    headersTimeout: timeouts.headMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // Two Authorization headers become one of no valid shape, instead of the second being ignored.
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    noDelay: true,
  };
  const server =
    tls === undefined ? createServer(options) : createTls({ ...options, ...tls }, timeouts.headMs);
  server.maxHeadersCount = 0;
  // A property that the documentation of Node leaves out (CONTRIBUTING.md, "Architecture"): without it
  // node:http closes the connection of a client that has closed its side, and drops its answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  // A client that reads nothing is idle too.
  server.timeout = timeouts.idleMs;
  return server;
}

function createTls(options: ServerOptions & TlsOptions, handshakeTimeout: number): Server {
  try {
    // node:http does the same by itself.
    return createTlsServer({
      ...options,
      ciphers: CIPHERS,
      handshakeTimeout,
      allowHalfOpen: true,
    });
  } catch (error) {
    throw new ConfigurationError(
      'TLS_INVALID',
      `The certificate and its key cannot be used (${(error as Error).message}); give both in PEM.`,
      { cause: error },
    );
  }
}

/**
 * Has a server listen.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED` or `HOST_NOT_AVAILABLE`
 */
export async function bind(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen({ port, host, backlog: 1024 }, resolve);
  });
  server.removeAllListeners('error');
}

/**
 * Finds a port that can be listened on now.
 *
 * @param wanted 0 for any
 * @throws ConfigurationError as {@link bind}
 */
export async function findFreePort(wanted: number, host: string): Promise<number> {
  const server = createServer();
  await bind(server, wanted, host);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The host of a URL by which a client on this machine reaches a host that a server listens on. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function explain(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const fault = (code: string, message: string) => new ConfigurationError(code, message, { cause });
  switch (cause.code) {
    case 'EADDRINUSE':
      return fault(
        'PORT_IN_USE',
        `Port ${port} of ${host} is in use; choose another one, or 0 for any free port.`,
      );
    case 'EACCES':
      return fault(
        'PORT_NOT_PERMITTED',
        `Listening on ${host}:${port} is not permitted; choose a port above 1023.`,
      );
    default:
      return fault(
        'HOST_NOT_AVAILABLE',
        `Cannot listen on ${host}:${port} (${cause.code ?? cause.message}); choose an address of this machine.`,
      );
  }
}
