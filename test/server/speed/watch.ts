import { FastPath } from '../../../src/server/speed/fast-path.ts';

/** Actions of the fast path since the last call. */
export interface SeenOfFastPath {
  chunks: number;
  /** Requests that it answered. */
  answers: number;
  /** Chunks of which a part was left to the HTTP parser. */
  handedOver: number;
}

const { answer } = FastPath.prototype;

/**
 * Counts the actions of the fast path of all servers in this process; a spy would keep every byte.
 */
export function watchFastPath(): SeenOfFastPath {
  const seen = { chunks: 0, answers: 0, handedOver: 0 };
  FastPath.prototype.answer = function (this: FastPath, connection, chunk): Buffer | null {
    const answers = answer.call(this, connection, chunk);
    seen.chunks++;
    seen.answers += (answers?.toString('latin1') ?? '').split('HTTP/1.1 200 OK\r\n').length - 1;
    seen.handedOver += Number(this.consumed < chunk.length);
    return answers;
  };
  return seen;
}

/** Restores the fast path. */
export function unwatchFastPath(): void {
  FastPath.prototype.answer = answer;
}
