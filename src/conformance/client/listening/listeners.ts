import type { ParserOptions } from '../evidence/exchange-parser.ts';
import type { ClientResult } from '../judging/judge-client.ts';
import type { Orders } from '../judging/rule-result.ts';
import { Listener } from '../listener.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Options by which a client that is listened to is judged. */
export interface ListenerSettings
  extends Pick<ParserOptions, 'partners' | 'signedFields' | 'profile'> {
  readonly baseUrl: string;
  readonly orders: Orders;
  /** True if the client can have no tokens from before. */
  readonly complete: boolean;
}

/** A request with the rules that it broke. */
export type JudgedRequest = ReturnType<Listener['take']>;

/** Facts of a run that its requests do not show. */
export type ListeningFacts = Parameters<Listener['result']>[0];

/** Message to a listener, by its number. */
export type Question = { readonly listener: number } & (
  | { readonly kind: 'open'; readonly settings: ListenerSettings }
  | { readonly kind: 'take'; readonly captured: CapturedExchange }
  | { readonly kind: 'result'; readonly facts: ListeningFacts }
);

/** The answer to a question. */
export type Reply = JudgedRequest | ClientResult | null;

/** Listeners that are asked by messages. */
export class Listeners {
  readonly #listeners = new Map<number, Listener>();

  /** Answers a question; those on a listener that was not opened are answered by null. */
  answer(question: Question): Reply {
    if (question.kind === 'open') {
      const { baseUrl, complete, ...options } = question.settings;
      const listener = new Listener({ ...options, baseUrlOf: () => baseUrl }, complete);
      this.#listeners.set(question.listener, listener);
      return null;
    }
    const listener = this.#listeners.get(question.listener);
    if (listener === undefined) return null;
    return question.kind === 'take'
      ? listener.take(question.captured)
      : listener.result(question.facts);
  }
}
