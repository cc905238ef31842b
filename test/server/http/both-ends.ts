import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

const open: (Server | Socket)[] = [];

/** Has {@link closeAll} close these too. */
export function closeLater(...some: readonly (Server | Socket)[]): void {
  open.push(...some);
}

/** Closes what {@link connected} has opened; each file of tests registers it. */
export function closeAll(): void {
  for (const one of open.splice(0)) {
    if ('close' in one) one.close();
    else one.destroy();
  }
}

/** Opens a connection; both its ends: the client's, and the one that was accepted. */
export async function connected(isTls = false): Promise<{ client: Socket; accepted: Socket }> {
  const server = isTls ? createTlsServer(LOOPBACK_TLS) : createServer();
  closeLater(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const to = { port: (server.address() as AddressInfo).port, host: '127.0.0.1' };
  const client = isTls ? connectTls({ ...to, ca: LOOPBACK_TLS.cert }) : connect(to);
  const event = isTls ? 'secureConnection' : 'connection';
  const [accepted] = (await once(server, event)) as [Socket];
  closeLater(client, accepted);
  return { client, accepted };
}
