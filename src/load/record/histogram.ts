import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { LatencySummaryUs } from '../../documents/latency.ts';

/** Sub-buckets in each power of two: 3 significant digits, as HdrHistogram lays them out. */
const HALF = 1024;
const HIGHEST_US = 2 ** 32 - 1;
const SLOTS = 23 * HALF;

/**
 * A histogram as plain data, for merging in another thread: pairs of slot and count, and the exact
 * figures that slots would round.
 */
export interface HistogramData {
  /** slot, count, slot, count … ascending. */
  slots: number[];
  count: number;
  sumUs: number;
  /** 0 if count is 0. */
  minUs: number;
  /** 0 if count is 0. */
  maxUs: number;
}

/**
 * Latencies in microseconds: an HDR histogram of 3 digits, and exact min, max, sum and count. Slots
 * are those of HdrHistogram, found without a logarithm, since this runs for every request.
 */
export class LatencyHistogram {
  readonly #counts = new Float64Array(SLOTS);
  #lowestSlot = SLOTS;
  #highestSlot = -1;
  #count = 0;
  #sumUs = 0;
  #minUs = Number.POSITIVE_INFINITY;
  #maxUs = 0;

  get count(): number {
    return this.#count;
  }

  /** Exact, microseconds; 0 for none. */
  get maxUs(): number {
    return this.#maxUs;
  }

