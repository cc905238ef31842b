import type { LatencyUs } from '../../documents/latency.ts';
import { type HistogramData, LatencyHistogram } from './histogram.ts';

/**
 * The requests of one shape that were planned in one stage, as plain data. The parts of a run add up
 * to the whole.
 */
export interface PartData {
  /** Index of the shape in the mix; 0 where the engine cannot tell shapes apart. */
  shape: number;
  /** Index of the stage, without the warm-up; 0 in the closed model. */
  stage: number;
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

/**
 * The parts of a run: a histogram for each shape and stage, and none for the whole, so that a request
 * is recorded once however many parts there are.
 */
export class PartRecords {
  readonly #startsNs: readonly number[];
  /** By stage, then by shape; made with the first request. */
  readonly #parts: PartRecord[][] = [];
  #stage = 0;

  /** @param stageStartsNs start of each stage, ascending; the first holds whatever is before it too */
  constructor(stageStartsNs: readonly number[] = []) {
    this.#startsNs = stageStartsNs;
  }

  at(shape: number, plannedNs: number): PartRecord {
    const stage = this.#stageAt(plannedNs);
    return this.#parts[stage]?.[shape] ?? this.#add(stage, shape);
  }

  #add(stage: number, shape: number): PartRecord {
    const added = new PartRecord();
    const ofStage = this.#parts[stage] ?? [];
    ofStage[shape] = added;
    this.#parts[stage] = ofStage;
    return added;
  }

  toData(): PartData[] {
    return this.#parts.flatMap((ofStage, stage) =>
      ofStage.map(({ response, service, failures, ...counts }, shape) => ({
        shape,
        stage,
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
