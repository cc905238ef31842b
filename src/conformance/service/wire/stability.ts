import { NOT_RESTARTED } from '../../../spending/index.ts';

/** Refusals without a rule from which a target counts as one that refuses at random. */
const FEWEST_REFUSED = 3;

/**
 * Counts refusals that have no rule for a cause: a well-formed request that is refused at times, and
 * accepted at other times as another fresh partner; and refusals of several rules that did not show
 * again. Of one rule they may be its own violation in some of the answers.
 */
export class Stability {
  readonly #counts = new Map<string, { accepted: number; refused: number }>();

  readonly #takenBack = new Set<string>();
  readonly #usedUp = new Set<string>();
  /** Outcomes of the opening requests of a kind, such as user estimates. */
  readonly #kinds = new Map<string, { accepted: number; refused: number }>();

  /** Kind of each opening request that was refused, by its exchange. */
  readonly #kindOf = new Map<string, string>();

  /**
   * Records the opening request of a batch.
   *
   * @param base base request and setting, in words
   */
  record(base: string, outcome: 'accepted' | 'refused' | 'broken'): void {
    if (outcome !== 'broken') count(this.#counts, base, outcome);
  }

  /** Records the opening request of a batch by its kind, whatever its setting. */
  recordKind(kind: string, outcome: 'accepted' | 'refused' | 'broken', exchange: string): void {
    if (outcome === 'broken') return;
    count(this.#kinds, kind, outcome);
    // A token with another status than 200 breaks a rule, and is no refusal.
    if (outcome === 'refused') this.#kindOf.set(exchange, kind);
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
   * it was not, or if the exchange is no opening request. So does one whose allowance may be used up.
   */
  doubtOf(exchange: string): string | null {
    if (this.#usedUp.has(exchange)) return NOT_RESTARTED;
    const kind = this.#kindOf.get(exchange) ?? '';
    const { accepted, refused } = this.#kinds.get(kind) ?? { accepted: 0, refused: 0 };
    if (accepted === 0) return null;
    return `${kind} was accepted in ${accepted} of ${accepted + refused} batches, so its refusal has another cause`;
  }

  /** Reason why a refusal proves nothing at this target; null if it is stable as far as seen. */
  get doubt(): string | null {
    // A base request that is never accepted is refused for a reason.
    const mixed = [...this.#counts].filter(
      ([, counts]) => counts.accepted > 0 && counts.refused > 0,
    );
    const refused = mixed.reduce((sum, [, counts]) => sum + counts.refused, 0);
    const rules = this.#takenBack.size;
    if (refused < FEWEST_REFUSED && rules < FEWEST_REFUSED) return null;
    if (rules >= FEWEST_REFUSED)
      return `the target refuses at random: refusals in ${rules} rules did not show again when they were repeated`;
    const all = mixed.reduce((sum, [, counts]) => sum + counts.accepted, refused);
    const names = mixed.map(([base]) => base).join(', ');
    return `the target refuses well-formed requests at random: ${refused} of ${all} (${names})`;
  }
}

function count(
  counts: Map<string, { accepted: number; refused: number }>,
  name: string,
  outcome: 'accepted' | 'refused',
): void {
  const one = counts.get(name) ?? { accepted: 0, refused: 0 };
  one[outcome]++;
  counts.set(name, one);
}
