import type { LoadPlan } from '../../plan.ts';
import type { EstimateRequest } from '../../workload/requests.ts';

/** The requests of a run as bytes, each made once per access token. */
export class RequestBuffers {
  readonly #before: string[];
  readonly #after: string;
  readonly #shapes: Uint8Array;
  readonly #buffers: (Buffer | null)[];
  readonly #tokens: string[];
  #token: string;

  constructor(plan: LoadPlan, requests: readonly EstimateRequest[], accessToken: string) {
    this.#token = accessToken;
    this.#before = requests.map(
      ({ path, authorizationPrefix }) =>
        `GET ${path} HTTP/1.1\r\nHost: ${plan.address.hostHeader}\r\nAuthorization: ${authorizationPrefix}`,
    );
    const headers = Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#after = `\r\n${headers.join('')}\r\n`;
    this.#shapes = Uint8Array.from(requests, ({ shape }) => shape);
    this.#buffers = this.#before.map(() => null);
    this.#tokens = this.#before.map(() => '');
    for (let index = 0; index < this.#before.length; index++) this.at(index);
  }

  get size(): number {
    return this.#before.length;
  }

  /** Replaces the token; each request is rebuilt the next time it is sent. */
  setToken(accessToken: string): void {
    this.#token = accessToken;
  }

  /** @param slot whole number from 0; the requests are used in turn */
  at(slot: number): Buffer {
    const index = slot % this.#before.length;
    const ready = this.#buffers[index];
    if (ready && this.#tokens[index] === this.#token) return ready;
    const made = Buffer.from(`${this.#before[index]}${this.#token}${this.#after}`, 'latin1');
    this.#buffers[index] = made;
    this.#tokens[index] = this.#token;
    return made;
  }

  /** Index of the shape of the request at a slot. */
  shapeAt(slot: number): number {
    return this.#shapes[slot % this.#shapes.length] as number;
  }
}
