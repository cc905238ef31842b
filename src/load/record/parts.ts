import type { LatencyUs } from '../../documents/latency.ts';
import { type HistogramData, LatencyHistogram } from './histogram.ts';
import type { SharedStalls } from './shared-stalls.ts';

/**
 * The requests of one shape that were planned in one stage, as plain data: those that a stall of the
 * generator delayed apart from the others. The parts of a run add up to the whole.
 */
export interface PartData {
  /** Index of the shape in the mix; 0 where the engine cannot tell shapes apart. */
  shape: number;
  /** Index of the stage, without the warm-up; 0 in the closed model. */
  stage: number;
  /** Planned from the start of a stall, of any generator of the process, until what it had held up was over. */
  stalled: boolean;
  ok: number;
  failed: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** Answers with status 200 whose shape was checked, malformed ones included. */
  checked: number;
  malformed: number;
  /** Requests that were sent twice, since the target closed their kept connection. */
  reconnected: number;
  /** Response times of the successful requests. */
  response: HistogramData;
  /** Service times of the successful requests. */
  service: HistogramData;
  /** Response times of the failed requests, until they were given up. */
  failures: HistogramData;
}

/** Counts and latencies of one part while it is recorded. */
export class PartRecord {
  readonly response: LatencyHistogram = new LatencyHistogram();
  readonly service: LatencyHistogram = new LatencyHistogram();
  readonly failures: LatencyHistogram = new LatencyHistogram();
  ok = 0;
  failed = 0;
  sent = 0;
  checked = 0;
  malformed = 0;
  reconnected = 0;
}

/** Most stalls that are known; requests end soon after they were planned. */
const MOST_STALLS = 1000;

/**
 * The parts of a run: a histogram for each shape and stage, and none for the whole, so that a request
 * is recorded once however many parts there are.
 */
export class PartRecords {
  readonly #startsNs: readonly number[];
  /** By stage and stall, then by shape; made with the first request. */
  readonly #parts: PartRecord[][] = [];
  #stage = 0;
  /** In order; the last one may have no end yet. */
  readonly #stalls: { fromNs: number; untilNs: number }[] = [];
  readonly #shared: SharedStalls | undefined;

  /**
   * @param stageStartsNs start of each stage, ascending; the first holds whatever is before it too
   * @param shared stalls of the other generators; left out where there are none
   */
  constructor(stageStartsNs: readonly number[] = [], shared?: SharedStalls) {
    this.#startsNs = stageStartsNs;
    this.#shared = shared;
  }

  at(shape: number, plannedNs: number): PartRecord {
    const group = 2 * this.#stageAt(plannedNs) + (this.#isStalled(plannedNs) ? 1 : 0);
    return this.#parts[group]?.[shape] ?? this.#add(group, shape);
  }

  /** Begins a stall: requests that were planned from then on are part of it until its end. */
  stall(fromNs: number): void {
    if (this.#stalls.length >= MOST_STALLS) this.#stalls.shift();
    this.#stalls.push({ fromNs, untilNs: Number.POSITIVE_INFINITY });
    this.#shared?.begin(fromNs);
  }

  endStall(untilNs: number): void {
    const last = this.#stalls.at(-1);
    if (last) last.untilNs = untilNs;
    this.#shared?.end(untilNs);
  }

  #isStalled(plannedNs: number): boolean {
    if (this.#shared?.isOfOther(plannedNs)) return true;
    for (let index = this.#stalls.length - 1; index >= 0; index--) {
      const { fromNs, untilNs } = this.#stalls[index] as { fromNs: number; untilNs: number };
      if (plannedNs > untilNs) return false;
      if (plannedNs >= fromNs) return true;
    }
    return false;
  }

  #add(group: number, shape: number): PartRecord {
    const added = new PartRecord();
    const ofGroup = this.#parts[group] ?? [];
    ofGroup[shape] = added;
    this.#parts[group] = ofGroup;
    return added;
  }

  toData(): PartData[] {
    return this.#parts.flatMap((ofGroup, group) =>
      ofGroup.map(({ response, service, failures, ...counts }, shape) => ({
        shape,
        stage: Math.floor(group / 2),
        stalled: group % 2 === 1,
        ...counts,
        response: response.toData(),
        service: service.toData(),
        failures: failures.toData(),
      })),
    );
  }

  /** Requests end about in the order of their plan, so the stage is mostly that of the last one. */
  #stageAt(plannedNs: number): number {
    const starts = this.#startsNs;
    while (this.#stage > 0 && plannedNs < (starts[this.#stage] as number)) this.#stage--;
    while (this.#stage + 1 < starts.length && plannedNs >= (starts[this.#stage + 1] as number)) {
      this.#stage++;
    }
    return this.#stage;
  }
}

/** Latencies of a part of a run, or of the whole, for its document: of the successes, and of all. */
export function latencySummaries({
  response,
  service,
  failures,
}: Pick<PartRecord, 'response' | 'service' | 'failures'>): LatencyUs {
  return {
    response: response.summary(),
    service: service.summary(),
    all: allOf({ response, failures }).summary(),
  };
}

/** Response times of all requests, failed ones included. */
export function allOf({
  response,
  failures,
}: Pick<PartRecord, 'response' | 'failures'>): LatencyHistogram {
  const all = new LatencyHistogram();
  all.merge(response.toData());
  all.merge(failures.toData());
  return all;
}

/** Adds up parts without loss; none of them is an empty part. */
export function mergeParts(parts: readonly PartData[]): PartRecord {
  const merged = new PartRecord();
  for (const { ok, failed, sent, checked, malformed, reconnected, ...latencies } of parts) {
    merged.ok += ok;
    merged.failed += failed;
    merged.sent += sent;
    merged.checked += checked;
    merged.malformed += malformed;
    merged.reconnected += reconnected;
    merged.response.merge(latencies.response);
    merged.service.merge(latencies.service);
    merged.failures.merge(latencies.failures);
  }
  return merged;
}
