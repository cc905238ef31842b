import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../../interface/errors.ts';
import type { ClientResult } from '../judging/judge-client.ts';
import type { CapturedExchange } from '../traffic/captured.ts';
import {
  type JudgedRequest,
  type ListenerSettings,
  Listeners,
  type ListeningFacts,
  type Question,
  type Reply,
} from './listeners.ts';

const THREAD = new URL('./thread.js', import.meta.url);

/** A listener in another thread. */
export interface RemoteListener {
  /** Judges an exchange, as {@link Listener.take}; call in the order of the exchanges. */
  take(captured: CapturedExchange): Promise<JudgedRequest>;
  /** Judges all exchanges as a whole, as {@link Listener.result}. */
  result(facts: ListeningFacts): Promise<ClientResult>;
}

/** Waits for the reply to a question. */
interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread that judges the requests of clients that are listened to: to explain a wrong signature takes up
 * to two seconds, in which the server has to answer. If the thread is not compiled (when running from
 * source), they are judged in this one.
 */
export class ListeningThread {
  readonly #inThisThread = existsSync(THREAD) ? null : new Listeners();
  #worker: Worker | null = null;
  /** Replies come in the order of the questions. */
  readonly #waiting: Waiting[] = [];
  #listeners = 0;
  #failure: Error | null = null;

  /** Begins to listen to a client. */
  open(settings: ListenerSettings): RemoteListener {
    const listener = ++this.#listeners;
    void this.#ask({ listener, kind: 'open', settings });
    return {
      take: async (captured) => {
        // The socket, which only this thread has, is known by its number.
        const request = { ...captured.request, connection: undefined };
        const question = { listener, kind: 'take', captured: { ...captured, request } } as const;
        return (await this.#ask(question)) as JudgedRequest;
      },
      result: async (facts) =>
        (await this.#ask({ listener, kind: 'result', facts })) as ClientResult,
    };
  }

  /** Ends the thread; what it has not judged by then is dropped. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(question: Question): Promise<Reply> {
    if (this.#inThisThread) return Promise.resolve(this.#inThisThread.answer(question));
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const reply = new Promise<Reply>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    // A failure shows at the next question.
    reply.catch(() => undefined);
    this.#worker ??= this.#start();
    this.#worker.postMessage(question);
    return reply;
  }

  #start(): Worker {
    const worker = new Worker(THREAD);
    worker.on('message', (reply: Reply) => this.#waiting.shift()?.resolve(reply));
    worker.on('error', (error) => this.#fail(error.message));
    worker.on('exit', () => this.#fail('its thread ended'));
    return worker;
  }

  #fail(why: string): void {
    this.#failure ??= new FareproofError(
      'LISTENING_FAILED',
      `The requests of the client can no longer be judged: ${why}.`,
    );
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
