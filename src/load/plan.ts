import { ConfigurationError, parseDurationMs } from '../interface/index.ts';
import { type Arrivals, MOST_RATE } from './options.ts';
import { createRandom, type Random } from './seeded-random.ts';
import type { TargetAddress } from './target-address.ts';

/** `open`: requests follow a schedule. `closed`: each follows the answer to the one before it. */
export type LoadModel = 'open' | 'closed';

/**
 * Task of the generators of a run, as data: each derives its part from its index. It is passed to
 * other threads, so it has no function and no open file.
 */
export interface LoadPlan {
  model: LoadModel;
  arrivals: Arrivals;
  /** Open model: the schedule, the warm-up first; empty in the closed model. */
  stages: readonly Stage[];
  warmupMs: number;
  durationMs: number;
  /** Of all generators. Closed model: connections in use. Open model: the most that may be open. */
  connections: number;
  /** Time after which a request is given up: from its send, or from its planned time if unsent. */
  timeoutMs: number;
  /** Delay of a generator from which a missed threshold may be its fault, microseconds. */
  stallUs: number;
  /** A connection of its own for each request. */
  newConnections: boolean;
  /** Share of the answers whose shape is checked, 0 to 1. */
  validateShare: number;
  seed: number;
  address: TargetAddress;
  /** Headers of each request, without Authorization (interface.md, "2. Estimate prices"). */
  headers: Readonly<Record<string, string>>;
  /** Number of generators that share the plan. */
  generators: number;
}

/** Connections of generator k of n, divided as evenly as possible. */
export function shareOfConnections(plan: LoadPlan, generator: number): number {
  const share = Math.floor(plan.connections / plan.generators);
  return share + (generator < plan.connections % plan.generators ? 1 : 0);
}

/** A stage of the schedule; the rate changes linearly from its start to its end. */
export interface Stage {
  /** Requests per second at its start. */
  fromRate: number;
  /** Requests per second at its end. */
  toRate: number;
  durationMs: number;
}

/**
 * Parses `1000/10s,5000/30s`, or a ramp `0-5000/30s`.
 *
 * @throws ConfigurationError `STAGES_INVALID`, whose field is `stages`, or one of them
 */
export function parseStages(text: string): Stage[] {
  const refuse = (why: string, at = ''): never => {
    throw new ConfigurationError('STAGES_INVALID', `'${text}': ${why}.`, { field: `stages${at}` });
  };
  const number = String.raw`(\d+(?:\.\d+)?)`;
  const shape = new RegExp(String.raw`^\s*${number}(?:-${number})?\s*/\s*(\S+)\s*$`);
  const stages = text.split(',').map((part, index) => {
    const at = `[${index}]`;
    const match = shape.exec(part);
    if (match === null) {
      return refuse(
        `"${part}" is not a stage; write rate/duration, as in 1000/10s, or a ramp, as in 0-5000/30s`,
        at,
      );
    }
    const [, from, to = from, duration = ''] = match;
    const stage = {
      fromRate: Number(from),
      toRate: Number(to),
      durationMs: parseDurationMs(duration, `stages${at}`),
    };
    if (stage.durationMs <= 0) refuse('each stage needs a duration above 0', at);
    if (Math.max(stage.fromRate, stage.toRate) > MOST_RATE) {
      refuse(`a rate is at most ${MOST_RATE.toLocaleString('en-US')} requests per second`, at);
    }
    return stage;
  });
  if (stages.every(({ fromRate, toRate }) => fromRate === 0 && toRate === 0)) {
    refuse('no stage has a rate above 0');
  }
  return stages;
}

/** The stages of the measured window: those of a schedule without its warm-up. */
export function measuredStages({
  stages,
  warmupMs,
}: {
  stages: readonly Stage[];
  warmupMs: number;
}): readonly Stage[] {
  return warmupMs > 0 ? stages.slice(1) : stages;
}

/** Start of each stage of the measured window, milliseconds from the start of the window. */
export function stageStartsMs(plan: { stages: readonly Stage[]; warmupMs: number }): number[] {
  const stages = measuredStages(plan);
  return stages.map((_, index) => totalMs(stages.slice(0, index)));
}

/** Duration of all stages, milliseconds. */
export function totalMs(stages: readonly Stage[]): number {
  return stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Requests planned over all stages; may have a fraction. */
export function totalRequests(stages: readonly Stage[]): number {
  return stages.reduce((sum, stage) => sum + requestsOf(stage), 0);
}

/** Requests planned in a stage; may have a fraction. */
function requestsOf({ fromRate, toRate, durationMs }: Stage): number {
  return ((fromRate + toRate) / 2) * (durationMs / 1000);
}

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
