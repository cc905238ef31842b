import { createRandom, type Random } from '../seeded-random.ts';
import type { Arrivals, LoadPlan } from './plan.ts';
import { requestsOf, type Stage } from './stages.ts';

/** A generator's slots of a schedule: every n-th, starting at k. */
export interface SlotShare {
  /** k, from 0. */
  generator: number;
  /** n. */
  generators: number;
}

/**
 * The planned times of the open model, one after the other, as generator k of n sees them.
 *
 * Slot i lies where the planned number of requests reaches i (constant), or the sum of i unit
 * exponential draws (Poisson); so a rate never drifts, and all generators see the same schedule.
 */
export class Schedule {
  /** The slot that {@link nextNs} returned last; it also picks the request. */
  slot = -1;
  readonly #stages: readonly StageSpan[];
  readonly #share: SlotShare;
  readonly #arrivals: Arrivals;
  readonly #random: Random;
  #stage = 0;
  #next = 0;
  /** Requests planned up to the next slot. */
  #level = 0;

  constructor(plan: Pick<LoadPlan, 'stages' | 'arrivals' | 'seed'>, share: SlotShare) {
    this.#stages = spansOf(plan.stages);
    this.#share = share;
    this.#arrivals = plan.arrivals;
    this.#random = createRandom(plan.seed, 'arrivals');
    if (this.#arrivals === 'poisson') this.#level = this.#gap();
    this.#skip(share.generator);
  }

  /** The next planned time, nanoseconds from the start of the schedule; Infinity at its end. */
  nextNs(): number {
    const timeNs = this.#timeAt(this.#level);
    this.slot = this.#next;
    this.#skip(this.#share.generators);
    return timeNs;
  }

  #skip(slots: number): void {
    this.#next += slots;
    if (this.#arrivals === 'constant') this.#level = this.#next;
    else for (let index = 0; index < slots; index++) this.#level += this.#gap();
  }

  #gap(): number {
    return -Math.log(1 - this.#random());
  }

  #timeAt(level: number): number {
    let span = this.#stages[this.#stage];
    while (span && level >= span.fromLevel + span.requests) span = this.#stages[++this.#stage];
    return span ? span.fromNs + timeWithin(span, level - span.fromLevel) : Number.POSITIVE_INFINITY;
  }
}

/** Parts of a plan that say when requests are due. */
export type PlannedTimes = Pick<LoadPlan, 'stages' | 'arrivals' | 'seed' | 'warmupMs'>;

/** Requests of a share that are planned in each second of the measured window, up to a time in it. */
export function plannedBySecond(
  plan: PlannedTimes,
  share: SlotShare,
  measuredMs: number,
): number[] {
  const schedule = new Schedule(plan, share);
  const startNs = plan.warmupMs * 1e6;
  const endNs = startNs + measuredMs * 1e6;
  const counts = Array.from({ length: Math.ceil(measuredMs / 1000) }, () => 0);
  for (let atNs = schedule.nextNs(); atNs < endNs; atNs = schedule.nextNs()) {
    const second = Math.floor((atNs - startNs) / 1e9);
    if (second >= 0) counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}

/** Requests that a generator has planned in the measured window, up to a time in it. */
export function countPlanned(
  plan: PlannedTimes & Pick<LoadPlan, 'generators'>,
  generator: number,
  measuredMs: number,
): number {
  const share = { generator, generators: plan.generators };
  return plannedBySecond(plan, share, measuredMs).reduce((sum, count) => sum + count, 0);
}

interface StageSpan extends Stage {
  fromNs: number;
  /** Requests planned before it. */
  fromLevel: number;
  requests: number;
}

function spansOf(stages: readonly Stage[]): StageSpan[] {
  let fromNs = 0;
  let fromLevel = 0;
  return stages.map((stage) => {
    const requests = requestsOf(stage);
    const span = { ...stage, fromNs, fromLevel, requests };
    fromNs += stage.durationMs * 1e6;
    fromLevel += requests;
    return span;
  });
}

/** Time at which a number of requests of a stage are planned, nanoseconds from its start. */
function timeWithin({ fromRate, toRate, durationMs }: Stage, requests: number): number {
  if (requests <= 0) return 0;
  // requests = fromRate * t + slope * t² / 2, solved for t in the form that keeps its digits.
  const slope = (toRate - fromRate) / (durationMs / 1000);
  const root = Math.sqrt(Math.max(0, fromRate * fromRate + 2 * slope * requests));
  return ((2 * requests) / (fromRate + root)) * 1e9;
}
