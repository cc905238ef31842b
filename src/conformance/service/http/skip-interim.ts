import type { Socket } from 'node:net';

/** Start of an interim response, and of no other; 101 switches protocols. */
const INTERIM = /^HTTP\/1\.\d 1(?!01)\d\d/;
const STATUS_ENDS_AT = 'HTTP/1.1 100'.length;

/** Bytes of an interim response that are waited for. */
const MOST_HEAD_BYTES = 8 * 1024;

const NOTHING = Buffer.alloc(0);

/** State of a connection that its user shares. */
export interface AwaitsAnswer {
  /** Set when a request is sent, and unset once the first bytes of its final answer came. */
  awaitsAnswer: boolean;
}

/**
 * Leaves interim responses out of what is read from a socket: a target may send them unasked (RFC 9110,
 * 15.2), undici closes the connection at a 100, and a request that counts must not be sent again.
 */
export function skipInterim(socket: Socket, state: AwaitsAnswer): void {
  const read = socket.read.bind(socket);
  let held: Buffer = NOTHING;
  socket.read = (size?: number): Buffer | null => {
    const piece = read(size) as Buffer | null;
    if (piece === null || !state.awaitsAnswer) return piece;
    const bytes = pastInterim(held.length === 0 ? piece : Buffer.concat([held, piece]));
    const isKnown = !mayBeInterim(bytes);
    held = isKnown ? NOTHING : bytes;
    state.awaitsAnswer = !isKnown;
    return isKnown ? bytes : NOTHING;
  };
}

/** Bytes after the interim responses that are whole. */
function pastInterim(bytes: Buffer): Buffer {
  let after = bytes;
  while (INTERIM.test(startOf(after))) {
    const end = after.indexOf('\r\n\r\n');
    if (end === -1) break;
    after = after.subarray(end + 4);
  }
  return after;
}

/** True for nothing, and for the start of what is an interim response or may become one. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = startOf(bytes);
  if (start.length === STATUS_ENDS_AT) return INTERIM.test(start) && bytes.length < MOST_HEAD_BYTES;
  return 'HTTP/1.'.startsWith(start.slice(0, 7)) && '1'.startsWith(start.slice(9, 10));
}

const startOf = (bytes: Buffer): string => bytes.toString('latin1', 0, STATUS_ENDS_AT);
