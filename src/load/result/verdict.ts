import type { Written } from '../../documents/fields.ts';
import type * as documents from '../../documents/load.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import type { LoadModel } from '../plan/plan.ts';
import { roundTo3 } from '../record/histogram.ts';
import type { MergedRecord } from '../record/merge.ts';

/** Health of the generators of a run. */
export type GeneratorHealth = Written<documents.GeneratorHealth>;

/** Limits beyond which a generator counts as saturated; the report names them. */
const SATURATION = {
  /** Send lag p99, microseconds; counts only together with the next. */
  sendLagP99Us: 1000,
  /** Send lag p99 as a share of the response p99. */
  sendLagShareOfP99: 0.05,
  /** Share of the time in which the event loop had work, while requests waited for a connection. */
  eventLoopUtilization: 0.97,
  /**
   * Share of the time in which a generator was ready to run and got no core. The closed model loses at
   * least as much of its rate: on one core with a second process of less weight it reached about 90,000/s
   * at 5 to 6 %, 75,000/s at 25 % and 49,000/s at 48 %, each with a spread of a tenth.
   */
  coreWait: 0.05,
} as const;

const LIMITS_IN_WORDS = `send lag p99 over ${SATURATION.sendLagP99Us / 1000} ms and over ${SATURATION.sendLagShareOfP99 * 100} % of the response p99; or a due request left unsent with a connection free; or, in the open model, an event loop busy for ${SATURATION.eventLoopUtilization * 100} % of the time while due requests waited for a connection; or, in any model, no core for ${SATURATION.coreWait * 100} % of the time in which a generator was ready to run; or a connection for which this machine had no file or port left`;

/** Event loop utilization from which another thread would help a generator that is late. */
const FULL_LOOP = 0.9;

const MORE_THREADS = 'Give the generator more threads: --workers N.';

const MORE_CORES =
  'Stop other programs on this machine, or run the generator on another one; more --workers need cores of their own.';

/** Measurements of the generators of a run. */
export interface MeasuredGenerators {
  model: LoadModel;
  /** False for an engine that does not measure send lag. */
  seesSendLag: boolean;
  reports: readonly GeneratorReport[];
  merged: MergedRecord;
}

/** Judges whether the generator, and not the target, was the limit. */
export function judgeGenerator(measured: MeasuredGenerators): GeneratorHealth {
  const { model, seesSendLag, reports, merged } = measured;
  const busiest = Math.max(0, ...reports.map(({ usage }) => usage.eventLoopUtilization));
  const cpus = reports.flatMap(({ usage }) => usage.cpu ?? []);
  const waits = reports.flatMap(({ usage }) => usage.coreWait ?? []);
  const coreWait = waits.length > 0 ? Math.max(...waits) : null;
  const lag = merged.sendLag.summary();
  const starvation = starvationReason(coreWait);
  const slowness = [
    starvation,
    seesSendLag ? lagReason(lag.p99, merged.response.percentileUs(99)) : null,
    unsentReason(reports.reduce((total, { unsentThoughFree }) => total + unsentThoughFree, 0)),
    model === 'open' ? busyReason(busiest, merged) : null,
  ].filter((reason) => reason !== null);
  const advice = starvation === null && busiest >= FULL_LOOP ? MORE_THREADS : MORE_CORES;
  const reasons = [
    ...slowness,
    ...(slowness.length > 0 ? [advice] : []),
    ...exhaustionReasons(merged.errors),
  ];
  return {
    workers: reports.length,
    cpu: cpus.length === reports.length ? roundTo3(cpus.reduce((sum, cpu) => sum + cpu, 0)) : null,
    coreWait: coreWait === null ? null : roundTo3(coreWait),
    eventLoopUtilization: roundTo3(busiest),
    sendLagUs: seesSendLag ? { p50: lag.p50, p99: lag.p99, max: lag.max } : null,
    saturated: reasons.length > 0,
    saturationLimits: LIMITS_IN_WORDS,
    reasons,
  };
}

