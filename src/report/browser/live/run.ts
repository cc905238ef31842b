import type { SeriesPoint } from '../../../documents/load.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import type { LiveEvent, LiveProgress } from '../../live/events.ts';
import { formatCount, formatRate, formatShare, formatUs } from '../../text/quantities.ts';
import { elementOf, make, setFigure } from '../elements.ts';
import { showAgents } from './agents.ts';
import { LivePlots } from './plots.ts';

/** Points that are drawn; from twice as many on, neighbours are merged. */
const MAX_POINTS = 1200;
const MAX_LINES = 200;

/** Measurements of a run: tiles, charts and log. */
export class LiveRun {
  readonly #kind: string;
  readonly #plots: LivePlots;
  #points = new Map<number, SeriesPoint>();
  #progress: LiveProgress | null = null;
  #label = '';
  #lines: string[] = [];
  #dirty = false;
  #ended = false;

  constructor(kind: string) {
    this.#kind = kind;
    this.#plots = new LivePlots(kind);
  }

  /** Takes an event; false for one of the lists. */
  take(event: LiveEvent): boolean {
    switch (event.kind) {
      case 'begin':
        this.#points.clear();
        this.#progress = null;
        this.#label = event.label;
        break;
      case 'point':
        this.#points.set(event.point.t, event.point);
        break;
      case 'progress':
        this.#progress = event;
        break;
      case 'line':
        this.#lines = [...this.#lines, event.text].slice(-MAX_LINES);
        break;
      default:
        return false;
    }
    this.#dirty = true;
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#dirty = true;
    elementOf('#live-progress').hidden = true;
  }

  show(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    const points = this.#ordered();
    this.#plots.show(points);
    if (this.#kind === 'serve') showTraffic(points.at(-1));
    if (this.#kind !== 'load') return;
    if (this.#progress) showProgress(this.#progress, points.at(-1)?.plannedRate);
    showAgents(this.#progress?.agents ?? []);
    showHealth(points.findLast(({ generator }) => generator != null));
    if (!this.#ended) this.#showHead();
    this.#showLines();
  }

  #ordered(): SeriesPoint[] {
    const points = [...this.#points.values()].sort((a, b) => a.t - b.t);
    if (points.length < 2 * MAX_POINTS) return points;
    const thinned = thinSeries(points, MAX_POINTS);
    this.#points = new Map(thinned.map((point) => [point.t, point]));
    return thinned;
  }

  #showHead(): void {
    const bar = elementOf('#live-progress') as HTMLProgressElement;
    bar.hidden = this.#progress === null;
    const label = this.#label === '' ? '' : `${this.#label}: `;
    if (this.#progress === null) {
      elementOf('#live-sentence').textContent = this.#label;
      return;
    }
    const { phase, elapsedS, totalS } = this.#progress;
    const words = `${phase.slice(0, 1).toUpperCase()}${phase.slice(1)}`;
    elementOf('#live-words').textContent = words;
    const left = Math.max(0, totalS - elapsedS);
    elementOf('#live-sentence').textContent =
      `${label}${Math.round(elapsedS)} of ${Math.round(totalS)} s, ${Math.ceil(left)} s left`;
    bar.max = totalS;
    bar.value = Math.min(elapsedS, totalS);
  }

  #showLines(): void {
    elementOf('#live-lines-part').hidden = this.#lines.length === 0;
    elementOf('#live-lines').replaceChildren(...this.#lines.map((text) => make('li', '', text)));
  }
}

/** @param plannedRate requests a second that were due in the latest second */
function showProgress(progress: LiveProgress, plannedRate: number | undefined): void {
  const { phase, rate, p50Us, p99Us, maxUs, ok, failed } = progress;
  if (phase === 'warm-up') return;
  const planned = plannedRate === undefined ? '' : `of ${formatRate(plannedRate)} planned`;
  // Late answers are no rate; that of the last second of the window stays.
  if (phase !== 'draining') setFigure('rate', formatRate(rate), planned);
  setFigure('p50', latencyWords(p50Us), 'in the last second');
  setFigure('p99', latencyWords(p99Us), 'in the last second');
  setFigure('max', latencyWords(maxUs), 'in the last second');
  const known = ok + failed;
  const share = known === 0 ? 0 : failed / known;
  setFigure('failed', formatShare(share), `${formatCount(failed)} of ${formatCount(known)}`);
  setFigure('ok', formatCount(ok), 'in the measured window');
}

/** A latency of a second; `–` for the 0 of one without a success. */
const latencyWords = (us: number): string => (us === 0 ? '–' : formatUs(us));

function showHealth(point: SeriesPoint | undefined): void {
  const { cpu, eventLoopUtilization, sendLagP99Us, coreWait } = point?.generator ?? {};
  if (eventLoopUtilization != null) {
    const cores = cpu == null ? '' : `${cpu.toFixed(2)} cores`;
    setFigure('loop', formatShare(eventLoopUtilization), cores);
  }
  if (sendLagP99Us != null) setFigure('lag', formatUs(sendLagP99Us), 'in the last second');
  if (coreWait != null) setFigure('wait', formatShare(coreWait), 'in the last second');
}

function showTraffic(point: SeriesPoint | undefined): void {
  if (!point) return;
  const { rate, failed, p50, p99 } = point;
  setFigure('rate', formatRate(rate + failed), 'in the last second');
  setFigure('p50', latencyWords(p50));
  setFigure('p99', latencyWords(p99));
}
