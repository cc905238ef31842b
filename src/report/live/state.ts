import type { SeriesPoint } from '../../documents/load.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { thinSeries } from '../latency/thin-series.ts';
import type { LiveEvent, LiveProgress, LiveRequest, LiveScenario, LiveTally } from './events.ts';

/** The result of a command. */
export interface LiveEnd {
  /** Null if there is none. */
  readonly document: RunDocument | null;
  /** Path of the report's page; null if none was written. */
  readonly report: string | null;
}

/** Numbers of points, requests and lines that are kept. */
const LIMITS = { points: 1200, requests: 200, lines: 200 };
/** The latest points are not merged: they may be replaced. */
const UNMERGED = 4;

/**
 * A command so far, in bounded memory: of requests and lines the latest few; older points are merged
 * in pairs, with the worse latency of both.
 */
export class LiveState {
  readonly #limits: typeof LIMITS;
  label = '';
  progress: LiveProgress | null = null;
  points: SeriesPoint[] = [];
  /** The latest first; each with its number, from 1. */
  requests: { readonly number: number; readonly request: LiveRequest }[] = [];
  lines: string[] = [];
  tally: LiveTally = { kind: 'tally', requests: 0, good: 0, counts: [] };
  readonly scenarios = new Map<string, LiveScenario>();
  end: LiveEnd | null = null;

  constructor(limits: typeof LIMITS = LIMITS) {
    this.#limits = limits;
  }

  /** Takes an event. */
  add(event: LiveEvent): void {
    switch (event.kind) {
      case 'begin':
        this.label = event.label;
        this.progress = null;
        this.points = [];
        break;
      case 'progress':
        this.progress = event;
        break;
      case 'point':
        this.#addPoint(event.point);
        break;
      case 'request': {
        const number = (this.requests[0]?.number ?? 0) + 1;
        this.requests.unshift({ number, request: event });
        this.requests.length = Math.min(this.requests.length, this.#limits.requests);
        break;
      }
      case 'line':
        this.lines = [...this.lines, event.text].slice(-this.#limits.lines);
        break;
      case 'tally':
        this.tally = event;
        break;
      case 'scenario':
        this.scenarios.set(event.name, event);
        break;
    }
  }

  #addPoint(point: SeriesPoint): void {
    const earlier = this.points.findLastIndex(({ t }) => t === point.t);
    if (earlier >= 0) this.points.splice(earlier, 1);
    this.points.push(point);
    if (this.points.length <= this.#limits.points) return;
    const older = this.points.slice(0, -UNMERGED);
    this.points = [
      ...thinSeries(older, Math.ceil(older.length / 2)),
      ...this.points.slice(-UNMERGED),
    ];
  }
}
