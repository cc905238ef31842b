import { connect, type Socket } from 'node:net';

/** A request before it is written; `bytes` of it can be changed by {@link serialise}. */
export interface WireRequest {
  method: string;
  /** Request target, written as it is. */
  target: string;
  headers: [name: string, value: string][];
  body: Buffer;
  version: string;
}

/** A whole answer. */
export interface WireAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The connection ended, or hung, before the whole answer. */
export class Lost extends Error {}

/** The bytes of a request; a header is one Latin-1 character a byte. */
export function serialise({ method, target, headers, body, version }: WireRequest): Buffer {
  const lines = [`${method} ${target} ${version}`, ...headers.map((field) => field.join(': '))];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** Use of connections. */
export interface WireOptions {
  readonly keepsAlive: boolean;
  /** Time after which it gives up a request, ms. */
  readonly patienceMs: number;
  /** The same for a POST; left out, that of all. */
  readonly postPatienceMs?: number | undefined;
  readonly pieces: (bytes: Buffer) => readonly Buffer[];
  /** True to close its side of a connection after a request. */
  readonly halfCloses: boolean;
}

/** One connection at a time, which writes bytes of any kind and reads answers. */
export class Wire {
  readonly #port: number;
  readonly #host: string;
  readonly #options: WireOptions;
  #socket: Socket | null = null;

  constructor(baseUrl: string, options: WireOptions) {
    const { hostname, port } = new URL(baseUrl);
    [this.#host, this.#port] = [hostname, Number(port)];
    this.#options = options;
  }

  /**
   * Writes bytes and reads as many answers as there were requests in them.
   *
   * @throws Lost
   */
  async exchange(bytes: Buffer, answers = 1): Promise<WireAnswer[]> {
    const socket = this.#socket ?? this.#connect();
    this.#socket = null;
    const { keepsAlive, patienceMs, postPatienceMs, pieces, halfCloses } = this.#options;
    const isPost = bytes.toString('latin1', 0, 5) === 'POST ';
    const waitMs = isPost ? (postPatienceMs ?? patienceMs) : patienceMs;
    const waiting = receive(socket, answers, waitMs).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    // It may fail while the request is still being written.
    waiting.catch(() => undefined);
    for (const [at, piece] of pieces(bytes).entries()) {
      if (at > 0) await new Promise((later) => setTimeout(later, 1));
      socket.write(piece);
    }
    if (halfCloses) socket.end();
    const received = await waiting;
    const isOpen = keepsAlive && received.every((one) => one.headers['connection'] !== 'close');
    if (isOpen) this.#socket = socket;
    else socket.destroy();
    return received;
  }

  #connect(): Socket {
    const socket = connect({ port: this.#port, host: this.#host });
    // A failure shows as the end of the connection.
    return socket.setNoDelay(true).on('error', () => undefined);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }
}

function receive(socket: Socket, count: number, patienceMs: number): Promise<WireAnswer[]> {
  return new Promise((resolve, reject) => {
    let unread = Buffer.alloc(0);
    const answers: WireAnswer[] = [];
    const timer = setTimeout(() => end(new Lost('no answer')), patienceMs);
    const take = (isClosed: boolean): void => {
      for (let parsed = parse(unread, isClosed); parsed; parsed = parse(unread, isClosed)) {
        unread = unread.subarray(parsed.length);
        if (parsed.answer.status >= 200) answers.push(parsed.answer);
        if (answers.length === count) {
          end(null);
          return;
        }
      }
      if (isClosed) end(new Lost('the connection ended'));
    };
    const data = (chunk: Buffer): void => {
      unread = Buffer.concat([unread, chunk]);
      timer.refresh();
      take(false);
    };
    const closed = (): void => take(true);
    const end = (error: Error | null): void => {
      clearTimeout(timer);
      socket.off('data', data).off('end', closed).off('close', closed);
      if (error) reject(error);
      else resolve(answers);
    };
    socket.on('data', data).on('end', closed).on('close', closed);
  });
}

/** The first answer in some bytes; null while it is not whole. */
function parse(
  bytes: Buffer,
  isClosed: boolean,
): { readonly answer: WireAnswer; readonly length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const at = field.indexOf(':');
      return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
    }),
  );
  const status = Number(line.split(' ')[1]);
  const start = headEnd + 4;
  const whole = (text: string, length: number) => ({ answer: { status, headers, text }, length });
  if (status < 200 || status === 204 || status === 304) return whole('', start);
  const stated = headers['content-length'];
  if (stated !== undefined) {
    const end = start + Number(stated);
    return bytes.length < end ? null : whole(bytes.toString('utf8', start, end), end);
  }
  if (headers['transfer-encoding'] !== 'chunked') {
    return isClosed ? whole(bytes.toString('utf8', start), bytes.length) : null;
  }
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (bytes.length < at) return null;
    if (size === 0) return whole(Buffer.concat(chunks).toString('utf8'), at);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
  }
}
