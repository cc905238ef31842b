import type { LatencySummaryUs } from '../documents/latency.ts';
import type { SeriesPoint } from '../documents/load.ts';
import {
  ConfigurationError,
  type EstimateShape,
  type ProfilePartner,
  readTargetProfile,
  type TargetProfile,
  type TargetProfileInput,
} from '../interface/index.ts';
import type { LedgerChoice } from '../spending/index.ts';
import type { AgentProgress } from './agents/agent-progress.ts';
import type { AgentPool } from './agents/pool.ts';
import type { LoadClock } from './clock.ts';
import type { Engine } from './engine/engine.ts';
import { engineFlag, engineNamed } from './engine/engines.ts';
import { ENGINE_NAMES, type EngineName } from './engine/names.ts';
import type { JudgeGenerator } from './judge-generator.ts';
import type { Arrivals, LoadPlan } from './plan/plan.ts';
import { type Stage, totalMs } from './plan/stages.ts';
import type { OutcomeCounts } from './record/recorder.ts';
import type { RunRecords } from './record/run-records.ts';
import type { ServerReading } from './record/usage.ts';
import { resolveTarget } from './target-address.ts';
import {
  isOnReconnected,
  parseThreshold,
  refuseUnknownPart,
  type Threshold,
  withErrorBound,
} from './threshold.ts';
import { partnersFor } from './tokens/partners.ts';
import type { Mix } from './workload/mix.ts';
import { type LoadIdentity, resolveMix } from './workload/requests.ts';
import type { RouteQuery } from './workload/routes.ts';

/** Measurements of a run's window up to now. */
export interface ProgressSoFar extends OutcomeCounts {
  /** Response times of the successes. */
  readonly latencyUs: LatencySummaryUs;
  /** The same, in ascending order. */
  readonly values: readonly (readonly [us: number, count: number])[];
}

/** Progress of a run, about once a second. */
export interface LoadProgress {
  phase: 'warm-up' | 'measuring' | 'draining';
  /** Seconds since the first request, the warm-up included. */
  elapsedS: number;
  /** Seconds of warm-up and window together. */
  totalS: number;
  /** Requests per second due now; null in the closed model. */
  plannedRate: number | null;
  /** Successful answers in the last complete second. */
  rate: number;
  /** Response time in that second, microseconds. */
  p50Us: number;
  p99Us: number;
  maxUs: number;
  /** In the measured window so far. */
  ok: number;
  failed: number;
  /** Measurements of the window so far. */
  soFar: ProgressSoFar;
  /** Seconds of the window since the last report, and the one before them, updated. */
  seconds: readonly SeriesPoint[];
  /** The agents, where they run the generators. */
  agents?: readonly AgentProgress[] | undefined;
}

