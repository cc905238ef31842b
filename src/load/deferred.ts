/** A promise that is settled from outside, once. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  isSettled = false;
  #resolve: (value: T) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A rejection that nobody waits for yet must not end the process.
    this.promise.catch(() => undefined);
  }

  resolve(value: T): void {
    this.isSettled = true;
    this.#resolve(value);
  }

  reject(error: Error): void {
    this.isSettled = true;
    this.#reject(error);
  }
}
