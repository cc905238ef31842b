/** Refused openings from which a base request counts as refused at random. */
const FEWEST_REFUSED = 3;

/**
 * Counts how often a target accepts the same well-formed request. One that is refused at times, and
 * accepted at other times as another fresh partner, is refused for no rule.
 */
export class Stability {
  readonly #counts = new Map<string, { accepted: number; refused: number }>();

  /** @param base base request and setting, in words */
  record(base: string, outcome: 'accepted' | 'refused' | 'broken'): void {
    if (outcome === 'broken') return;
    const counts = this.#counts.get(base) ?? { accepted: 0, refused: 0 };
    counts[outcome]++;
    this.#counts.set(base, counts);
  }

  /** Reason why a refusal proves nothing at this target; null if it is stable as far as seen. */
  get doubt(): string | null {
    for (const [base, { accepted, refused }] of this.#counts) {
      if (refused < FEWEST_REFUSED || accepted < FEWEST_REFUSED) continue;
      return `the target refuses well-formed requests at random: ${base} was refused ${refused} times of ${accepted + refused}`;
    }
    return null;
  }
}
