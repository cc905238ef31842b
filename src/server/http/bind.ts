import type { Server } from 'node:http';
import { ConfigurationError } from '../../interface/index.ts';

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

/** The host of a URL by which a client on this machine reaches a host that a server listens on. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const at = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigurationError(
        'PORT_IN_USE',
        `Port ${port} of ${host} is in use; choose another one, or 0 for any free port.`,
        { cause: error },
      );
    case 'EACCES':
      return new ConfigurationError(
        'PORT_NOT_PERMITTED',
        `Listening on ${at} is not permitted; choose a port above 1023.`,
        { cause: error },
      );
    default:
      return new ConfigurationError(
        'HOST_NOT_AVAILABLE',
        `Cannot listen on ${at} (${error.code ?? error.message}); choose an address of this machine.`,
        { cause: error },
      );
  }
}
