import type { RuleResult } from '../../../conformance/index.ts';
import { areaOf } from '../../../interface/catalogue.ts';
import type { Io } from '../../io.ts';
import { ProgressLine } from '../../output/progress-line.ts';

/** Shows the number of rules judged by area, and how many of them are broken. */
export class CheckProgress {
  readonly #line: ProgressLine;
  readonly #areas = new Map<string, { judged: number; broken: number }>();

  constructor(io: Io) {
    this.#line = new ProgressLine(io);
  }

  /** Counts one rule. */
  add({ id, verdict }: Pick<RuleResult, 'id' | 'verdict'>): void {
    const area = areaOf(id);
    const counts = this.#areas.get(area) ?? { judged: 0, broken: 0 };
    counts.judged++;
    if (verdict === 'fail' || verdict === 'warn') counts.broken++;
    this.#areas.set(area, counts);
    this.#line.draw(this.#text());
  }

  /** Erases the line after an error. */
  erase(): void {
    this.#line.erase();
  }

  /** Writes the counts as a permanent line. */
  end(): void {
    if (this.#areas.size > 0) this.#line.write(this.#text());
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