function lagReason(lagP99Us: number, responseP99Us: number): string | null {
  if (lagP99Us <= SATURATION.sendLagP99Us) return null;
  if (lagP99Us <= SATURATION.sendLagShareOfP99 * responseP99Us) return null;
  return `The generator sent late: send lag p99 was ${(lagP99Us / 1000).toFixed(2)} ms, with a response p99 of ${(responseP99Us / 1000).toFixed(2)} ms.`;
}

function unsentReason(count: number): string | null {
  return count === 0
    ? null
    : `The generator left ${count} due requests unsent though a connection was free.`;
}

/** A generator without idle time also reads answers late, which looks like a slow target. */
function busyReason(busiest: number, merged: MergedRecord): string | null {
  if (busiest < SATURATION.eventLoopUtilization) return null;
  const waitedP99Us = merged.response.percentileUs(99) - merged.service.percentileUs(99);
  if (waitedP99Us <= SATURATION.sendLagP99Us) return null;
  return `The generator's event loop was busy for ${(busiest * 100).toFixed(1)} % of the time while due requests waited for a connection.`;
}

/** Without a core, a generator sends late and reads answers late, which looks like a slow target. */
function starvationReason(coreWait: number | null): string | null {
  return coreWait === null || coreWait <= SATURATION.coreWait
    ? null
    : `The generator was ready to run and got no core for ${(coreWait * 100).toFixed(1)} % of the time.`;
}

function exhaustionReasons(errors: Readonly<Record<string, number>>): string[] {
  const kinds = Object.keys(errors).filter((kind) => EXHAUSTION.has(kind));
  return kinds.length === 0
    ? []
    : [
        `This machine had no file or port left for another connection (${kinds.sort().join(', ')}): ask for fewer --connections, or raise its limits (ulimit -n).`,
      ];
}

/** Counts of a run that show whether the target was there. */
export interface Reached {
  baseUrl: string;
  planned: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** Failures by kind. */
  errors: Readonly<Record<string, number>>;
}

/** Connection errors that are the fault of the generator's machine. */
const EXHAUSTION = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Reason why the target cannot be judged if no request of a run could connect; else null. */
export function unreachableReason(reached: Reached): string | null {
  const { baseUrl, planned, sent, errors } = reached;
  const kinds = Object.keys(errors).filter((kind) => kind !== 'unsent');
  const isOfTarget = kinds.length > 0 && kinds.every((kind) => !EXHAUSTION.has(kind));
  if (planned === 0 || sent > 0 || !isOfTarget) return null;
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.sort().join(', ')}); check that it runs and that baseUrl is right.`;
}

/** Findings that a run is judged by. */
export interface RunEvidence {
  generator: GeneratorHealth;
  thresholds: readonly Pick<documents.ThresholdResult, 'expression' | 'held'>[];
  /** Successful answers in the measured window. */
  ok: number;
  /** The expression of --abort-on that ended the run; null for none. */
  abortedOn: string | null;
  /** Reason why the target was unreachable; null if it was reached. */
  unreachable: string | null;
}

/** Verdict of a run, and why. */
export interface RunVerdict {
  readonly verdict: documents.LoadDocument['verdict'];
  readonly reason: string;
}

/**
 * Judges a run: a target that was never reached, or a saturated generator, makes it invalid whatever
 * else was measured; a run without a single success falls short, thresholds or not.
 */
export function judgeRun(evidence: RunEvidence): RunVerdict {
  const { generator, thresholds, ok, abortedOn, unreachable } = evidence;
  const as = (verdict: RunVerdict['verdict'], reason: string): RunVerdict => ({ verdict, reason });
  if (unreachable !== null) return as('invalid', unreachable);
  if (generator.saturated) return as('invalid', generator.reasons.join(' '));
  if (abortedOn !== null) {
    return as('fell-short', `The run was ended early, since ${abortedOn} came true.`);
  }
  if (ok === 0) return as('fell-short', 'No request succeeded.');
  const expressionsOf = (held: boolean): string[] =>
    thresholds.filter((one) => one.held === held).map(({ expression }) => expression);
  const missed = expressionsOf(false);
  if (missed.length > 0) return as('fell-short', `Not held: ${missed.join(', ')}.`);
  return as('held', `All thresholds held: ${expressionsOf(true).join(', ')}.`);
}
