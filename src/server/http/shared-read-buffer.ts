import { type ConnectOpts, type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

/** Largest read of a socket, in bytes; the size that Node itself uses. */
const READ_BYTES = 64 * 1024;
/** Memory that every socket reads into: each chunk is handled before the next read. */
const SHARED = Buffer.allocUnsafeSlow(READ_BYTES);
/** Longest chunk whose view is kept. */
const LONGEST_VIEW = 4096;
/**
 * Views of the first bytes of {@link SHARED}, by their number. Filled from the start: V8 keeps a list with
 * gaps in a hash table, which is slower to read.
 */
const views: (Buffer | undefined)[] = Array.from({ length: LONGEST_VIEW + 1 }, () => undefined);

/**
 * Properties in which a socket keeps what its option `onread` gave it. The option does what is needed
 * here, but a server cannot set it on the sockets that it accepts.
 */
interface ReadProperties {
  /** The memory to read into. */
  readonly buffer: symbol;
  /** The function called after each read. */
  readonly callback: symbol;
  /** A function that gives new memory for each read; null if there is none. */
  readonly generator: symbol;
}

/** A socket with those properties and its handle; both are internals of Node. */
interface SocketInternals extends Record<symbol, unknown> {
  readonly _handle?: { useUserBuffer?(memory: Buffer): void } | null;
}

/** Null if this version of Node keeps them otherwise: then no memory is shared. */
const PROPERTIES = findProperties();

/**
 * Gives the chunks of a socket to `read` at once, without the stream's queue, which would announce
 * each chunk and ask for the next in ticks of their own. A chunk is valid until `read` returns.
 * Chunks that are queued already, and those after {@link restoreReadQueue}, arrive as 'data'.
 *
 * @param isShared whether the socket may read into memory shared with others (option
 * `sharedReadBuffer`); without it, or where Node does not allow it, each chunk has its own memory
 */
export function bypassReadQueue(
  socket: Socket,
  read: (chunk: Buffer) => void,
  isShared: boolean,
): void {
  if (!isShared || !readIntoShared(socket, read)) replacePush(socket, read);
}

/** Queues the chunks of a socket again. */
export function restoreReadQueue(socket: Socket): void {
  Reflect.deleteProperty(socket, 'push');
  const internals: SocketInternals = socket as Socket & SocketInternals;
  if (PROPERTIES === null || internals[PROPERTIES.buffer] !== SHARED) return;
  internals[PROPERTIES.callback] = (length: number) => socket.push(copyOf(length));
}

/**
 * Has a socket read into {@link SHARED}: no object is made for a chunk, so that the garbage collector
 * has no pauses to make for them. False if the socket has memory, a callback or a generator already.
 */
function readIntoShared(socket: Socket, read: (chunk: Buffer) => void): boolean {
  const internals: SocketInternals = socket as Socket & SocketInternals;
  const handle = internals._handle;
  if (PROPERTIES === null) return false;
  if (Object.values(PROPERTIES).some((property: symbol) => internals[property] !== null))
    return false;
  if (typeof handle?.useUserBuffer !== 'function') return false;
  internals[PROPERTIES.buffer] = SHARED;
  internals[PROPERTIES.callback] = (length: number): boolean => {
    if (socket.readableLength > 0) return socket.push(copyOf(length));
    read(viewOf(length));
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

function viewOf(length: number): Buffer {
  if (length > LONGEST_VIEW) return SHARED.subarray(0, length);
  views[length] ??= SHARED.subarray(0, length);
  return views[length];
}

function copyOf(length: number): Buffer {
  return Buffer.from(SHARED.subarray(0, length));
}

/** Finds the properties by what sockets with the option keep in them. */
function findProperties(): ReadProperties | null {
  const callback = (): boolean => true;
  const generate = (): Buffer => SHARED;
  const buffer = propertyWith(SHARED, { buffer: SHARED, callback });
  const called = propertyWith(callback, { buffer: SHARED, callback });
  const generator = propertyWith(generate, { buffer: generate, callback });
  if (buffer === null || called === null || generator === null) return null;
  return { buffer, callback: called, generator };
}

function propertyWith(value: unknown, onread: OnReadOpts): symbol | null {
  const options: SocketConstructorOpts & ConnectOpts = { onread };
  const probe = new Socket(options);
  const internals: SocketInternals = probe as Socket & SocketInternals;
  probe.destroy();
  return Object.getOwnPropertySymbols(probe).find((key) => internals[key] === value) ?? null;
}
