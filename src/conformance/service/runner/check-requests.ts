import type { Part } from '../../../documents/exchange.ts';
import type { Answer } from '../contract/messages.ts';
import type { Sender } from '../contract/part-of-run.ts';
import type { TargetClient } from '../wire/target-client.ts';

/** Requests of one check: their numbers, their order, and the target's time between them. */
export class CheckRequests {
  /** Id of the exchange that was answered last; null before the first. */
  get lastSent(): string | null {
    return this.sent.at(-1) ?? null;
  }

  /** Ids of the exchanges answered so far, in order of sending. */
  readonly sent: string[] = [];
  /** Ordinals of `sent`: of requests sent at once, any may be answered first. */
  readonly #ordinals: number[] = [];
  /** True once the check has measured a time, or has waited for one. */
  isTimed = false;
  readonly #client: Pick<TargetClient, 'clock' | 'recording'>;
  readonly #sender: Sender;
  #ordinal = 0;
  /** Target's time of the last answer, or the time that was reached since. */
  #lastMs: number | null = null;
  /** True if the last request was replayed: the check's time is still that of the recording. */
  #isReplaying = false;

  constructor(client: Pick<TargetClient, 'clock' | 'recording'>, sender: Sender) {
    this.#client = client;
    this.#sender = sender;
  }

  /** True if no earlier run has sent the next request. */
  get isNextNew(): boolean {
    return this.#nextReplayedMs() === null;
  }

  /** Sends a request under the next number. */
  async send<A extends Pick<Answer, 'exchange' | 'answeredAtMs'>>(
    request: (part: Part) => Promise<A>,
  ): Promise<A> {
    const ordinal = ++this.#ordinal;
    const part = { ...this.#sender, number: ordinal };
    this.#isReplaying = this.#client.recording.has(part);
    const answer = await request(part);
    const place = this.#ordinals.findLastIndex((one) => one < ordinal) + 1;
    this.#ordinals.splice(place, 0, ordinal);
    this.sent.splice(place, 0, answer.exchange);
    this.#lastMs = answer.answeredAtMs;
    return answer;
  }

  /** Target's time as the check knows it: that of the recording while requests are replayed. */
  now(): number {
    const nextMs = this.#nextReplayedMs();
    if (nextMs !== null) return this.#lastMs ?? nextMs;
    return (this.#isReplaying ? this.#lastMs : null) ?? this.#client.clock.now();
  }

  /** Waits for a time of the target, unless the next request was sent after it by an earlier run. */
  async reach(atMs: number, wait: (atMs: number) => Promise<number>): Promise<number> {
    this.isTimed = true;
    const nextMs = this.#nextReplayedMs();
    if (nextMs !== null) {
      this.#lastMs = nextMs;
      return nextMs;
    }
    const nowMs = await wait(atMs);
    this.#isReplaying = false;
    return nowMs;
  }

  #nextReplayedMs(): number | null {
    return this.#client.recording.sentAt({ ...this.#sender, number: this.#ordinal + 1 });
  }
}