  /** @param us microseconds, a fraction included; a negative one counts as 0 */
  record(us: number): void {
    const value = Math.max(us, 0);
    const slot = slotOf(value);
    this.#counts[slot] = (this.#counts[slot] as number) + 1;
    if (slot < this.#lowestSlot) this.#lowestSlot = slot;
    if (slot > this.#highestSlot) this.#highestSlot = slot;
    this.#count++;
    this.#sumUs += value;
    if (value < this.#minUs) this.#minUs = value;
    if (value > this.#maxUs) this.#maxUs = value;
  }

  /**
   * Takes a recorded value back. If it was alone in the lowest or the highest slot, the least or the
   * greatest value becomes the bound of the next one.
   *
   * @param us as it was recorded
   */
  remove(us: number): void {
    const value = Math.max(us, 0);
    const slot = slotOf(value);
    this.#counts[slot] = (this.#counts[slot] as number) - 1;
    this.#count--;
    this.#sumUs -= value;
    if (this.#count === 0) {
      this.reset();
      return;
    }
    if (this.#counts[slot] !== 0) return;
    if (slot === this.#lowestSlot) {
      while (this.#counts[this.#lowestSlot] === 0) this.#lowestSlot++;
      this.#minUs = lowestOf(this.#lowestSlot);
    }
    if (slot === this.#highestSlot) {
      while (this.#counts[this.#highestSlot] === 0) this.#highestSlot--;
      this.#maxUs = Math.min(this.#maxUs, highestOf(this.#highestSlot));
    }
  }

  /**
   * The value that a share of the samples does not exceed, as in HdrHistogram (the highest value
   * equivalent to its slot), but within the exact min and max.
   *
   * @param percentile from 0 to 100
   * @returns microseconds; 0 for none
   */
  percentileUs(percentile: number): number {
    const wanted = Math.max(1, ceilWithoutNoise((Math.min(percentile, 100) / 100) * this.#count));
    let seen = 0;
    for (let slot = this.#lowestSlot; slot < this.#highestSlot; slot++) {
      seen += this.#counts[slot] as number;
      if (seen >= wanted) return Math.max(highestOf(slot), this.#minUs);
    }
    // The highest slot, or none.
    return this.#maxUs;
  }

  /** A percentile, or an exact figure; microseconds, null if nothing was recorded. */
  at(at: number | 'min' | 'mean' | 'max'): number | null {
    if (this.#count === 0) return null;
    if (typeof at === 'number') return this.percentileUs(at);
    if (at === 'mean') return this.#sumUs / this.#count;
    return at === 'min' ? this.#minUs : this.#maxUs;
  }

  /** Microseconds; min, max and mean are exact. */
  summary(): LatencySummaryUs {
    const at = (percentile: number): number => roundTo3(this.percentileUs(percentile));
    return {
      min: roundTo3(this.#count === 0 ? 0 : this.#minUs),
      p50: at(50),
      p90: at(90),
      p99: at(99),
      p99_9: at(99.9),
      p99_99: at(99.99),
      max: roundTo3(this.#maxUs),
      mean: roundTo3(this.#count === 0 ? 0 : this.#sumUs / this.#count),
      count: this.#count,
    };
  }

  /** Adds another histogram: counts stay whole, nothing is rounded. */
  merge(data: HistogramData): void {
    if (data.count === 0) return;
    for (let index = 0; index < data.slots.length; index += 2) {
      const slot = data.slots[index] as number;
      this.#counts[slot] = (this.#counts[slot] as number) + (data.slots[index + 1] as number);
      if (slot < this.#lowestSlot) this.#lowestSlot = slot;
      if (slot > this.#highestSlot) this.#highestSlot = slot;
    }
    this.#count += data.count;
    this.#sumUs += data.sumUs;
    this.#minUs = Math.min(this.#minUs, data.minUs);
    this.#maxUs = Math.max(this.#maxUs, data.maxUs);
  }

  toData(): HistogramData {
    const slots: number[] = [];
    for (let slot = this.#lowestSlot; slot <= this.#highestSlot; slot++) {
      const count = this.#counts[slot] as number;
      if (count > 0) slots.push(slot, count);
    }
    const minUs = this.#count === 0 ? 0 : this.#minUs;
    return { slots, count: this.#count, sumUs: this.#sumUs, minUs, maxUs: this.#maxUs };
  }

  reset(): void {
    this.#counts.fill(0, this.#lowestSlot, this.#highestSlot + 1);
    this.#lowestSlot = SLOTS;
    this.#highestSlot = -1;
    this.#count = 0;
    this.#sumUs = 0;
    this.#minUs = Number.POSITIVE_INFINITY;
    this.#maxUs = 0;
  }

  /** HdrHistogram V2, compressed, base64; microseconds. Any HDR reader opens it. */
  encode(): string {
    const histogram: Histogram = build({
      bitBucketSize: 64,
      lowestDiscernibleValue: 1,
      highestTrackableValue: HIGHEST_US,
      numberOfSignificantValueDigits: 3,
    });
    for (let slot = this.#lowestSlot; slot <= this.#highestSlot; slot++) {
      const count = this.#counts[slot] as number;
      if (count > 0) histogram.recordValueWithCount(lowestOf(slot), count);
    }
    return encodeIntoCompressedBase64(histogram);
  }
}

/** The values of a histogram, each with its count: the middle of its slot, within the exact min and max. */
export function valuesOf({ slots, minUs, maxUs }: HistogramData): [us: number, count: number][] {
  const values: [number, number][] = [];
  for (let index = 0; index < slots.length; index += 2) {
    const slot = slots[index] as number;
    const middleUs = (lowestOf(slot) + highestOf(slot)) / 2;
    values.push([Math.min(Math.max(middleUs, minUs), maxUs), slots[index + 1] as number]);
  }
  return values;
}

/** Width of the slot that contains a value: the resolution of the value; microseconds. */
export function stepUs(us: number): number {
  const slot = slotOf(us);
  return highestOf(slot) - lowestOf(slot) + 1;
}

function slotOf(us: number): number {
  const whole = us >= HIGHEST_US ? HIGHEST_US : Math.round(us);
  const leading = Math.clz32(whole);
  if (leading > 20) return whole;
  const bucket = 21 - leading;
  return bucket * HALF + (whole >>> bucket);
}

function lowestOf(slot: number): number {
  const bucket = Math.max(0, Math.floor(slot / HALF) - 1);
  return (slot - bucket * HALF) * 2 ** bucket;
}

function highestOf(slot: number): number {
  const bucket = Math.max(0, Math.floor(slot / HALF) - 1);
  return (slot - bucket * HALF + 1) * 2 ** bucket - 1;
}

/** 99 % of 100 is 99, though the product of the floats is a little more. */
function ceilWithoutNoise(value: number): number {
  const nearest = Math.round(value);
  return Math.abs(value - nearest) < 1e-9 * Math.max(1, value) ? nearest : Math.ceil(value);
}

/** Rounds to three digits: of microseconds, to nanoseconds, the resolution of the clock. */
export const roundTo3 = (value: number): number => Math.round(value * 1000) / 1000;
