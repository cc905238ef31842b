import type { RuleResult } from '../../../conformance/index.ts';
import { type Io, note } from '../../io.ts';

/** Counts rules by area as they are judged, and says so when an area's count stands still. */
export class CheckProgress {
  readonly #io: Io;
  readonly #areas = new Map<string, { judged: number; fell: number }>();

  constructor(io: Io) {
    this.#io = io;
  }

  /** Takes one rule. */
  add({ id, verdict }: Pick<RuleResult, 'id' | 'verdict'>): void {
    const area = id.slice(0, id.indexOf('/'));
    const counts = this.#areas.get(area) ?? { judged: 0, fell: 0 };
    counts.judged++;
    if (verdict === 'fail' || verdict === 'warn') counts.fell++;
    this.#areas.set(area, counts);
    if (this.#io.interactive) this.#io.stderr.write(`\r\u001b[K${this.#line()}`);
  }

  /** Takes away the line that was drawn over. */
  erase(): void {
    if (this.#io.interactive) this.#io.stderr.write('\r\u001b[K');
  }

  /** Ends the line that was drawn over, or writes it where none was. */
  end(): void {
    if (this.#areas.size === 0) return;
    this.erase();
    note(this.#io, this.#line());
  }

  #line(): string {
    return [...this.#areas]
      .map(([area, { judged, fell }]) => `${area} ${judged}${fell > 0 ? ` (${fell} broken)` : ''}`)
      .join(' · ');
  }
}
