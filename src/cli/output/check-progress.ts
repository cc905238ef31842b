import type { RuleResult } from '../../documents/conformance.ts';
import { areaOf } from '../../interface/catalogue.ts';
import type { Io } from '../io.ts';
import { ProgressLines } from './progress-lines.ts';

const HOUR_MS = 3_600_000;

/** Wait that is not worth a message. */
const SHORT_WAIT_MS = 60_000;

/** Time between two drawings, so that a quick target is not slowed down by them. */
const REDRAW_MS = 200;

const NOT_JUDGED: ReadonlySet<string> = new Set(['excluded', 'untestable', 'inconclusive']);

/** Part of the rules from which on the time that is left can be told. */
const LEAST_SHARE = 0.1;

/** Progress of random walks. */
interface ExploredSoFar {
  readonly steps: number;
  readonly finds: number;
  readonly perSecond: number;
}

/**
 * Shows what the run is at, how long it will take, the number of rules judged by area, and how many of them are
 * broken.
 */
export class CheckProgress {
  readonly #io: Pick<Io, 'interactive'>;
  readonly #lines: ProgressLines;
  #wait: { untilMs: number; fromMs: number; saidMs: number | null } | null = null;
  readonly #areas = new Map<string, { judged: number; broken: number }>();
  #requests = 0;
  #judged = 0;
  #startedMs: number | null = null;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(io: Pick<Io, 'stderr' | 'interactive' | 'secrets'>) {
    this.#io = io;
    this.#lines = new ProgressLines(io);
  }

  /**
   * Counts one request, and shows what it is of.
   *
   * @param nowMs monotonic
   */
  request(
    { check, rulesOfChecks }: { check: string | null; rulesOfChecks: number },
    nowMs: number,
  ): void {
    this.#startedMs ??= nowMs;
    this.#requests++;
    if (nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    const elapsedMs = nowMs - this.#startedMs;
    const share = Math.min(1, this.#judged / rulesOfChecks);
    // Not a number before it is known how many rules there are.
    const leftMs = share >= LEAST_SHARE ? elapsedMs * (1 / share - 1) : null;
    const left = leftMs === null ? '' : `, about ${secondsOf(leftMs)} left`;
    this.#lines.draw(
      `${this.#requests} ${this.#requests === 1 ? 'request' : 'requests'}, ${secondsOf(elapsedMs)}${left}  ${check?.split('@')[0] ?? ''}`,
      this.#text(),
    );
  }

  /** Shows how far random walks have come. */
  explored({ steps, finds, perSecond }: ExploredSoFar): void {
    const nowMs = performance.now();
    if (nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    const found = `${finds} ${finds === 1 ? 'find' : 'finds'}`;
    this.#lines.draw(
      `exploring: ${steps} steps, ${Math.round(perSecond)} a second, ${found}`,
      this.#text(),
    );
  }

  /** Counts one rule. */
  add({ id, verdict }: Pick<RuleResult, 'id' | 'verdict'>): void {
    this.#judged++;
    const area = areaOf(id);
    const counts = this.#areas.get(area) ?? { judged: 0, broken: 0 };
    counts.judged++;
    if (verdict === 'fail' || verdict === 'warn') counts.broken++;
    this.#areas.set(area, counts);
  }

  /**
   * Shows until when the run waits: a countdown on a terminal, elsewhere a line at once and one an hour.
   * Short waits are not shown.
   *
   * @param untilMs since the epoch, as `nowMs`
   * @param rules ids of the rules that it waits for; none if for the target's rate
   */
  wait(untilMs: number, nowMs: number, rules: readonly string[]): void {
    if (this.#wait?.untilMs !== untilMs) this.#wait = { untilMs, fromMs: nowMs, saidMs: null };
    const { fromMs, saidMs } = this.#wait;
    if (untilMs - fromMs < SHORT_WAIT_MS) return;
    const words = `waiting until ${timeOf(untilMs, nowMs)} for ${namesOf(rules)}, ${timeLeft(untilMs - nowMs)} left (Ctrl-C stops the run; it can be continued)`;
    this.#lines.draw(words);
    if (this.#io.interactive || (saidMs !== null && nowMs - saidMs < HOUR_MS)) return;
    this.#wait = { ...this.#wait, saidMs: nowMs };
    this.#lines.write(words);
  }

  /** Erases the line after an error. */
  erase(): void {
    this.#lines.erase();
  }

  /** Writes the counts of all rules that were judged as a permanent line, in place of the others. */
  end(rules: readonly Pick<RuleResult, 'id' | 'verdict'>[]): void {
    this.#areas.clear();
    for (const rule of rules) if (!NOT_JUDGED.has(rule.verdict)) this.add(rule);
    if (this.#areas.size > 0) this.#lines.write(this.#text());
    else this.erase();
  }

  #text(): string {
    return [...this.#areas]
      .map(
        ([area, { judged, broken }]) =>
          `${area} ${judged}${broken > 0 ? ` (${broken} broken)` : ''}`,
      )
      .join(' · ');
  }
}

/** Time of day in UTC, with its date if that is another one. */
function timeOf(atMs: number, nowMs: number): string {
  const [at, now] = [atMs, nowMs].map((ms) => new Date(ms).toISOString().slice(0, 19).split('T'));
  const [date, time] = at ?? [];
  return `${date === now?.[0] ? '' : `${date} `}${time} UTC`;
}

function namesOf([first, ...more]: readonly string[]): string {
  if (first === undefined) return "the target's rate limit";
  return more.length > 0 ? `${first} and ${more.length} more` : first;
}

const secondsOf = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** Words for a time, such as `3 h 5 min 9 s` or `1 min 1 s`. */
function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const units = { h: Math.floor(minutes / 60), min: minutes % 60, s: seconds % 60 };
  const words = Object.entries(units).flatMap(([unit, n]) => (n === 0 ? [] : `${n} ${unit}`));
  return words.join(' ') || '0 s';
}
