import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

const TOKEN = JSON.stringify({
  access_token: 'aaaa',
  refresh_token: 'rrrr',
  expires_in_second: 3600,
  token_type: 'bearer',
  scope: 'public',
});

const OK = 'HTTP/1.1 200 OK\r\n';
const LONG = `${OK}Content-Length: 1000\r\n\r\n[`;

const usual = (body: string, headers = ''): string =>
  `${OK}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const text = (bytes: string) => (socket: Socket) => void socket.write(bytes, 'latin1');

/** Sends without an end, as fast as it is read. */
const endless = (head: string, piece: string) => (socket: Socket) => {
  socket.write(head);
  const more = (): void => {
    while (socket.writable && socket.write(piece.repeat(10_000)));
    if (socket.writable) socket.once('drain', more);
  };
  more();
};

const drip = (head: string) => (socket: Socket) => {
  socket.write(head);
  const timer = setInterval(() => socket.write('a'), 100);
  socket.once('close', () => clearInterval(timer));
};

/** Actions of a hostile target, one for each request. It closes no connection unless that is the action. */
export const HOSTILE: Readonly<Record<string, (socket: Socket) => void>> = {
  'usual answer': text(usual('[]')),
  'announces to close': text(usual('[]', 'Connection: close\r\n')),
  chunked: text(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`),
  'chunks without an end': text(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`),
  'HTTP/1.0': text('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]'),
  'HTTP/1.0 without a length': text('HTTP/1.0 200 OK\r\n\r\n[]'),
  'no content': text('HTTP/1.1 204 No Content\r\n\r\n'),
  'not modified': text('HTTP/1.1 304 Not Modified\r\n\r\n'),
  'interim response': text(`HTTP/1.1 103 Early Hints\r\n\r\n${usual('[]')}`),
  'only an interim response': text('HTTP/1.1 103 Early Hints\r\n\r\n'),
  'another protocol': text(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  ),
  'header outside ASCII': text(usual('[]', 'X-A: \u00e9\r\n')),
  'bytes behind the answer': text(usual('[]') + usual('[]')),
  'no HTTP': text('SSH-2.0-x\r\n'),
  'broken JSON': text(usual('[{"a":')),
  'wrong content length': text(`${LONG}]`),
  'gzip bomb': (socket) => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
  },
  'redirect loop': text(
    'HTTP/1.1 302 Found\r\nLocation: /v1/estimates/prices\r\nContent-Length: 0\r\n\r\n',
  ),
  silence: () => undefined,
  'body that drips': drip(LONG),
  'head that drips': drip(`${OK}X: `),
  'endless body': endless(`${OK}\r\n`, 'x'),
  'endless head': endless(OK, 'x: y\r\n'),
  'end of its side': (socket) => void socket.end(usual('[]')),
  'end of its side in mid-answer': (socket) => void socket.end(LONG),
  reset: (socket) => void socket.resetAndDestroy(),
  'reset in mid-answer': (socket) => {
    socket.write(LONG);
    setImmediate(() => socket.resetAndDestroy());
  },
};

/** A target whose connections stay open for as long as it may decide. */
export interface HostileTarget {
  readonly baseUrl: string;
  /** Called with each request that is answered in a hostile way. */
  onRequest: () => void;
  close(): void;
}

/**
 * Starts a target on loopback.
 *
 * @param grants true if it gives tokens as it should
 */
export async function startHostileTarget(
  answer: (socket: Socket) => void,
  grants = true,
): Promise<HostileTarget> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      for (let request = first(received); request; request = first(received)) {
        received = received.slice(request.length);
        if (grants && request.startsWith('POST')) socket.write(usual(TOKEN));
        else {
          target.onRequest();
          answer(socket);
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target: HostileTarget = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onRequest: () => undefined,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return target;
}

/** The first whole request of a text; null if there is none. */
function first(received: string): string | null {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = Number(/^content-length: (\d+)/im.exec(received.slice(0, end))?.[1] ?? 0);
  const whole = end + 4 + length;
  return received.length < whole ? null : received.slice(0, whole);
}
