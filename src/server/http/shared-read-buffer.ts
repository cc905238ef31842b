import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What one read of a socket brings at most, in bytes; the platform's own measure. */
const READ_BYTES = 64 * 1024;
/** Every socket reads into it, as each chunk is done with before the next is read. */
const SHARED = Buffer.allocUnsafeSlow(READ_BYTES);
/** The chunks that begin it, by their length. */
const views: (Buffer | undefined)[] = [];

/** A socket as {@link INTO_MEMORY} has it; what stands behind the two symbols is the stream's own. */
interface IntoMemory extends Record<symbol, unknown> {
  readonly _handle?: { useUserBuffer?(memory: Buffer): void } | null;
}

/**
 * Where a socket made with the option `onread` keeps its memory and its callback; null where this
 * platform has it otherwise. The option does what is wanted here, but a server cannot give it to the
 * sockets that it accepts.
 */
const INTO_MEMORY: { readonly memory: symbol; readonly callback: symbol } | null = findSymbols();

/**
 * Gives a socket's chunks to `read` without the stream's queue, which would tell of each and ask for
 * more in a tick of its own. A chunk is good until `read` returns. What is in the queue already, and
 * what comes after {@link queueChunks}, comes as 'data'.
 */
export function unqueueChunks(socket: Socket, read: (chunk: Buffer) => void): void {
  const sharing = INTO_MEMORY !== null && !(socket instanceof TLSSocket);
  if (!sharing || !readIntoShared(socket, INTO_MEMORY, read)) replacePush(socket, read);
}

/** Has the stream queue what comes, as any other. */
export function queueChunks(socket: Socket): void {
  Reflect.deleteProperty(socket, 'push');
  const known: IntoMemory = socket as Socket & IntoMemory;
  if (INTO_MEMORY === null || known[INTO_MEMORY.memory] !== SHARED) return;
  known[INTO_MEMORY.callback] = (length: number) => socket.push(copied(length));
}

/** Without an object for each chunk, whose collection is what pauses a server that makes no other. */
function readIntoShared(
  socket: Socket,
  symbols: NonNullable<typeof INTO_MEMORY>,
  read: (chunk: Buffer) => void,
): boolean {
  const known: IntoMemory = socket as Socket & IntoMemory;
  const handle = known._handle;
  if (typeof handle?.useUserBuffer !== 'function') return false;
  known[symbols.memory] = SHARED;
  known[symbols.callback] = (length: number): boolean => {
    if (socket.readableLength > 0) return socket.push(copied(length));
    views[length] ??= SHARED.subarray(0, length);
    read(views[length]);
    return true;
  };
  handle.useUserBuffer(SHARED);
  return true;
}

function replacePush(socket: Socket, read: (chunk: Buffer) => void): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null || socket.readableLength > 0) return push(chunk, encoding);
    read(chunk);
    return true;
  };
}

function copied(length: number): Buffer {
  return Buffer.from(SHARED.subarray(0, length));
}

function findSymbols(): typeof INTO_MEMORY {
  const callback = (): boolean => true;
  const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer: SHARED, callback } };
  const probe = new Socket(options);
  const known: IntoMemory = probe as Socket & IntoMemory;
  const symbols = Object.getOwnPropertySymbols(probe);
  const memory = symbols.find((symbol) => known[symbol] === SHARED);
  const calledBack = symbols.find((symbol) => known[symbol] === callback);
  probe.destroy();
  return memory === undefined || calledBack === undefined ? null : { memory, callback: calledBack };
}
