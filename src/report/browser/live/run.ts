import type { SeriesPoint } from '../../../documents/load.ts';
import { thinSeries } from '../../latency/thin-series.ts';
import type { LiveEvent, LiveStanding } from '../../live/events.ts';
import { formatCount, formatRate, formatShare, formatUs } from '../../text/quantities.ts';
import { elementOf, make, setFigure } from './elements.ts';
import { LivePlots } from './plots.ts';

/** Points that a page draws; when there are twice as many, neighbours become one. */
const MOST_POINTS = 1200;
const MOST_LINES = 200;

/** What is measured second by second: tiles, charts, lines. */
export class LiveRun {
  readonly #kind: string;
  readonly #plots: LivePlots;
  #points = new Map<number, SeriesPoint>();
  #standing: LiveStanding | null = null;
  #label = '';
  #lines: string[] = [];
  #dirty = false;
  #ended = false;

  constructor(kind: string) {
    this.#kind = kind;
    this.#plots = new LivePlots(kind);
  }

  /** Takes an event; false for one that is no business of its. */
  take(event: LiveEvent): boolean {
    switch (event.kind) {
      case 'begin':
        this.#points.clear();
        this.#standing = null;
        this.#label = event.label;
        break;
      case 'point':
        this.#points.set(event.point.t, event.point);
        break;
      case 'standing':
        this.#standing = event;
        break;
      case 'line':
        this.#lines = [...this.#lines, event.text].slice(-MOST_LINES);
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
    if (this.#standing) showStanding(this.#standing, points.at(-1)?.plannedRate);
    showHealth(points.findLast(({ generator }) => generator != null));
    if (!this.#ended) this.#showHead();
    this.#showLines();
  }

  #ordered(): SeriesPoint[] {
    const points = [...this.#points.values()].sort((a, b) => a.t - b.t);
    if (points.length < 2 * MOST_POINTS) return points;
    const thinned = thinSeries(points, MOST_POINTS);
    this.#points = new Map(thinned.map((point) => [point.t, point]));
    return thinned;
  }

  #showHead(): void {
    const progress = elementOf('#live-progress') as HTMLProgressElement;
    progress.hidden = this.#standing === null;
    const label = this.#label === '' ? '' : `${this.#label}: `;
    if (this.#standing === null) {
      elementOf('#live-sentence').textContent = this.#label;
      return;
    }
    const { phase, elapsedS, totalS } = this.#standing;
    const words = `${phase.slice(0, 1).toUpperCase()}${phase.slice(1)}`;
    elementOf('#live-words').textContent = words;
    const left = Math.max(0, totalS - elapsedS);
    elementOf('#live-sentence').textContent =
      `${label}${Math.round(elapsedS)} of ${Math.round(totalS)} s, ${Math.ceil(left)} s left`;
    progress.max = totalS;
    progress.value = Math.min(elapsedS, totalS);
  }

  #showLines(): void {
    elementOf('#live-lines-part').hidden = this.#lines.length === 0;
    elementOf('#live-lines').replaceChildren(...this.#lines.map((text) => make('li', '', text)));
  }
}

/** @param plannedRate of the second whose rate is shown */
function showStanding(standing: LiveStanding, plannedRate: number | undefined): void {
  const { phase, rate, p50Us, p99Us, maxUs, ok, failed } = standing;
  if (phase === 'warm-up') return;
  const planned = plannedRate === undefined ? '' : `of ${formatRate(plannedRate)} planned`;
  setFigure('rate', formatRate(rate), planned);
  setFigure('p50', formatUs(p50Us), 'in the last second');
  setFigure('p99', formatUs(p99Us), 'in the last second');
  setFigure('max', formatUs(maxUs), 'in the last second');
  const known = ok + failed;
  const share = known === 0 ? 0 : failed / known;
  setFigure('failed', formatShare(share), `${formatCount(failed)} of ${formatCount(known)}`);
  setFigure('ok', formatCount(ok), 'in the measured window');
}

function showHealth(point: SeriesPoint | undefined): void {
  const { cpu, eventLoopUtilization, sendLagP99Us } = point?.generator ?? {};
  if (eventLoopUtilization != null) {
    const cores = cpu == null ? '' : `${cpu.toFixed(2)} cores`;
    setFigure('loop', formatShare(eventLoopUtilization), cores);
  }
  if (sendLagP99Us != null) setFigure('lag', formatUs(sendLagP99Us), 'in the last second');
}

function showTraffic(point: SeriesPoint | undefined): void {
  if (!point) return;
  const { rate, failed, p50, p99 } = point;
  const isSilent = rate + failed === 0;
  setFigure('rate', formatRate(rate + failed), 'in the last second');
  setFigure('p50', isSilent ? '–' : formatUs(p50));
  setFigure('p99', isSilent ? '–' : formatUs(p99));
}
