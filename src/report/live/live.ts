import type { RunDocument } from '../../documents/run-document.ts';
import { headlineOf } from '../text/headline.ts';
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
   * @param token stands in its address, at least 128 random bits in base64url
   * @throws RangeError for a token that is too short
   */
  static async open(subject: LiveSubject, token: string): Promise<LivePage> {
    const history = new LiveHistory();
    return new LivePage(await LiveServer.open({ ...renderLivePage(subject), token, history }));
  }

  /** Where it is; whoever knows it may read it. */
  get url(): string {
    return this.#server.url;
  }

  publish(event: LiveEvent): void {
    if (!this.#ended) this.#server.publish(event);
  }

  /** Says that the command is done, and what came of it; nothing is published after it. */
  end(document: RunDocument | null, reportPath: string | null): void {
    if (this.#ended) return;
    this.#ended = true;
    const headline = document && headlineOf(document);
    const words = headline?.sentence ?? 'The command has ended.';
    const isCut = document?.interrupted === true;
    this.#server.publish({
      kind: 'end',
      verdict: headline?.verdict ?? 'Ended',
      tone: headline?.tone ?? 'neutral',
      sentence: isCut ? `Interrupted: this is what was measured so far. ${words}` : words,
      report: reportPath,
    });
  }

  /** Ends the page, where that was not done before, and its server. */
  async close(): Promise<void> {
    this.end(null, null);
    await this.#server.close();
  }
}
