/** What one trial at one rate came to. */
export interface TrialOutcome {
  /** The objective held. */
  held: boolean;
  /** False where the generator or the machine, not the target, was the limit. */
  valid: boolean;
}

/** What the trials at one rate say together; `open` asks for another one. */
type Standing = 'held' | 'fell' | 'unmeasurable' | 'open';

/** The trials at one rate. */
interface RateRecord {
  /** Of the valid trials, in order. */
  votes: boolean[];
  /** Number of the last valid trial; 0 for none. */
  lastVote: number;
  /** Number of the last trial, valid or not. */
  lastTrial: number;
  /** Trials that were not valid since the last one that was. */
  invalidInARow: number;
}

/**
 * Requests a second: the highest that held (0 for none), and the lowest that did not or that could
 * not be measured (null for none).
 */
interface Bounds {
  low: number;
  high: number | null;
}

/** So many invalid trials in a row at one rate are more than a passing disturbance. */
const INVALID_IN_A_ROW = 3;

/**
 * What a search has tried so far, and what that says of each rate. A trial that was not valid is no
 * vote; one that fell short says nothing until another agrees, since whatever disturbs a machine makes
 * trials worse and never better.
 */
export class TrialBook {
  /** Trials so far; they are numbered from 1. */
  count = 0;
  /** The rate tried last. */
  lastRate = 0;
  readonly #records = new Map<number, RateRecord>();
  #firstHeld = Number.POSITIVE_INFINITY;
  #bounds: Bounds = { low: 0, high: null };
  /** Number of the last trial that changed the bounds. */
  #boundsSince = 0;

  add(rate: number, { held, valid }: TrialOutcome): void {
    const trial = ++this.count;
    const record = this.#recordOf(rate);
    this.lastRate = rate;
    record.lastTrial = trial;
    if (valid) {
      record.votes.push(held);
      record.lastVote = trial;
      record.invalidInARow = 0;
      if (held) this.#firstHeld = Math.min(this.#firstHeld, trial);
    } else record.invalidInARow++;
    this.#updateBounds();
  }

  get bounds(): Bounds {
    return this.#bounds;
  }

  /** A rate whose trials contradict each other, or say too little; null for none. */
  openRate(): number | null {
    return this.#ratesThatAre('open')[0] ?? null;
  }

  /** Rates at which the generator or the machine could not be trusted. */
  unmeasurableRates(): number[] {
    return this.#ratesThatAre('unmeasurable');
  }

  /** The lowest rate that fell short; null for none. */
  lowestFallen(): number | null {
    const fallen = this.#ratesThatAre('fell');
    return fallen.length > 0 ? Math.min(...fallen) : null;
  }

  /** True if any trial so far was valid. */
  hasVotes(): boolean {
    return [...this.#records.values()].some(({ votes }) => votes.length > 0);
  }

  isUnmeasurable(rate: number): boolean {
    return standingOf(this.#recordOf(rate)) === 'unmeasurable';
  }

  /** True if the last trials at this rate, whatever came before, were not valid. */
  isStuck(rate: number): boolean {
    return this.#recordOf(rate).invalidInARow >= INVALID_IN_A_ROW;
  }

  /**
   * The rate to be tried so that `high` is known to be the limit, and not a bad moment of the
   * machine: one that could not be measured stands beside one that still can, and one that fell short
   * is tried once more when another has held. Null where that is so.
   */
  controlOf({ low, high }: { low: number; high: number }): number | null {
    const upper = this.#recordOf(high);
    if (this.isUnmeasurable(high)) {
      return this.#recordOf(low).lastVote < upper.lastTrial ? low : null;
    }
    return upper.lastVote < this.#firstHeld && !this.isStuck(high) ? high : null;
  }

  /** The bound to be tried so that both were confirmed in turn, since they became the bounds. */
  unconfirmedBound({ low, high }: { low: number; high: number }): number | null {
    const wanted = [low, high].filter((rate) => !this.#isConfirmed(rate));
    return wanted.find((rate) => rate !== this.lastRate) ?? wanted[0] ?? null;
  }

  #isConfirmed(rate: number): boolean {
    const { votes, lastVote, lastTrial } = this.#recordOf(rate);
    if (this.isStuck(rate)) return lastTrial > this.#boundsSince;
    return lastVote > this.#boundsSince && votes.length >= 2 && votes.at(-1) === votes.at(-2);
  }

  #updateBounds(): void {
    const over = [...this.#ratesThatAre('fell'), ...this.#ratesThatAre('unmeasurable')];
    const high = over.length > 0 ? Math.min(...over) : null;
    const under = this.#ratesThatAre('held').filter((rate) => high === null || rate < high);
    const low = Math.max(0, ...under);
    if (low === this.#bounds.low && high === this.#bounds.high) return;
    this.#bounds = { low, high };
    this.#boundsSince = this.count;
  }

  #ratesThatAre(standing: Standing): number[] {
    return [...this.#records]
      .filter(([, record]) => standingOf(record) === standing)
      .map(([rate]) => rate);
  }

  #recordOf(rate: number): RateRecord {
    const known = this.#records.get(rate);
    if (known) return known;
    const record = { votes: [], lastVote: 0, lastTrial: 0, invalidInARow: 0 };
    this.#records.set(rate, record);
    return record;
  }
}

/** The majority of the last three that are valid, when the last is with it; one alone that held will do. */
function standingOf({ votes, lastTrial, invalidInARow }: RateRecord): Standing | 'untried' {
  if (lastTrial === 0) return 'untried';
  const recent = votes.slice(-3);
  const last = recent.at(-1);
  const agreeing = recent.filter((vote) => vote === last).length;
  if (last !== undefined && (agreeing >= 2 || (last && recent.length === 1))) {
    return last ? 'held' : 'fell';
  }
  return invalidInARow >= INVALID_IN_A_ROW ? 'unmeasurable' : 'open';
}
