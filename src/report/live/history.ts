import { thinSeries } from '../latency/thin-series.ts';
import type { LiveEvent, LivePoint } from './events.ts';

/** An event and its place among all of the page. */
export interface NumberedEvent {
  /** From 1, ascending. */
  readonly id: number;
  readonly event: LiveEvent;
}

/** Most that is kept of what comes again and again. */
export interface HistoryLimits {
  readonly points: number;
  readonly requests: number;
  readonly lines: number;
}

/** As many points as a screen shows, as many rows as a reader scrolls through. */
const HISTORY_LIMITS: HistoryLimits = { points: 1200, requests: 500, lines: 200 };

/**
 * What a page that is opened late has to be told: bounded, and yet the whole of the run. Of what
 * stands only the newest is kept; points of the past are joined, the worst of them standing for
 * both; of requests and lines the newest are kept.
 */
export class LiveHistory {
  readonly #limits: HistoryLimits;
  #lastId = 0;
  #points: NumberedEvent[] = [];
  readonly #requests: NumberedEvent[] = [];
  readonly #lines: NumberedEvent[] = [];
  /** By what the newest of them stands for. */
  readonly #standing = new Map<string, NumberedEvent>();

  constructor(limits: HistoryLimits = HISTORY_LIMITS) {
    this.#limits = limits;
  }

  add(event: LiveEvent): NumberedEvent {
    const entry = { id: ++this.#lastId, event };
    switch (event.kind) {
      case 'point':
        this.#addPoint(entry, event);
        break;
      case 'request':
        keep(this.#requests, entry, this.#limits.requests);
        break;
      case 'line':
        keep(this.#lines, entry, this.#limits.lines);
        break;
      case 'begin':
        this.#points = [];
        this.#standing.delete('standing');
        this.#standing.set('begin', entry);
        break;
      case 'scenario':
        this.#standing.set(`scenario ${event.name}`, entry);
        break;
      case 'standing':
      case 'tally':
      case 'end':
        this.#standing.set(event.kind, entry);
        break;
    }
    return entry;
  }

  /** What is kept and came after an id, in order; everything for 0, or for one never given. */
  since(id: number): NumberedEvent[] {
    const after = id <= this.#lastId ? id : 0;
    return [...this.#points, ...this.#requests, ...this.#lines, ...this.#standing.values()]
      .filter((entry) => entry.id > after)
      .sort((a, b) => a.id - b.id);
  }

  #addPoint(entry: NumberedEvent, { point }: LivePoint): void {
    const told = this.#points.findLastIndex(({ event }) => secondOf(event) === point.t);
    if (told >= 0) this.#points.splice(told, 1);
    this.#points.push(entry);
    if (this.#points.length > this.#limits.points) this.#points = joinPairs(this.#points);
  }
}

function keep(list: NumberedEvent[], entry: NumberedEvent, limit: number): void {
  list.push(entry);
  if (list.length > limit) list.shift();
}

const secondOf = (event: LiveEvent): number | null =>
  event.kind === 'point' ? event.point.t : null;

/** The newest stay as they are: they may be told again. */
const NEWEST = 4;

function joinPairs(entries: readonly NumberedEvent[]): NumberedEvent[] {
  const joined: NumberedEvent[] = [];
  const end = entries.length - NEWEST;
  for (let at = 0; at < end; at += 2) {
    const pair = entries.slice(at, Math.min(at + 2, end));
    const points = pair.flatMap(({ event }) => (event.kind === 'point' ? [event.point] : []));
    const [point] = thinSeries(points, 1);
    const id = pair.at(-1)?.id ?? 0;
    if (point) joined.push({ id, event: { kind: 'point', point } });
  }
  return [...joined, ...entries.slice(-NEWEST)];
}
