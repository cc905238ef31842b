import type { Socket } from 'node:net';

/** A request to write, which Node makes for each write of a stream; an internal of Node. */
export interface WriteRequest {
  /** Keeps the memory alive while the kernel has not taken all of it. */
  buffer?: Buffer;
  /** True if the write ends later; the stream sets it once it has begun to write. */
  readonly async?: boolean;
  /** Called at the end of a write that ends later, with an error number or 0. */
  oncomplete?: (status: number) => void;
}

/** The handle of a socket; an internal of Node. */
export interface Handle {
  /** Writes what can be written at once, and later the rest; returns an error number, 0 for none. */
  writeBuffer(request: WriteRequest | null, bytes: Buffer): number;
  /** Number of bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number;
}

/** The handle of a socket; none once the socket is closed. */
export function handleOf(socket: Socket): Handle | null | undefined {
  return (socket as Socket & { readonly _handle?: Handle | null })._handle;
}

/** Checks whether a handle has what is needed; another version of Node may have other internals. */
export function isComplete(handle: Partial<Handle>): boolean {
  return typeof handle.writeBuffer === 'function' && typeof handle.writeQueueSize === 'number';
}
