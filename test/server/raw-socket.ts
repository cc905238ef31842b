import { connect } from 'node:net';

/** What came back over one connection. */
export interface RawReply {
  text: string;
  /** Statuses in the order of the answers. */
  statuses: number[];
  /** Whether the server ended or reset the connection; false where we stopped waiting. */
  isClosed: boolean;
}

/** Sends bytes as they are over a connection of their own, and reads until it ends or is quiet. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  { quietMs = 300, ends = false }: { quietMs?: number; ends?: boolean } = {},
): Promise<RawReply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));
      resolve({ text, statuses, isClosed });
    };
    const timer = setTimeout(() => finish(false), quietMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      timer.refresh();
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}