/** Options of a load run; durations are milliseconds. */
export interface LoadOptions {
  /** Its baseUrl must be an address, not `embedded`; what has a default may be left out. */
  profile: TargetProfileInput;
  clock: LoadClock;
  /** The same seed gives the same requests at the same planned times. */
  seed: number;
  /** Default: the first of ENGINE_NAMES. */
  engine?: EngineName | undefined;
  /** Open model: requests per second. Without rate and stages the model is closed. */
  rate?: number | undefined;
  /** Open model in stages, instead of rate and duration. */
  stages?: readonly Stage[] | undefined;
  /** Default `constant`. */
  arrivals?: Arrivals | undefined;
  /** Closed model: connections in use, default 10. Open model: the most that may be open, default 256. */
  connections?: number | undefined;
  /** Measured window, without the warm-up; default 10 s. */
  durationMs?: number | undefined;
  /** Default 1 s. */
  warmupMs?: number | undefined;
  /** Default 1. */
  workers?: number | undefined;
  /** Default 5 s. */
  timeoutMs?: number | undefined;
  /** Open model: send lag p99 of a generator that does not make a run invalid; default: see docs/load.md. */
  acceptedLatenessMs?: number | undefined;
  /** One connection for each request. */
  newConnections?: boolean | undefined;
  /** Share of the answers whose shape is checked, 0 to 1; default 0.01 where the engine can. */
  validateShare?: number | undefined;
  mix?: Mix | undefined;
  /** Used instead of random routes. */
  routes?: readonly RouteQuery[] | undefined;
  /** Default `platform`. */
  identity?: LoadIdentity | undefined;
  /**
   * Parsed, or as text such as `p99<20ms` (docs/load.md, "Thresholds"); `errors<1%` is added where
   * the errors have no bound.
   */
  thresholds?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early when one of these comes true. */
  abortOn?: readonly (Threshold | string)[] | undefined;
  /** Ends the run early once the backlog exceeds this many seconds of the schedule and grows. */
  mostBacklogS?: number | undefined;
  /** Ledger of what the profile's partners spend; left out, the one that the command uses. */
  ledger?: LedgerChoice | undefined;
  /** True for a target that was restarted, and has no memory of earlier runs. */
  serviceRestarted?: boolean | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /**
   * Called about once a second, and at the end of a run, with what was measured so far in every detail.
   * Generators renew their records each five seconds, or each second in agents.
   */
  onRecords?: ((records: RunRecords) => void) | undefined;
  /** Ends the run; what was measured until then is returned, marked as interrupted. */
  signal?: AbortSignal | undefined;
  /** Each generator in a thread of its own, or all in the calling one; default by the engine. */
  placement?: 'threads' | 'inline' | undefined;
  /**
   * Processes that run the generators, in place of threads of this one; `workers` is then theirs.
   *
   * @internal the library has no function that makes a pool
   */
  agents?: AgentPool | undefined;
  /** @internal for tests; default: by the limits of docs/load.md, "Generator health" */
  judgeGenerator?: JudgeGenerator | undefined;
  /** Reads the counters of the target's process, where they are available. */
  probeServer?: (() => Promise<ServerReading>) | undefined;
}

/** Options of a load with the whole profile. */
export interface PlannedOptions extends LoadOptions {
  profile: TargetProfile;
}

/** A load that can be run: its options, checked and resolved, all but the token. */
export interface PlannedLoad {
  readonly options: PlannedOptions;
  readonly engine: Engine;
  readonly plan: LoadPlan;
  readonly thresholds: readonly Threshold[];
  readonly abortOn: readonly Threshold[];
  readonly identity: LoadIdentity;
  /** Partners it may run as, in the order in which they are tried. */
  readonly partners: readonly [ProfilePartner, ...ProfilePartner[]];
  readonly mix: Mix;
}

/** Beyond this a worker's share of the schedule would not be worth its thread. */
const MOST_WORKERS = 64;
/** Ports of one address; each connection takes one. */
const MOST_CONNECTIONS = 65_535;
/** Share of the answers whose shape is checked by default. */
const CHECKED_SHARE = 0.01;
/** Requests per second, far beyond any generator here. */
const MOST_RATE = 10_000_000;

/**
 * Checks the options of a load, fills in defaults and resolves the target: everything that can be
 * known before the first request, so that wrong usage costs no token.
 *
 * @param source the flag that the thresholds were given by
 * @throws ConfigurationError `PROFILE_INVALID`, `LOAD_OPTIONS_INVALID`, `ENGINE_UNKNOWN`, `ENGINE_CLOSED_ONLY`,
 *   `ENGINE_LACKS_OPTION`, `THRESHOLD_INVALID`, `PARTNER_MISSING`, `MIX_WITHOUT_QUERY`,
 *   `TARGET_NOT_STARTED` or `CERTIFICATE_NOT_READ`; messages name the flag
 */
