import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { TargetProfile } from '../../src/interface/index.ts';

/** A target that sends raw bytes, as no HTTP library would. */
export interface RawTarget {
  url: string;
  server: Server;
  /** All connections so far. */
  sockets: Set<Socket>;
  close(): Promise<void>;
}

/** A correct answer. */
export const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';

/** @param onRequest called with each complete request, and the number of requests with it */
export async function startRawTarget(
  onRequest: (socket: Socket, count: number) => void,
): Promise<RawTarget> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (data.includes('\r\n\r\n')) onRequest(socket, ++count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A profile with its own token, so that none is requested. */
export const rawProfile = (baseUrl: string): TargetProfile => ({
  name: 'raw',
  baseUrl,
  environment: 'production',
  partners: [{ id: 'p', signingKey: 'k', use: 'general', authCodes: [], accessToken: 't' }],
  signature: { tokenFields: 'all', estimateFields: 'all' },
  estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
  headers: {},
});
