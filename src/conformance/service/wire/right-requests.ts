import type { WireRequest } from '../http/message.ts';

/** Text of each platform token request. */
const PLATFORM_GRANT = 'client_credentials';

/** Time in which an accepted estimate is accepted again, ms. */
const RECENT_MS = 2_000;

/** Right requests after which a target that refused none of them has no narrow rate limit. */
const MANY = 32;

/** Right requests of a run, and what the target answered: sent again, they show what refuses another one. */
export class RightRequests {
  /** Makes a token request of a fresh partner; null where that costs something. */
  fresh: (() => Promise<WireRequest>) | null = null;
  /** The last one that was accepted; the target's time then, ms. */
  #accepted: { readonly request: WireRequest; readonly atMs: number } | null = null;
  /** True if a platform token request was accepted. */
  #hasToken = false;
  #acceptedCount = 0;
  #wasRefused = false;

  /** True if the target accepted many of them, and refused none. */
  get areAccepted(): boolean {
    return this.#acceptedCount >= MANY && !this.#wasRefused;
  }

  /** @param atMs time of the target at which it answered, ms */
  note(request: WireRequest, status: number | undefined, atMs: number): void {
    this.#wasRefused ||= status !== 200;
    if (status !== 200) return;
    this.#acceptedCount++;
    this.#accepted = { request, atMs };
    this.#hasToken ||= request.body?.includes(PLATFORM_GRANT) ?? false;
  }

  /**
   * Request that is accepted unless a rate limit refuses it; null for none.
   *
   * @param authorization header of the refused request, which may be refused for its token
   */
  async another(authorization: string | undefined, nowMs: number): Promise<WireRequest | null> {
    if (this.fresh) return this.#hasToken ? this.fresh() : null;
    if (!this.#accepted) return null;
    const { request, atMs } = this.#accepted;
    // A token that was refused may be dead, and so may one that was accepted long ago.
    const isOther = request.headers['authorization'] !== authorization;
    return request.method === 'GET' && isOther && nowMs - atMs < RECENT_MS ? request : null;
  }
}
