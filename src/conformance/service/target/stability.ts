/** Refused openings from which a target counts as one that refuses at random. */
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
    // A base request that is never accepted is refused for a reason.
    const mixed = [...this.#counts].filter(
      ([, counts]) => counts.accepted > 0 && counts.refused > 0,
    );
    const refused = mixed.reduce((sum, [, counts]) => sum + counts.refused, 0);
    if (refused < FEWEST_REFUSED) return null;
    const all = mixed.reduce((sum, [, counts]) => sum + counts.accepted, refused);
    const names = mixed.map(([base]) => base).join(', ');
    return `the target refuses well-formed requests at random: ${refused} of ${all} (${names})`;
  }
}
