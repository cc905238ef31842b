import type { Handle, WriteRequest } from './socket-handle.ts';

/** The class of requests to write, learned from a write of a stream. */
export class WriteRequests {
  readonly #endsLater: boolean;
  /** Null until the first write has shown it. */
  Request: (new () => WriteRequest) | null = null;
  /** False on versions of Node whose streams write in another way. */
  isPossible = true;

  /** @param endsLater true if writes have to end later than they begin, as those of TLS do */
  constructor(endsLater: boolean) {
    this.#endsLater = endsLater;
  }

  /** Takes the class of requests from the next write of a stream to a handle. */
  learnFrom(handle: Handle): void {
    const write = handle.writeBuffer.bind(handle);
    handle.writeBuffer = (request, bytes) => {
      Reflect.deleteProperty(handle, 'writeBuffer');
      // By then, the stream has noted when the write ends.
      queueMicrotask(() => this.#learn(request));
      return write(request, bytes);
    };
  }

  #learn(request: WriteRequest | null): void {
    this.isPossible = request !== null && (!this.#endsLater || request.async === true);
    if (request !== null && this.isPossible)
      this.Request = request.constructor as new () => WriteRequest;
  }
}
