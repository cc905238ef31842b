import type { CapturedRequest } from '../traffic/captured.ts';

/**
 * Finds the requests that a client may have sent before it had received an earlier answer. A request
 * overlaps if an exchange is still open when it arrives, or if its connection was open when an exchange
 * on another connection ended: clients of one thread use one connection at a time.
 */
export class Overlaps {
  readonly #openedAt = new WeakMap<object, number>();
  readonly #open = new Set<CapturedRequest>();
  readonly #overlapping = new WeakSet<CapturedRequest>();
  /** The latest ends on two different connections, the latest first. */
  #ends: readonly { readonly connection: object | undefined; readonly at: number }[] = [];
  /** Events so far: finer than a clock. */
  #events = 0;

  connected(connection: object): void {
    this.#openedAt.set(connection, ++this.#events);
  }

  arrived(request: CapturedRequest): void {
    const { connection } = request;
    const openedAt = connection && this.#openedAt.get(connection);
    const otherEnd = this.#ends.find((end) => end.connection !== connection);
    const isLate = openedAt !== undefined && otherEnd !== undefined && otherEnd.at > openedAt;
    if (this.#open.size > 0 || isLate) this.#overlapping.add(request);
    this.#open.add(request);
  }

  ended(request: CapturedRequest): void {
    const { connection } = request;
    this.#open.delete(request);
    const other = this.#ends.find((end) => end.connection !== connection);
    this.#ends = [{ connection, at: ++this.#events }, ...(other ? [other] : [])];
  }

  has(request: CapturedRequest): boolean {
    return this.#overlapping.has(request);
  }
}
