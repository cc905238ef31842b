/** Characters of the newest long answers, and of those that show a violation. */
const MOST_CHARACTERS = { newest: 300_000, decisive: 1_000_000 } as const;

/** Part of memory that a long answer takes. */
interface LongAnswer {
  readonly characters: number;
  readonly shorten: () => void;
}

/**
 * Long answers for which a run has no space left. Each is kept until its check is judged: it is shortened
 * once newer ones need the space, unless it shows a violation.
 */
export class LongAnswers {
  /** By id of the exchange, the oldest first. */
  readonly #newest = new Map<string, LongAnswer>();
  readonly #left: Record<keyof typeof MOST_CHARACTERS, number> = { ...MOST_CHARACTERS };

  /** @param shorten frees the memory of the answer */
  add(id: string, characters: number, shorten: () => void): void {
    this.#newest.set(id, { characters, shorten });
    this.#left.newest -= characters;
    for (const [oldest, one] of this.#newest) {
      if (this.#left.newest >= 0) break;
      this.#remove(oldest, one);
      one.shorten();
    }
  }

  /** Keeps an answer for good, as it shows a violation; no effect if it is shortened already. */
  keep(id: string): void {
    const one = this.#newest.get(id);
    if (!one || one.characters > this.#left.decisive) return;
    this.#left.decisive -= one.characters;
    this.#remove(id, one);
  }

  #remove(id: string, { characters }: LongAnswer): void {
    this.#newest.delete(id);
    this.#left.newest += characters;
  }
}
