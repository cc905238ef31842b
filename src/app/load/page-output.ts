import { join } from 'node:path';
import type { EndedRun, LoadOutput, OutputSample } from '../../load/index.ts';
import { endedRunLine, type LivePage, type LiveSubject } from '../../report/index.ts';
import { runFolder } from '../files/run-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import type { LoadOutcome, PreparedLoad } from './load-target.ts';
import type { LoadTarget } from './target.ts';

/** The most seconds of a run that may not have been reported when it ends. */
const LAST_SECONDS = 4;

/** Shows load runs on the live page, and its result in the end. */
export class PageOutput implements LoadOutput<LoadOutcome> {
  readonly #page: LivePage;
  readonly #out: string | undefined;
  readonly #place: Pick<Surroundings, 'cwd'>;
  #label = '';
  /** True until a run reports; the page shows the one before it until it does. */
  #isNew = false;

  /** @param out folder for the files, where the user gave one */
  constructor(page: LivePage, out: string | undefined, place: Pick<Surroundings, 'cwd'>) {
    this.#page = page;
    this.#out = out;
    this.#place = place;
  }

  start(label: string): void {
    this.#label = label;
    this.#isNew = true;
  }

  add({ progress }: OutputSample): void {
    if (this.#isNew) this.#page.publish({ kind: 'begin', label: this.#label });
    this.#isNew = false;
    const { seconds, soFar: _soFar, ...rest } = progress;
    this.#page.publish({ kind: 'progress', ...rest });
    for (const point of seconds) this.#page.publish({ kind: 'point', point });
  }

  end(run: EndedRun): void {
    for (const point of run.result.series.slice(-LAST_SECONDS)) {
      this.#page.publish({ kind: 'point', point });
    }
    const text = endedRunLine(this.#label, run);
    if (text !== null) this.#page.publish({ kind: 'line', text });
  }

  async stop(document: LoadOutcome | null): Promise<void> {
    if (document !== null) {
      const atMs = Date.parse(document.startedAt);
      const folder = runFolder(this.#place, document.kind, atMs, this.#out);
      this.#page.end(document, join(folder, 'report.html'));
    }
    await this.#page.close();
  }
}

/** Title and facts of a load for its live page. */
export function subjectOf(
  { description, thresholds, stages }: PreparedLoad,
  { profile }: LoadTarget,
  against: string | undefined,
): LiveSubject {
  const expressions = thresholds.map(({ expression }) => expression).join(', ');
  return {
    kind: 'load',
    title: `Load on ${profile.name}`,
    state: 'Waiting for the first second',
    facts: [
      ['Target', addressOf(profile.baseUrl)],
      ['Asked for', description],
      ...(against === undefined ? [] : ([['Compared with', against]] as const)),
      ...(thresholds.length === 0 ? [] : ([['Thresholds', expressions]] as const)),
    ],
    thresholds,
    stages,
  };
}

/** The address without credentials. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/$/, '');
}
