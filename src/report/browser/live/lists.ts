import type {
  LiveEvent,
  LiveRequest,
  LiveScenario,
  LiveTally,
  LiveViolation,
} from '../../live/events.ts';
import { proseParts } from '../../text/prose.ts';
import { countOf, formatCount, formatShare, formatUs } from '../../text/quantities.ts';
import { RULE_MARKS } from '../../text/tones.ts';
import { badge, elementOf, make, setFigure } from '../elements.ts';

/** Requests on the page; older ones are dropped. */
const MAX_ROWS = 500;

/** The lists of a page: requests, counts of violations or refusals, scenarios. */
export class LiveLists {
  readonly #kind: string;
  /** Statements of rules by id. */
  readonly #statements: Readonly<Record<string, string>>;
  readonly #scenarios = new Map<string, LiveScenario>();
  #waiting: LiveRequest[] = [];
  #tally: LiveTally | null = null;
  #dirty = false;

  constructor(kind: string) {
    this.#kind = kind;
    const island = document.querySelector('#rule-statements')?.textContent ?? '{}';
    this.#statements = JSON.parse(island) as Record<string, string>;
    const only = document.querySelector<HTMLInputElement>('#live-only-bad');
    only?.addEventListener('change', () => {
      elementOf('#live-requests').classList.toggle('only-bad', only.checked);
    });
  }

  /** Takes an event; others than those of lists are ignored. */
  take(event: LiveEvent): void {
    if (event.kind === 'request') {
      this.#waiting.push(event);
      if (this.#waiting.length > MAX_ROWS) this.#waiting.shift();
    } else if (event.kind === 'tally') this.#tally = event;
    else if (event.kind === 'scenario') this.#scenarios.set(event.name, event);
    else return;
    this.#dirty = true;
  }

  show(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#showScenarios();
    if (this.#waiting.length > 0) {
      addRows(this.#waiting.map(rowOf));
      this.#waiting = [];
    }
    if (this.#tally) this.#showTally(this.#tally);
  }

  #showTally({ requests, good, counts }: LiveTally): void {
    const share = (count: number): string => (requests === 0 ? '' : formatShare(count / requests));
    setFigure('requests', formatCount(requests));
    setFigure('good', formatCount(good), share(good));
    setFigure('bad', formatCount(requests - good), share(requests - good));
    if (this.#kind === 'certify') setFigure('rules', formatCount(counts.length));
    const rows = elementOf('#live-requests').childElementCount;
    const left = requests - rows;
    elementOf('#live-shown').textContent =
      left > 0
        ? `Latest ${formatCount(rows)} of ${countOf(requests, 'request')}.`
        : `${countOf(requests, 'request')}, latest first.`;
    const list = elementOf('#live-tally');
    list.hidden = counts.length === 0;
    elementOf('#live-tally-empty').hidden = counts.length > 0;
    const sorted = [...counts].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
    list.replaceChildren(...sorted.map(({ name, count }) => this.#tallyRow(name, count)));
  }

  #tallyRow(name: string, count: number): HTMLElement {
    const words = make('span', 'rule-words', make('code', '', name));
    words.append(' ', make('span', 'statement', ...prose(this.#statements[name] ?? '')));
    return make('li', 'rule live-row', badge('neutral', '×', formatCount(count)), words);
  }

  #showScenarios(): void {
    const part = document.querySelector<HTMLElement>('#live-scenarios-part');
    if (!part || this.#scenarios.size === 0) return;
    part.hidden = false;
    const sorted = [...this.#scenarios.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const rows = sorted.map(({ name, state, requests, reason }) => {
      const words = make('span', 'rule-words', make('code', '', name));
      const said = state === 'waiting' ? '' : ` ${countOf(requests, 'request')}`;
      words.append(make('span', 'meta', said));
      if (reason !== '') words.append(make('span', 'live-reason', reason));
      return make('li', 'rule live-row', badge(...STATES[state], state), words);
    });
    elementOf('#live-scenarios').replaceChildren(...rows);
  }
}

const STATES: Readonly<Record<LiveScenario['state'], readonly [cssClass: string, sign: string]>> = {
  ...RULE_MARKS,
  waiting: ['muted', '○'],
  running: ['neutral', '▸'],
  ended: ['muted', '•'],
};

/** Text of the catalogue, in which backticks mark code. */
function prose(text: string): (string | Node)[] {
  return proseParts(text).map((one) =>
    typeof one === 'string' ? one : make('code', '', one.code),
  );
}

function addRows(rows: readonly HTMLElement[]): void {
  const list = elementOf('#live-requests');
  elementOf('.live-frame').hidden = false;
  list.prepend(...[...rows].reverse());
  while (list.childElementCount > MAX_ROWS) list.lastElementChild?.remove();
}

function rowOf(request: LiveRequest): HTMLElement {
  const { id, at, scenario, method, path, status, durationUs, refusal, broken } = request;
  const about = [
    at.slice(11, 23),
    ...(scenario === null ? [] : [scenario]),
    ...(id === null ? [] : [id]),
    ...(broken === null ? [] : [status === null ? 'no response' : `status ${status}`]),
    ...(durationUs === null ? [] : [formatUs(durationUs)]),
  ].join(' · ');
  const words = make('div', 'rule-words', make('code', '', `${method} ${path}`), ' ');
  words.append(make('span', 'meta', about));
  if (refusal !== null) words.append(make('p', 'broken', refusal));
  for (const violation of broken ?? []) words.append(...violationWords(violation));
  const isBad = broken === null ? status !== 200 : broken.length > 0;
  return make('li', `rule live-row${isBad ? ' bad' : ''}`, verdictOf(request), words);
}

function violationWords({ rule, expected, got }: LiveViolation): HTMLElement[] {
  return [
    make('p', 'broken', make('code', '', rule), ` ${got}`),
    make('p', 'meta', `expected: ${expected}`),
  ];
}

function verdictOf({ status, broken }: LiveRequest): HTMLElement {
  if (broken === null) {
    return status === 200
      ? badge('good', '✓', '200')
      : badge('bad', '✕', status === null ? 'aborted' : String(status));
  }
  if (broken.some(({ level }) => level === 'must')) return badge('bad', '✕', 'fail');
  return broken.length > 0 ? badge('caution', '!', 'warn') : badge('good', '✓', 'ok');
}
