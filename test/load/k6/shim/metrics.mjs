import { record } from './record.mjs';

/** Sum of what was added: of a rate, the number of its true values. */
export class Counter {
  #name;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
    record.counters[name] = 0;
  }

  /** @param {number | boolean} value */
  add(value) {
    record.counters[this.#name] += Number(value);
  }
}

/** Values that were added. */
export class Trend {
  #name;

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
    record.trends[name] = [];
  }

  /** @param {number} value */
  add(value) {
    record.trends[this.#name].push(value);
  }
}

export { Counter as Rate };
