import { thinSeries } from '../latency/thin-series.ts';
import type { LiveEvent, LivePoint } from './events.ts';

/** An event and its number on the page. */
export interface NumberedEvent {
  /** From 1, ascending. */
  readonly id: number;
  readonly event: LiveEvent;
}

/** Number of events that are kept, by kind. */
const HISTORY_LIMITS = { points: 1200, requests: 500, lines: 200 };

/**
 * The events that a page needs when it is opened late: the whole run, in bounded memory. Of an event
 * that replaces an earlier one only the latest is kept, of requests and lines the latest few; older
 * points are merged in pairs, with the worse latency of both.
 */
export class LiveHistory {
  readonly #limits: typeof HISTORY_LIMITS;
  #lastId = 0;
  #points: NumberedEvent[] = [];
  readonly #requests: NumberedEvent[] = [];
  readonly #lines: NumberedEvent[] = [];
  /** Events that replace an earlier one, by what they replace. */
  readonly #latest = new Map<string, NumberedEvent>();

  constructor(limits: typeof HISTORY_LIMITS = HISTORY_LIMITS) {
    this.#limits = limits;
  }

  /** Keeps an event. */
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
        this.#latest.delete('progress');
        this.#latest.set('begin', entry);
        break;
      case 'scenario':
        this.#latest.set(`scenario ${event.name}`, entry);
        break;
      case 'progress':
      case 'tally':
      case 'end':
        this.#latest.set(event.kind, entry);
        break;
    }
    return entry;
  }

  /** The events after an id, in order; all of them for 0 or an unknown id. */
  since(id: number): NumberedEvent[] {
    const after = id <= this.#lastId ? id : 0;
    return [...this.#points, ...this.#requests, ...this.#lines, ...this.#latest.values()]
      .filter((entry) => entry.id > after)
      .sort((a, b) => a.id - b.id);
  }

  #addPoint(entry: NumberedEvent, { point }: LivePoint): void {
    const earlier = this.#points.findLastIndex(({ event }) => secondOf(event) === point.t);
    if (earlier >= 0) this.#points.splice(earlier, 1);
    this.#points.push(entry);
    if (this.#points.length > this.#limits.points) this.#points = mergePairs(this.#points);
  }
}

function keep(list: NumberedEvent[], entry: NumberedEvent, limit: number): void {
  list.push(entry);
  if (list.length > limit) list.shift();
}

const secondOf = (event: LiveEvent): number | null =>
  event.kind === 'point' ? event.point.t : null;

/** The latest points are not merged: they may be replaced. */
const UNMERGED = 4;

function mergePairs(entries: readonly NumberedEvent[]): NumberedEvent[] {
  const merged: NumberedEvent[] = [];
  const end = entries.length - UNMERGED;
  for (let at = 0; at < end; at += 2) {
    const pair = entries.slice(at, Math.min(at + 2, end));
    const points = pair.flatMap(({ event }) => (event.kind === 'point' ? [event.point] : []));
    const [point] = thinSeries(points, 1);
    const id = pair.at(-1)?.id ?? 0;
    if (point) merged.push({ id, event: { kind: 'point', point } });
  }
  return [...merged, ...entries.slice(-UNMERGED)];
}
