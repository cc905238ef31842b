import type { GeneratorHealth } from '../../documents/load.ts';
import type { GeneratorReport } from '../engine/engine.ts';
import type { LoadModel } from '../plan.ts';
import { type HistogramData, LatencyHistogram, roundTo3 } from '../record/histogram.ts';
import type { JudgeGenerator, MeasuredGenerators } from '../run-context.ts';
import type { TargetPlace } from '../target-address.ts';

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

/** @param acceptedUs as in {@link MeasuredGenerators} */
function limitsInWords(acceptedUs: number | undefined): string {
  const { sendLagP99Us, sendLagShareOfP99, eventLoopUtilization, coreWait } = SATURATION;
  return [
    acceptedUs === undefined
      ? `send lag p99 over ${sendLagP99Us / 1000} ms and over ${sendLagShareOfP99 * 100} % of the response p99`
      : `send lag p99 over ${acceptedUs / 1000} ms, which was accepted`,
    'a due request left unsent with a connection free',
    `in the open model, an event loop busy for ${eventLoopUtilization * 100} % of the time while due requests waited for a connection`,
    ...(acceptedUs === undefined
      ? [
          `in any model, no core for ${coreWait * 100} % of the time in which a generator was ready to run`,
        ]
      : []),
    'a connection for which this machine had no file or port left',
  ].join('; or ');
}

/** Event loop utilization from which another thread would help a generator that is late. */
const FULL_LOOP = 0.9;

/** True if a generator was ready to run and got no core for longer than a valid run allows. */
export const isStarved = ({ coreWait }: Pick<GeneratorHealth, 'coreWait'>): boolean =>
  coreWait !== null && coreWait > SATURATION.coreWait;

/** Connection errors that are the fault of the generator's machine. */
export const EXHAUSTION: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

/**
 * Judges whether the generators, and not the target, were the limit: each generator for itself, since
 * merged figures hide one bad of eight.
 */
export const judgeGenerator: JudgeGenerator = (measured) => {
  const { model, place, seesSendLag, reports, merged, acceptedLatenessUs } = measured;
  const busiest = Math.max(0, ...reports.map(({ usage }) => usage.eventLoopUtilization));
  const cpus = reports.flatMap(({ usage }) => usage.cpu ?? []);
  const waits = reports.flatMap(({ usage }) => usage.coreWait ?? []);
  const coreWait = waits.length > 0 ? Math.max(...waits) : null;
  const lag = merged.sendLag.summary();
  const slowness = slownessOf(measured);
  const exhaustion = exhaustionReasons(merged.errors);
  const needs = !isStarved({ coreWait }) && busiest >= FULL_LOOP ? 'threads' : 'cores';
  const reasons = [
    ...slowness,
    ...(slowness.length > 0 ? [adviceFor(needs, place, model)] : []),
    ...exhaustion,
  ];
  return {
    workers: reports.length,
    cpu: cpus.length === reports.length ? roundTo3(cpus.reduce((sum, cpu) => sum + cpu, 0)) : null,
    coreWait: coreWait === null ? null : roundTo3(coreWait),
    eventLoopUtilization: roundTo3(busiest),
    sendLagUs: seesSendLag ? { p50: lag.p50, p90: lag.p90, p99: lag.p99, max: lag.max } : null,
    saturated: reasons.length > 0,
    late: slowness.length > 0 && exhaustion.length === 0,
    ...(acceptedLatenessUs !== undefined && { acceptedLatenessUs }),
    saturationLimits: limitsInWords(acceptedLatenessUs),
    reasons,
  };
};

/** A limit as one generator exceeded it: by how much, and the rest of the sentence. */
interface Excess {
  readonly by: number;
  readonly words: string;
}

/** A sentence for each limit that generators exceeded, with the figures of the worst. */
function slownessOf(measured: MeasuredGenerators): string[] {
  const { model, seesSendLag, reports, acceptedLatenessUs } = measured;
  const limits: readonly (((report: GeneratorReport) => Excess | null) | null)[] = [
    acceptedLatenessUs === undefined ? starvation : null,
    seesSendLag ? (report) => lateness(report, acceptedLatenessUs) : null,
    model === 'open' ? fullLoop : null,
  ];
  const sentences = limits.flatMap((limit) => {
    const beyond = reports.flatMap((report, generator) => {
      const excess = limit?.(report) ?? null;
      return excess === null ? [] : { generator, ...excess };
    });
    const [worst] = beyond.toSorted((a, b) => b.by - a.by);
    if (worst === undefined) return [];
    const named = beyond.length === reports.length ? null : worst.generator;
    return `${subjectOf(named, measured)} ${worst.words}`;
  });
  return [...sentences, ...unsentSentences(reports)];
}

