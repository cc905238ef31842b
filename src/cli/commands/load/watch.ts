import { join } from 'node:path';
import type { LoadProgress, SeriesPoint } from '../../../load/index.ts';
import type { LivePage, LiveSubject, RunDocument } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { deliverDocument } from '../../output/deliver.ts';
import type { LoadFlags, LoadSettings } from './flags.ts';
import { LoadProgressLine } from './progress.ts';
import type { LoadTarget } from './target.ts';

/** So many of a run's seconds may not have been told while it went. */
const LAST_SECONDS = 4;

/** Shows how a load run stands: as a line on stderr, and on the live page where there is one. */
export class LoadWatch {
  readonly #line: LoadProgressLine;
  readonly #page: LivePage | null;
  readonly #label: string;
  /** A run that has not told of itself yet; what was shown before stays until it does. */
  #next: string | null;

  /** @param label which run of several it is, such as `run 3 of 10` */
  constructor(io: Io, page: LivePage | null, label = '') {
    this.#line = new LoadProgressLine(io, label);
    this.#page = page;
    this.#label = label;
    this.#next = label;
  }

  /** From now on another run is told of. */
  next(label: string): void {
    this.#next = label;
  }

  show(progress: LoadProgress): void {
    this.#line.show(progress);
    if (this.#page === null) return;
    if (this.#next !== null) this.#page.publish({ kind: 'begin', label: this.#next });
    this.#next = null;
    const { seconds, ...standing } = progress;
    this.#page.publish({ kind: 'standing', ...standing });
    for (const point of seconds) this.#page.publish({ kind: 'point', point });
  }

  /** The run is over, and its last seconds are known. */
  finish(series: readonly SeriesPoint[]): void {
    for (const point of series.slice(-LAST_SECONDS)) this.#page?.publish({ kind: 'point', point });
  }

  /** A line that stays. */
  say(text: string): void {
    this.#line.say(text);
    const label = this.#label === '' ? '' : `${this.#label}: `;
    this.#page?.publish({ kind: 'line', text: label + text });
  }

  end(): void {
    this.#line.end();
  }
}

/** What the live page says of a load before it begins. */
export function loadSubject(
  { options, objective }: LoadSettings,
  { profile }: LoadTarget,
  { against }: LoadFlags,
): LiveSubject {
  const { rate, stages, connections } = options;
  const open = rate === undefined ? 'open model, in stages' : `open model, ${rate}/s`;
  const closed = `closed model, ${connections ?? 10} connections`;
  const isOpen = rate !== undefined || stages !== undefined;
  const thresholds = [...(options.thresholds ?? []), ...(objective ?? [])];
  const expressions = thresholds.map(({ expression }) => expression).join(', ');
  return {
    kind: 'load',
    title: `Load on ${profile.name}`,
    state: 'Waiting for the first second',
    facts: [
      ['Target', addressOf(profile.baseUrl)],
      ['Asked for', objective !== null ? 'the highest rate' : isOpen ? open : closed],
      ...(against === undefined ? [] : ([['Compared with', against]] as const)),
      ...(thresholds.length === 0 ? [] : ([['Held to', expressions]] as const)),
    ],
    thresholds,
  };
}

/** Without what may stand before the host. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/$/, '');
}

/** As {@link deliverDocument}; the live page learns where the report is. */
export async function deliverWatched(
  document: RunDocument,
  flags: LoadFlags,
  page: LivePage | null,
  io: Io,
): Promise<string> {
  const folder = await deliverDocument(document, flags, io);
  page?.end(document, join(folder, 'report.html'));
  return folder;
}
