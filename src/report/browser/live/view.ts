import type { LiveEnd, LiveEvent } from '../../live/events.ts';
import { countOf } from '../../text/quantities.ts';
import { elementOf } from './elements.ts';
import { LiveLists } from './lists.ts';
import { LiveRun } from './run.ts';
import { readStream } from './stream.ts';

const GLYPHS = { good: '✓', bad: '✕', caution: '!', unknown: '?', neutral: '•' } as const;

/** Shows the events of the page's stream; drawing waits for the screen, and for the reader. */
export function startLive(): void {
  const view = new LiveView();
  readStream(view);
}

class LiveView {
  readonly #run: LiveRun;
  readonly #lists: LiveLists;
  #scheduled = false;
  #paused = false;
  /** Requests that came while it was paused. */
  #unseen = 0;
  #ended = false;
  #said = '';

  constructor() {
    const kind = elementOf('main').dataset['live'] ?? '';
    this.#run = new LiveRun(kind);
    this.#lists = new LiveLists(kind);
    this.#startPause();
    this.#say(elementOf('#live-words').textContent);
  }

  onEvent(event: LiveEvent): void {
    if (event.kind === 'end') this.#end(event);
    else if (!this.#run.take(event)) this.#lists.take(event);
    if (event.kind === 'standing') this.#say(event.phase);
    if (event.kind === 'request') this.#unseen += 1;
    this.#schedule();
  }

  onState(state: 'open' | 'lost' | 'gone'): void {
    if (this.#ended) return;
    const words = {
      open: '',
      lost: 'The connection to the command is lost; it is tried again.',
      gone: 'The command is gone. This page shows what came before.',
    };
    elementOf('#live-sentence').textContent = words[state];
    if (state === 'gone') setWords('?', 'Connection lost', 'unknown');
    if (words[state] !== '') this.#say(words[state]);
  }

  #end({ verdict, tone, sentence, report }: LiveEnd): void {
    this.#ended = true;
    this.#run.end();
    setWords(GLYPHS[tone], verdict, tone);
    elementOf('#live-sentence').textContent = sentence;
    document.title = `${verdict} · ${document.title}`;
    if (report !== null) {
      const place = elementOf('#live-report');
      place.hidden = false;
      elementOf('pre', place).textContent = report;
    }
    this.#say(`The run has ended: ${verdict}. ${sentence}`);
    if (this.#paused) this.#togglePause();
    elementOf('#pause').hidden = true;
  }

  /** Spoken once a change, and not for each request or second. */
  #say(words: string): void {
    if (words === this.#said) return;
    this.#said = words;
    elementOf('#live-status').textContent = words;
  }

  #schedule(): void {
    if (this.#paused) this.#nameButton();
    if (this.#paused || this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#run.show();
      this.#lists.show();
    });
  }

  #startPause(): void {
    const button = elementOf('#pause');
    button.hidden = false;
    button.addEventListener('click', () => this.#togglePause());
  }

  #togglePause(): void {
    this.#paused = !this.#paused;
    this.#unseen = 0;
    this.#nameButton();
    this.#schedule();
  }

  #nameButton(): void {
    const more = this.#unseen === 0 ? '' : ` (${countOf(this.#unseen, 'new request')})`;
    elementOf('#pause').textContent = this.#paused ? `Go on${more}` : 'Pause';
  }
}

function setWords(glyph: string, words: string, tone: string): void {
  const place = elementOf('#live-words');
  const mark = document.createElement('span');
  mark.className = 'glyph';
  mark.ariaHidden = 'true';
  mark.textContent = glyph;
  place.replaceChildren(mark, ` ${words}`);
  elementOf('#live-head').className = `verdict tone-${tone}`;
}