/** Name of a generator in a sentence; of all together for null. */
function subjectOf(generator: number | null, { reports, agents = [] }: MeasuredGenerators): string {
  if (generator === null) return 'The generator';
  const of = agents.find(
    ({ range: { from, count } }) => generator >= from && generator < from + count,
  );
  if (of === undefined) return `Generator ${generator + 1} of ${reports.length}`;
  const { name, range } = of;
  return range.count === 1
    ? `The generator of agent ${name}`
    : `Generator ${generator - range.from + 1} of ${range.count} of agent ${name}`;
}

/** Without a core, a generator sends late and reads answers late, which looks like a slow target. */
function starvation({ usage: { coreWait } }: GeneratorReport): Excess | null {
  if (coreWait === null || !isStarved({ coreWait })) return null;
  const share = (coreWait * 100).toFixed(1);
  return {
    by: coreWait,
    words: `was ready to run and got no core for ${share} % of the time.`,
  };
}

function lateness({ record }: GeneratorReport, acceptedUs: number | undefined): Excess | null {
  const lagP99Us = p99Of(record.sendLag);
  const responseP99Us = p99Of(record.response, record.failures);
  const limitUs =
    acceptedUs ?? Math.max(SATURATION.sendLagP99Us, SATURATION.sendLagShareOfP99 * responseP99Us);
  if (lagP99Us <= limitUs) return null;
  return {
    by: lagP99Us,
    words: `sent late: send lag p99 was ${(lagP99Us / 1000).toFixed(2)} ms, with a response p99 of ${(responseP99Us / 1000).toFixed(2)} ms.`,
  };
}

/** A generator without idle time also reads answers late, which looks like a slow target. */
function fullLoop({ usage, record }: GeneratorReport): Excess | null {
  const { eventLoopUtilization: busy } = usage;
  if (busy < SATURATION.eventLoopUtilization) return null;
  const waitedP99Us = p99Of(record.response) - p99Of(record.service);
  if (waitedP99Us <= SATURATION.sendLagP99Us) return null;
  return {
    by: busy,
    words: `had a busy event loop for ${(busy * 100).toFixed(1)} % of the time while due requests waited for a connection.`,
  };
}

function p99Of(...parts: readonly HistogramData[]): number {
  const histogram = new LatencyHistogram();
  for (const part of parts) histogram.merge(part);
  return histogram.percentileUs(99);
}

function unsentSentences(reports: readonly GeneratorReport[]): string[] {
  const count = reports.reduce((total, { unsentThoughFree }) => total + unsentThoughFree, 0);
  return count === 0
    ? []
    : [`The generator left ${count} due requests unsent though a connection was free.`];
}

function exhaustionReasons(errors: Readonly<Record<string, number>>): string[] {
  const kinds = Object.keys(errors).filter((kind) => EXHAUSTION.has(kind));
  return kinds.length === 0
    ? []
    : [
        `This machine had no file or port left for another connection (${kinds.sort().join(', ')}): ask for fewer connections, or raise its limits (ulimit -n).`,
      ];
}

const MORE_THREADS = 'Give the generator more worker threads.';

const LESS: Readonly<Record<LoadModel, string>> = {
  open: 'lower the rate',
  closed: 'use fewer connections',
};

const SHARED: Readonly<Record<Exclude<TargetPlace, 'elsewhere'>, string>> = {
  embedded: 'The embedded server shares the cores of this machine',
  'this-machine': 'The target shares the cores of this machine',
};

function moreCores(place: TargetPlace, model: LoadModel): string {
  if (place === 'elsewhere')
    return 'Stop other programs on this machine, or run the generator on another one; more worker threads need cores of their own.';
  return `${SHARED[place]}: stop other programs, ${LESS[model]}, or put the target on another machine.`;
}

const PLACES: readonly TargetPlace[] = ['embedded', 'this-machine', 'elsewhere'];
const MODELS: readonly LoadModel[] = ['open', 'closed'];
const ALL: readonly string[] = [
  MORE_THREADS,
  ...PLACES.flatMap((place) => MODELS.map((model) => moreCores(place, model))),
];

/** Advice for a generator that is too slow: more threads, or else more cores for those it has. */
export function adviceFor(
  needs: 'threads' | 'cores',
  place: TargetPlace,
  model: LoadModel,
): string {
  return needs === 'threads' ? MORE_THREADS : moreCores(place, model);
}

/** Removes the advice from a sentence about a generator, and from several joined. */
export const withoutAdvice = (reason: string): string =>
  ALL.reduce((text, advice) => text.replace(` ${advice}`, ''), reason);
