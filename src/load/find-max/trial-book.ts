/** Outcome of a trial at a rate. */
export interface TrialOutcome {
  /** The objective held. */
  held: boolean;
  /** False if the generator or the machine, not the target, was the limit. */
  valid: boolean;
  /** True if other processes had the cores of the generator. */
  starved?: boolean;
}

/** Outcome of all trials at a rate; `open` needs another one. */
type Standing = 'held' | 'fell' | 'unmeasurable' | 'open';

interface RateRecord {
  /** Outcomes of the valid trials, in order. */
  votes: boolean[];
  /** Number of the last valid trial; 0 for none. */
  lastVote: number;
  /** Number of the last trial, valid or not. */
  lastTrial: number;
  /** Trials that were not valid. */
  invalids: number;
  /** Those of them since the last one that was. */
  invalidInARow: number;
  /** Those of them whose generator got no core. */
  starvedInARow: number;
}

/**
 * Requests per second: the highest that held (0 for none), and the lowest that did not or could not be
 * measured (null for none).
 */
interface Bounds {
  low: number;
  high: number | null;
}

/** Invalid trials in a row at one rate that are more than a passing disturbance. */
const INVALID_IN_A_ROW = 3;

/**
 * The trials of a search so far, and their outcome at each rate. A trial that was not valid does not
 * count; of trials that contradict each other, a third one decides.
 */
export class TrialBook {
  /** Trials so far; they are numbered from 1. */
  count = 0;
  /** Rate of the last trial. */
  lastRate = 0;
  bounds: Bounds = { low: 0, high: null };
  readonly #records = new Map<number, RateRecord>();
  #firstHeld = Number.POSITIVE_INFINITY;
  /** Number of the last trial that changed the bounds. */
  #boundsSince = 0;

  add(rate: number, { held, valid, starved = false }: TrialOutcome): void {
    const trial = ++this.count;
    const record = this.#recordOf(rate);
    this.lastRate = rate;
    record.lastTrial = trial;
    if (valid) {
      record.votes.push(held);
      record.lastVote = trial;
      record.invalidInARow = 0;
      record.starvedInARow = 0;
      if (held) this.#firstHeld = Math.min(this.#firstHeld, trial);
    } else {
      record.invalids++;
      record.invalidInARow++;
      if (starved) record.starvedInARow++;
    }
    this.#updateBounds();
  }

  /** A rate whose trials contradict each other, or are too few; null for none. */
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

  /** True once any trial was valid. */
  hasVotes(): boolean {
    return [...this.#records.values()].some(({ votes }) => votes.length > 0);
  }

  /** True if at least two valid trials at a rate fell short; for none, too. */
  hasAgreement(rate: number | null): boolean {
    return rate === null || this.#recordOf(rate).votes.filter((held) => !held).length >= 2;
  }

  isUnmeasurable(rate: number): boolean {
    return standingOf(this.#recordOf(rate)) === 'unmeasurable';
  }

  /**
   * True if the generator, and nothing else, was the limit at a rate that could not be measured: no valid
   * trial fell short there, and some trial was not valid though other processes left it the cores.
   */
  isGeneratorsLimit(rate: number): boolean {
    const { votes, invalidInARow, starvedInARow } = this.#recordOf(rate);
    return this.isUnmeasurable(rate) && !votes.includes(false) && starvedInARow < invalidInARow;
  }

  /** True if the last trials at this rate were not valid, whatever came before. */
  isStuck(rate: number): boolean {
    return this.#recordOf(rate).invalidInARow >= INVALID_IN_A_ROW;
  }

  /**
   * The rate to try so that `high` is known to be the limit, and not a disturbance of the machine: if it
   * could not be measured, a lower rate must still be measurable, and if it fell short, it is tried
   * again after another rate held. Null if that was done.
   */
  controlOf({ low, high }: { low: number; high: number }): number | null {
    const upper = this.#recordOf(high);
    if (this.isUnmeasurable(high)) {
      return this.#recordOf(low).lastVote < upper.lastTrial ? low : null;
    }
    return upper.lastVote < this.#firstHeld && !this.isStuck(high) ? high : null;
  }

  /** The bound to try so that both are confirmed in turn; null if they are. */
  unconfirmedBound({ low, high }: { low: number; high: number }): number | null {
    const wanted = [low, high].filter((rate) => !this.#isConfirmed(rate));
    return wanted.find((rate) => rate !== this.lastRate) ?? wanted[0] ?? null;
  }

  #isConfirmed(rate: number): boolean {
    const { votes, lastVote, lastTrial } = this.#recordOf(rate);
    if (this.isStuck(rate)) return lastTrial > this.#boundsSince;
    const agree = votes.at(-1) === votes.at(-2);
    return lastVote > this.#boundsSince && agree && votes.length >= this.#leastVotes(votes);
  }

  /** Disturbances of a machine make trials worse and never better. */
  #leastVotes(votes: readonly boolean[]): number {
    return votes.at(-1) === false && this.#isDisturbed() ? 3 : 2;
  }

  /** True if some trial was not valid, or contradicted another one. */
  #isDisturbed(): boolean {
    return [...this.#records.values()].some(
      ({ votes, invalids }) => invalids > 0 || new Set(votes).size > 1,
    );
  }

  #updateBounds(): void {
    const over = [...this.#ratesThatAre('fell'), ...this.#ratesThatAre('unmeasurable')];
    const high = over.length > 0 ? Math.min(...over) : null;
    const under = this.#ratesThatAre('held').filter((rate) => high === null || rate < high);
    const low = Math.max(0, ...under);
    if (low === this.bounds.low && high === this.bounds.high) return;
    this.bounds = { low, high };
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
    const record = {
      votes: [],
      lastVote: 0,
      lastTrial: 0,
      invalids: 0,
      invalidInARow: 0,
      starvedInARow: 0,
    };
    this.#records.set(rate, record);
    return record;
  }
}

/** The majority of the last three valid trials, if the last agrees; a single one suffices. */
function standingOf({ votes, lastTrial, invalidInARow }: RateRecord): Standing | 'untried' {
  if (lastTrial === 0) return 'untried';
  const recent = votes.slice(-3);
  const last = recent.at(-1);
  const agreeing = recent.filter((vote) => vote === last).length;
  const isLost = invalidInARow >= INVALID_IN_A_ROW;
  const isAlone = recent.length === 1 && (last || !isLost);
  if (last !== undefined && (agreeing >= 2 || isAlone)) return last ? 'held' : 'fell';
  return isLost ? 'unmeasurable' : 'open';
}
