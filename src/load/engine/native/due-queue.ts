/** Queue of planned requests that wait for a connection, without an object for each. */
export class DueQueue {
  #plannedNs = new Float64Array(1024);
  #slots = new Float64Array(1024);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Planned time of the oldest; undefined behaviour for an empty queue. */
  get oldestNs(): number {
    return this.#plannedNs[this.#first] as number;
  }

  get oldestSlot(): number {
    return this.#slots[this.#first] as number;
  }

  push(plannedNs: number, slot: number): void {
    if (this.#length === this.#plannedNs.length) this.#grow();
    const at = (this.#first + this.#length) % this.#plannedNs.length;
    this.#plannedNs[at] = plannedNs;
    this.#slots[at] = slot;
    this.#length++;
  }

  /** Removes the oldest. */
  shift(): void {
    this.#first = (this.#first + 1) % this.#plannedNs.length;
    this.#length--;
  }

  #grow(): void {
    const unrolled = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(2 * from.length);
      grown.set(from.subarray(this.#first));
      grown.set(from.subarray(0, this.#first), from.length - this.#first);
      return grown;
    };
    [this.#plannedNs, this.#slots] = [unrolled(this.#plannedNs), unrolled(this.#slots)];
    this.#first = 0;
  }
}
