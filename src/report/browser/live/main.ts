import type { LiveEnd, LiveEvent } from '../../live/events.ts';
import { countOf } from '../../text/quantities.ts';
import { TONE_SIGNS, type Tone } from '../../text/tones.ts';
import { elementOf, make } from '../elements.ts';
import { startCopyButtons } from '../report/start-page.ts';
import { startTheme } from '../report/theme.ts';
import { LiveLists } from './lists.ts';
import { LiveRun } from './run.ts';

/** Receiver of a stream. */
interface StreamListener {
  onEvent(event: LiveEvent): void;
  /** `lost` while it reconnects, `gone` when it has given up. */
  onState(state: 'open' | 'lost' | 'gone'): void;
}

/** Failed attempts in a row after which it gives up. */
const MAX_ATTEMPTS = 8;

/** Reads the page's stream of events until it ends; missed events are sent again. */
function readStream(listener: StreamListener): void {
  const source = new EventSource('events');
  let attempts = 0;
  let lastId = 0;
  source.addEventListener('open', () => {
    attempts = 0;
    listener.onState('open');
  });
  source.addEventListener('message', ({ data, lastEventId }: MessageEvent<string>) => {
    const id = Number(lastEventId);
    if (id <= lastId) return;
    lastId = id;
    const event = JSON.parse(data) as LiveEvent;
    if (event.kind === 'end') source.close();
    listener.onEvent(event);
  });
  source.addEventListener('error', () => {
    attempts += 1;
    const isGone = source.readyState === EventSource.CLOSED || attempts >= MAX_ATTEMPTS;
    if (isGone) source.close();
    listener.onState(isGone ? 'gone' : 'lost');
  });
}

/** Shows the events of the page's stream; it draws once a frame, and not while it is paused. */
class LiveView {
  readonly #run: LiveRun;
  readonly #lists: LiveLists;
  #scheduled = false;
  #paused = false;
  /** Requests since it was paused. */
  #missed = 0;
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
    if (event.kind === 'progress') this.#say(event.phase);
    if (event.kind === 'request') this.#missed += 1;
    this.#schedule();
  }

  onState(state: 'open' | 'lost' | 'gone'): void {
    if (this.#ended) return;
    const words = {
      open: '',
      lost: 'Connection lost. Reconnecting…',
      gone: 'The command no longer responds. This page shows its last state.',
    };
    elementOf('#live-sentence').textContent = words[state];
    if (state === 'gone') setWords('Connection lost', 'unknown');
    if (words[state] !== '') this.#say(words[state]);
  }

  #end({ verdict, tone, sentence, report }: LiveEnd): void {
    this.#ended = true;
    this.#run.end();
    setWords(verdict, tone);
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

  /** Announces a change to screen readers, once. */
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
    this.#missed = 0;
    this.#nameButton();
    this.#schedule();
  }

  #nameButton(): void {
    const more = this.#missed === 0 ? '' : ` (${countOf(this.#missed, 'new request')})`;
    elementOf('#pause').textContent = this.#paused ? `Resume${more}` : 'Pause';
  }
}

function setWords(words: string, tone: Tone): void {
  const place = elementOf('#live-words');
  const mark = make('span', 'glyph', TONE_SIGNS[tone]);
  mark.ariaHidden = 'true';
  place.replaceChildren(mark, ` ${words}`);
  elementOf('#live-head').className = `verdict ${tone}`;
}

startTheme();
startCopyButtons();
readStream(new LiveView());
