import type { Socket } from 'node:net';

/**
 * Outcome of a write: `free` (the memory of the bytes can be used again), `held` (it is still needed) or
 * `full` (it is still needed, and the socket emits `drain` once more can be written, unless it is closed).
 */
export type WriteOutcome = 'free' | 'held' | 'full';

/** Writes bytes to one socket, in order with those that are written to its stream. */
export interface SocketWriter {
  readonly socket: Socket;
  write(bytes: Buffer): WriteOutcome;
}
