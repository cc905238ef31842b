/** Turns of the loop after which connections are begun though more keep coming. */
const MOST_TURNS = 256;

/**
 * Begins connections once all that wait to be accepted are: libuv accepts one in each turn of the event
 * loop, so that a burst of them would wait for as many turns, each full of the requests of those before.
 */
export class Arrivals {
  #waiting: (() => void)[] = [];
  #arrived = 0;
  #turns = 0;

  /** @param begin is called when nothing came in a turn of the loop */
  add(begin: () => void): void {
    this.#arrived++;
    if (this.#waiting.push(begin) > 1) return;
    this.#turns = 0;
    this.#lookAgain();
  }

  #lookAgain(): void {
    const arrived = this.#arrived;
    // The first one comes in this turn, after which one more connection can be accepted.
    setImmediate(() => setImmediate(() => this.#look(arrived)));
  }

  #look(arrivedBefore: number): void {
    this.#turns++;
    if (this.#arrived !== arrivedBefore && this.#turns < MOST_TURNS) {
      this.#lookAgain();
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const begin of waiting) begin();
  }
}
