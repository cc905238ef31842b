import { connect } from 'node:net';

/** Bytes received over one connection. */
export interface RawReply {
  text: string;
  /** Statuses in the order of the answers. */
  statuses: number[];
  /** True if the server ended or reset the connection; false if we did. */
  isClosed: boolean;
}

/** Bytes to send afterwards, and the time to wait. */
export interface RawExchange {
  /** True if our side is ended after the bytes. */
  ends?: boolean;
  /** Closes the connection after that many whole answers; else the server has to end it. */
  answers?: number;
}

/** Checks whether a status admits a defect of the server: a version that it does not serve is none. */
export const isDefect = (status: number): boolean => status >= 500 && status !== 505;

/** Only ends a hang. */
const LIMIT_MS = 90_000;

/** Sends raw bytes over a new connection, and reads until its end. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  { ends = false, answers = Number.POSITIVE_INFINITY }: RawExchange = {},
): Promise<RawReply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const textSoFar = (): string => Buffer.concat(chunks).toString('latin1');
    const socket = connect(port, '127.0.0.1');
    const finish = (isClosed: boolean): void => {
      clearTimeout(limit);
      socket.destroy();
      const text = textSoFar();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));
      resolve({ text, statuses, isClosed });
    };
    const limit = setTimeout(() => finish(false), LIMIT_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (Number.isFinite(answers) && countWhole(textSoFar()) >= answers) finish(false);
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Number of complete answers. */
function countWhole(text: string): number {
  let count = 0;
  for (let at = 0; ; count++) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return count;
    const length = /^content-length: *(\d+)/im.exec(text.slice(at, end))?.[1] ?? '0';
    at = end + 4 + Number(length);
    if (at > text.length) return count;
  }
}