export async function planLoad(given: LoadOptions, source = '--threshold'): Promise<PlannedLoad> {
  const options = { ...given, profile: readTargetProfile(given.profile) };
  refuseImpossible(options);
  const { profile, seed, rate = 0, identity = 'platform', arrivals = 'constant' } = options;
  const { warmupMs = 1000, durationMs = 10_000, timeoutMs = 5000, workers = 1 } = options;
  const { newConnections = false, acceptedLatenessMs } = options;
  const isOpen = options.rate !== undefined || options.stages !== undefined;
  const engine = chooseEngine(options, isOpen);
  const validateShare = options.validateShare ?? (engine.can.checksAnswers ? CHECKED_SHARE : 0);
  const connections = options.connections ?? (isOpen ? 256 : 10);
  const evenly = [{ fromRate: rate, toRate: rate, durationMs }];
  const stages = isOpen ? (options.stages ?? evenly) : [];
  refuseTooFewConnections(options.agents, connections);
  const mix = resolveMix(profile, options.mix);
  const thresholds = (options.thresholds ?? []).map((one) => parsed(one, source));
  const parts = { shapes: [...mix.keys()], stages: options.stages?.length ?? 0 };
  for (const threshold of thresholds) {
    refuseUnknownPart(threshold, parts, source);
    refuseUntoldShape(threshold, parts.shapes, engine, source);
    refuseUnknownReconnects(threshold, engine, source);
  }
  const abortOn = (options.abortOn ?? []).map((one) => parsed(one, '--abort-on'));
  abortOn.forEach(refusePart);
  return {
    options,
    engine,
    plan: {
      model: isOpen ? 'open' : 'closed',
      arrivals,
      stages: withWarmup(stages, warmupMs),
      warmupMs,
      durationMs: isOpen ? totalMs(stages) : durationMs,
      connections,
      timeoutMs,
      ...(acceptedLatenessMs !== undefined && { acceptedLatenessUs: acceptedLatenessMs * 1000 }),
      newConnections,
      validateShare,
      seed,
      address: resolveTarget(profile),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'User-Agent': 'fareproof',
        ...(newConnections && { Connection: 'close' }),
        ...profile.headers,
      },
      // A generator without a connection would have nothing to send with.
      generators: options.agents?.generators ?? Math.min(workers, connections),
    },
    thresholds: withErrorBound(thresholds),
    abortOn,
    identity,
    partners: partnersFor(profile, identity),
    mix,
  };
}

/** The same load in the open model at a constant rate. */
export function atRate(load: PlannedLoad, rate: number, durationMs: number): PlannedLoad {
  const { plan } = load;
  const stages = withWarmup([{ fromRate: rate, toRate: rate, durationMs }], plan.warmupMs);
  return { ...load, plan: { ...plan, stages, durationMs } };
}

/** The same load with the requests of another seed. */
export function withSeed(load: PlannedLoad, seed: number): PlannedLoad {
  return { ...load, plan: { ...load.plan, seed } };
}

/** The longest time from the first request to the last answer, milliseconds. */
export function longestMs({ warmupMs, durationMs, timeoutMs }: LoadPlan): number {
  return warmupMs + durationMs + timeoutMs;
}

/** The warm-up runs at the rate that the window begins with. */
function withWarmup(measured: readonly Stage[], warmupMs: number): Stage[] {
  const [first] = measured;
  if (first === undefined || warmupMs === 0) return [...measured];
  return [{ ...first, toRate: first.fromRate, durationMs: warmupMs }, ...measured];
}

const parsed = (threshold: Threshold | string, source: string): Threshold =>
  typeof threshold === 'string' ? parseThreshold(threshold, source) : threshold;

function refuseTooFewConnections(agents: AgentPool | undefined, connections: number): void {
  if (agents === undefined || agents.generators <= connections) return;
  throw new ConfigurationError(
    'LOAD_OPTIONS_INVALID',
    `--connections: ${connections} are too few for ${agents.generators} generators, each of which needs one; give more, or fewer --agents or --workers.`,
  );
}

/** With a single shape, an engine need not tell it from others. */
function refuseUntoldShape(
  { expression, shape }: Threshold,
  shapes: readonly EstimateShape[],
  engine: Engine,
  source: string,
): void {
  if (shape === undefined || shapes.length === 1 || engine.can.tellsShapes) return;
  throw new ConfigurationError(
    'ENGINE_LACKS_OPTION',
    `${source} '${expression}': ${engine.name} does not say which request an answer is of; send one shape with --mix, or use ${engineFlag(({ can }) => can.tellsShapes)}.`,
  );
}

