import type { FromAgent, MessageChannel, ToAgent } from '../../../src/load/agents/message.ts';

/** Both ends of a channel within this process; messages are copied and arrive in order. */
export interface ChannelPair {
  readonly controller: MessageChannel<ToAgent, FromAgent>;
  readonly agent: MessageChannel<FromAgent, ToAgent>;
  /** Ends the channel, as the death of either process does. */
  cut(): void;
  /** From now on drops the messages of the agent for which this is true. */
  drop(dropped: (message: FromAgent) => boolean): void;
}

export function channelPair(): ChannelPair {
  let end: () => void = () => undefined;
  let dropped: (message: FromAgent) => boolean = () => false;
  let isOver = false;
  const ended = new Promise<void>((resolve) => {
    end = () => {
      isOver = true;
      resolve();
    };
  });
  const toAgent = new Line<ToAgent>();
  const toController = new Line<FromAgent>();
  return {
    controller: {
      send: (message) => !isOver && toAgent.put(message),
      listen: (listener) => toController.listen(listener),
      ended,
      close: end,
    },
    agent: {
      send: (message) => !isOver && !dropped(message) && toController.put(message),
      listen: (listener) => toAgent.listen(listener),
      ended,
      close: end,
    },
    cut: end,
    drop: (test) => (dropped = test),
  };
}

/** Messages in one direction; those that come before there is a listener wait for it. */
class Line<T> {
  readonly #waiting: T[] = [];
  #listener: ((message: T) => void) | null = null;

  put(message: T): void {
    const copy = structuredClone(message);
    if (this.#listener === null) this.#waiting.push(copy);
    else setImmediate(this.#listener, copy);
  }

  listen(listener: (message: T) => void): void {
    this.#listener = listener;
    for (const message of this.#waiting.splice(0)) setImmediate(listener, message);
  }
}
