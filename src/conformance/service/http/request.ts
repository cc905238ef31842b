import { explainFailure, type TransportErrorCode } from '../../../interface/connection-failure.ts';
import { decodeBody } from './decode-body.ts';
import { BODY_CAP_BYTES, type Exchange, type ExchangeProgress } from './exchange.ts';
import type { WireOutcome } from './message.ts';

/** Time that a request under way has left once the run is interrupted. */
const GRACE_MS = 1_000;

/** Calls a function after some ms; returns what calls it off. */
export type After = (forMs: number, act: () => void) => () => void;

/** Calls it one turn late: a response that arrived while this process was stalled is read first. */
const afterOnMachine: After = (forMs, act) => {
  const timer = setTimeout(() => setImmediate(act), forMs);
  return () => clearTimeout(timer);
};

/** Request under way, with its deadline. */
export class OutgoingRequest {
  readonly #timeoutMs: number;
  readonly #progress: ExchangeProgress = {
    isConnected: false,
    isBegun: false,
    isAnswered: false,
    isReused: false,
  };
  readonly #exchange: Exchange;
  readonly #after: After;
  #endGrace: (() => void) | undefined;
  #isLate = false;
  /** Rejects what `outcome` waits for. */
  #breakOff: (reason: Error) => void = () => undefined;

  /** @param open opens the exchange, which notes how far it has come */
  constructor(
    timeoutMs: number,
    open: (progress: ExchangeProgress) => Exchange,
    after: After = afterOnMachine,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#after = after;
    this.#exchange = open(this.#progress);
  }

  /** True once any byte of the answer came. */
  get isBegun(): boolean {
    return this.#progress.isBegun;
  }

  /** True if its connection had other requests before. */
  get isReused(): boolean {
    return this.#progress.isReused;
  }

  /** Cuts the deadline to the grace period of an interrupted run. */
  hurry(): void {
    this.#endGrace ??= this.#endAfter(GRACE_MS);
  }

  /** Sends the request and reads the response; never rejects. */
  async outcome(): Promise<WireOutcome> {
    const callOff = this.#endAfter(this.#timeoutMs);
    const over = new Promise<never>((_, reject) => {
      this.#breakOff = reject;
    });
    // It may reject when it is no longer awaited.
    over.catch(() => undefined);
    try {
      const answer = await Promise.race([over, this.#exchange.answer()]);
      const { status, headers, bytes, truncated } = answer;
      const decoded = decodeBody(bytes, truncated, headers['content-encoding'], BODY_CAP_BYTES);
      if ('error' in decoded) return failure('BODY_UNDECODABLE', decoded.error);
      return { response: { status, headers, ...decoded }, error: null };
    } catch (error) {
      this.#exchange.destroy();
      return this.#isLate ? this.#late() : { response: null, error: explainFailure(error) };
    } finally {
      callOff();
      this.#endGrace?.();
    }
  }

  #endAfter(forMs: number): () => void {
    return this.#after(forMs, () => {
      this.#isLate = true;
      this.#breakOff(new Error('the deadline is over'));
    });
  }

  #late(): WireOutcome {
    const withinMs = `within ${this.#timeoutMs} ms`;
    if (this.#endGrace !== undefined)
      return failure('INTERRUPTED', 'the run was interrupted before the response was there');
    if (this.#progress.isAnswered)
      return failure('TIMEOUT_MID_ANSWER', `the response was incomplete ${withinMs}`);
    return this.#progress.isConnected
      ? failure('TIMEOUT', `the target did not send a response ${withinMs}`)
      : failure('CONNECT_TIMEOUT', `the target did not take a connection ${withinMs}`);
  }
}

function failure(code: TransportErrorCode, message: string): WireOutcome {
  return { response: null, error: { code, message } };
}