function refuseUnknownReconnects(threshold: Threshold, engine: Engine, source: string): void {
  if (!isOnReconnected(threshold) || engine.can.reconnects) return;
  throw new ConfigurationError(
    'ENGINE_LACKS_OPTION',
    `${source} '${threshold.expression}': ${engine.name} sends no request again; leave it out, or use ${engineFlag(({ can }) => can.reconnects)}.`,
  );
}

/** Until a run ends, only the whole of it is merged. */
function refusePart(condition: Threshold): void {
  const { expression, shape, stage } = condition;
  if (isOnReconnected(condition)) {
    throw new ConfigurationError(
      'THRESHOLD_INVALID',
      `--abort-on '${expression}': requests that were sent again are counted at the end of a run; use --threshold.`,
    );
  }
  if (shape === undefined && stage === undefined) return;
  throw new ConfigurationError(
    'THRESHOLD_INVALID',
    `--abort-on '${expression}': during a run only the whole of it is judged, not a shape or a stage; leave the braces out, or use --threshold.`,
  );
}

function chooseEngine(options: LoadOptions, isOpen: boolean): Engine {
  const engine = engineNamed(options.engine);
  if (engine === undefined) {
    throw new ConfigurationError(
      'ENGINE_UNKNOWN',
      `--engine: there is no "${options.engine}"; there are ${ENGINE_NAMES.join(' and ')}.`,
    );
  }
  if (isOpen && !engine.can.openModel) {
    throw new ConfigurationError(
      'ENGINE_CLOSED_ONLY',
      `${engine.name} is closed-loop: it would wait for slow answers and hide them. Leave --rate and --stages out, or use ${engineFlag(({ can }) => can.openModel)}.`,
    );
  }
  if (options.agents !== undefined && !engine.can.splitsPlans) {
    throw new ConfigurationError(
      'ENGINE_LACKS_OPTION',
      `--agents: ${engine.name} cannot share a load among processes. Leave it out, or use ${engineFlag(({ can }) => can.splitsPlans)}.`,
    );
  }
  const refusal = engine.refuse(options);
  if (refusal === null) return engine;
  throw new ConfigurationError(
    'ENGINE_LACKS_OPTION',
    `${refusal}, or use ${engineFlag((other) => other.refuse(options) === null)}.`,
  );
}

function refuseImpossible(options: LoadOptions): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('LOAD_OPTIONS_INVALID', message);
  };
  const { rate, stages, durationMs, timeoutMs, validateShare } = options;
  if (rate !== undefined && !(rate > 0 && rate <= MOST_RATE)) {
    refuse(`--rate: give requests per second, above 0 and at most ${inWords(MOST_RATE)}.`);
  }
  if (stages?.some(({ fromRate, toRate }) => Math.max(fromRate, toRate) > MOST_RATE)) {
    refuse(`--stages: a rate is at most ${inWords(MOST_RATE)} requests per second.`);
  }
  if (rate !== undefined && stages) {
    refuse('--rate and --stages both set the rate; give one of them.');
  }
  if (stages && durationMs !== undefined) {
    refuse('--stages have their own durations; remove --duration.');
  }
  if (options.arrivals === 'poisson' && rate === undefined && !stages) {
    refuse('--arrivals needs the open model; give --rate or --stages.');
  }
  if (options.acceptedLatenessMs !== undefined && rate === undefined && !stages) {
    refuse(
      '--accept-lateness needs the open model, whose requests have planned times; give --rate or --stages.',
    );
  }
  for (const [flag, value, most] of [
    ['--connections', options.connections, MOST_CONNECTIONS],
    ['--workers', options.workers, MOST_WORKERS],
  ] as const) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0 && value <= most)) {
      refuse(`${flag}: give a whole number from 1 to ${inWords(most)}.`);
    }
  }
  if (durationMs !== undefined && !(durationMs > 0)) refuse('--duration: give a time above 0.');
  if (timeoutMs !== undefined && !(timeoutMs > 0)) refuse('--timeout: give a time above 0.');
  if (validateShare !== undefined && !(validateShare >= 0 && validateShare <= 1)) {
    refuse('--validate: give a share of the answers from 0 to 1.');
  }
}

const inWords = (count: number): string => count.toLocaleString('en-US');
