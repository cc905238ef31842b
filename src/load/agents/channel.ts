/**
 * Messages between the controller of a load and one agent, whatever carries them: in order, each once.
 * Only pings and their answers may be lost.
 */
export interface MessageChannel<Sent, Received> {
  /** Without effect once the channel has ended. */
  send(message: Sent): void;
  /** Calls the listener for each message from now on; there is one listener. */
  listen(listener: (message: Received) => void): void;
  /** Resolves when nothing can be received any more. */
  readonly ended: Promise<void>;
  close(): void;
  /** True while nothing can arrive, which says nothing of the other side. */
  readonly isDown?: boolean;
}
