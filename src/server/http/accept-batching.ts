/** Event loop turns after which connections are served even if more keep coming. */
const MAX_TURNS = 256;

/**
 * Starts to serve new connections once no more wait to be accepted. libuv accepts one connection in
 * each turn of the event loop: without batching, the last of a burst waits for as many turns as there
 * are connections before it, each turn full of their requests.
 */
export class AcceptBatching {
  #waiting: (() => void)[] = [];
  #accepted = 0;
  #turns = 0;

  /** @param serve called after a turn of the event loop that brought no connection */
  add(serve: () => void): void {
    this.#accepted++;
    if (this.#waiting.push(serve) > 1) return;
    this.#turns = 0;
    this.#checkAgain();
  }

  #checkAgain(): void {
    const accepted = this.#accepted;
    // The first callback runs in this turn; only after it can another connection be accepted.
    setImmediate(() => setImmediate(() => this.#check(accepted)));
  }

  #check(acceptedBefore: number): void {
    this.#turns++;
    if (this.#accepted !== acceptedBefore && this.#turns < MAX_TURNS) {
      this.#checkAgain();
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const serve of waiting) serve();
  }
}
