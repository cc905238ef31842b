import type { RunDocument } from '../../documents/run-document.ts';
import type { LiveEvent } from './events.ts';
import { livePage, livePolicy, liveView } from './page.ts';
import type { LiveSubject } from './parts.ts';
import { LiveServer } from './server.ts';
import { LiveState } from './state.ts';

/** A page on loopback that shows a command while it runs. */
export class LivePage {
  readonly #state: LiveState;
  readonly #server: LiveServer;

  private constructor(state: LiveState, server: LiveServer) {
    this.#state = state;
    this.#server = server;
  }

  /**
   * Opens the page on 127.0.0.1.
   *
   * @param token part of its address, at least 128 random bits in base64url
   * @throws RangeError for a token that is too short
   */
  static async open(subject: LiveSubject, token: string): Promise<LivePage> {
    const state = new LiveState();
    const view = (): ReturnType<typeof liveView> => liveView(subject, state);
    const page = (): string => livePage(subject, view());
    return new LivePage(state, await LiveServer.open({ token, page, view, policy: livePolicy() }));
  }

  /** Address of the page; whoever knows it may read the page. */
  get url(): string {
    return this.#server.url;
  }

  /** Shows an event, unless the page has ended. */
  publish(event: LiveEvent): void {
    if (this.#state.end !== null) return;
    this.#state.add(event);
    this.#server.changed();
  }

  /** Shows that the command has ended, and its result; later events are ignored. */
  end(document: RunDocument | null, report: string | null): void {
    this.#state.end ??= { document, report };
    this.#server.changed();
  }

  /** Ends the page, if that was not done, and closes its server. */
  async close(): Promise<void> {
    this.end(null, null);
    await this.#server.close();
  }
}
