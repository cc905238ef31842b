/** Refusals without a rule from which a target counts as one that refuses at random. */
const FEWEST_REFUSED = 3;

/** Opening request of a batch. */
interface Opening {
  /** Base request in words, such as `a user estimate`. */
  readonly kind: string;
  /** The same with its setting. */
  readonly base: string;
  readonly outcome: 'accepted' | 'refused' | 'broken';
  readonly exchange: string;
}

/**
 * Collects refusals that have no rule for a cause: a well-formed request that is refused at times, and
 * accepted at other times as another fresh partner; and refusals of several rules that did not show
 * again. Of one rule they may be its own violation in some of the answers.
 */
export class Stability {
  #openings: readonly Opening[] = [];
  readonly #takenBack = new Set<string>();
  readonly #usedUp = new Set<string>();

  /** Records the opening request of a batch. */
  record(opening: Opening): void {
    this.#openings = [...this.#openings, opening];
  }

  /** Takes the opening request of a batch back: a clock was set meanwhile, which may be why it was refused. */
  forget(exchange: string): void {
    this.#openings = this.#openings.filter((one) => one.exchange !== exchange);
  }

  /** Records refused exchanges that earlier runs may be the cause of. */
  recordUsedUp(exchanges: readonly string[]): void {
    for (const exchange of exchanges) this.#usedUp.add(exchange);
  }

  /** Exchanges whose refusal may be due to allowances that earlier runs used up. */
  get usedUp(): readonly string[] {
    return [...this.#usedUp];
  }

  /** Records a rule for which a refusal did not show again when its check was repeated. */
  recordTakenBack(rule: string): void {
    this.#takenBack.add(rule);
  }

  /**
   * Reason why the refusal of an opening request proves nothing: it was accepted at other times. Null if
   * it was not, or if the exchange is no opening request that was refused.
   */
  doubtOf(exchange: string): string | null {
    const own = this.#openings.find((one) => one.exchange === exchange);
    // A token with another status than 200 breaks a rule, and is no refusal.
    if (own?.outcome !== 'refused') return null;
    const alike = this.#openings.filter(({ kind }) => kind === own.kind);
    const { accepted, refused } = countOf(alike);
    if (accepted === 0) return null;
    return `${own.kind} was accepted in ${accepted} of ${accepted + refused} batches, so its refusal has another cause`;
  }

  /** Reason why a refusal proves nothing at this target; null if it is stable as far as seen. */
  get doubt(): string | null {
    const rules = this.#takenBack.size;
    if (rules >= FEWEST_REFUSED)
      return `the target refuses at random: refusals in ${rules} rules did not show again when they were repeated`;
    // A base request that is never accepted is refused for a reason.
    const names = [...new Set(this.#openings.map(({ base }) => base))].filter((name) => {
      const counts = countOf(this.#openings.filter(({ base }) => base === name));
      return counts.accepted > 0 && counts.refused > 0;
    });
    const mixed = countOf(this.#openings.filter(({ base }) => names.includes(base)));
    if (mixed.refused < FEWEST_REFUSED) return null;
    const share = `${mixed.refused} of ${mixed.accepted + mixed.refused} (${names.join(', ')})`;
    return mixed.refused > mixed.accepted
      ? `the target refuses most well-formed requests of kinds that it also accepts: ${share}; a limit that all partners share may be the cause`
      : `the target refuses well-formed requests at random: ${share}`;
  }
}

function countOf(openings: readonly Opening[]): { accepted: number; refused: number } {
  const count = (of: Opening['outcome']): number =>
    openings.filter(({ outcome }) => outcome === of).length;
  return { accepted: count('accepted'), refused: count('refused') };
}
