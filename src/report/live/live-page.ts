import type { RunDocument } from '../../documents/run-document.ts';
import { headlineOf, INTERRUPTED_WORDS } from '../text/headline.ts';
import type { LiveEvent } from './events.ts';
import { LiveHistory } from './history.ts';
import { type LiveSubject, renderLivePage } from './page.ts';
import { LiveServer } from './server.ts';

/** A page on loopback that shows a command while it runs. */
export class LivePage {
  readonly #server: LiveServer;
  #ended = false;

  private constructor(server: LiveServer) {
    this.#server = server;
  }

  /**
   * Opens the page on 127.0.0.1.
   *
   * @param token part of its address, at least 128 random bits in base64url
   * @throws RangeError for a token that is too short
   */
  static async open(subject: LiveSubject, token: string): Promise<LivePage> {
    const history = new LiveHistory();
    return new LivePage(await LiveServer.open({ ...renderLivePage(subject), token, history }));
  }

  /** Address of the page; whoever knows it may read the page. */
  get url(): string {
    return this.#server.url;
  }

  /** Shows an event, unless the page has ended. */
  publish(event: LiveEvent): void {
    if (!this.#ended) this.#server.publish(event);
  }

  /** Shows that the command has ended, and its result; later events are ignored. */
  end(document: RunDocument | null, reportPath: string | null): void {
    if (this.#ended) return;
    this.#ended = true;
    const headline = document && headlineOf(document);
    const sentence = headline?.sentence ?? 'The command has ended.';
    this.#server.publish({
      kind: 'end',
      verdict: headline?.verdict ?? 'Ended',
      tone: headline?.tone ?? 'neutral',
      sentence: document?.interrupted === true ? `${INTERRUPTED_WORDS} ${sentence}` : sentence,
      report: reportPath,
    });
  }

  /** Ends the page, if that was not done, and closes its server. */
  async close(): Promise<void> {
    this.end(null, null);
    await this.#server.close();
  }
}
