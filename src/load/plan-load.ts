import { readFile } from 'node:fs/promises';
import {
  ConfigurationError,
  type EstimateShape,
  type ProfilePartner,
  parseDurationMs,
  readTargetProfile,
  requireMd5,
  type TargetProfile,
} from '../interface/index.ts';
import type { AgentPool } from './agents/pool.ts';
import { type LoadClock, systemClock } from './clock.ts';
import type { Engine } from './engine/engine.ts';
import { engineNamed, engineNames } from './engine/engines.ts';
import { requireDivisible } from './load-part.ts';
import { invalid, type ReadOptions, readOptions, readShare } from './option-schema.ts';
import { CONNECTIONS, FIRST_RATE, type LoadIdentity, type LoadOptions } from './options.ts';
import type { RunOutput } from './outputs/output.ts';
import { requirePermission } from './permission.ts';
import { type LoadPlan, parseStages, type Stage, totalMs } from './plan.ts';
import type { RunContext } from './run-context.ts';
import { resolveTarget } from './target-address.ts';
import {
  isOnReconnected,
  parseObjective,
  parseThreshold,
  refuseUnknownPart,
  stallUsFor,
  type Threshold,
  withErrorBound,
} from './threshold.ts';
import { partnersFor } from './tokens/partners.ts';
import { type Mix, parseMix, resolveMix } from './workload/requests.ts';
import { parseRoutes } from './workload/route-file.ts';
import type { RouteQuery } from './workload/routes.ts';

/** A load that can be run: its options, checked and resolved, all but the token. */
export interface PlannedLoad {
  readonly options: LoadOptions;
  readonly context: RunContext & { readonly profile: TargetProfile; readonly clock: LoadClock };
  readonly engine: Engine;
  readonly plan: LoadPlan;
  readonly thresholds: readonly Threshold[];
  readonly abortOn: readonly Threshold[];
  /** True for a search: the thresholds are its objective, and the plan has its first rate. */
  readonly isSearch: boolean;
  /** Ends the run early once the backlog exceeds this many seconds of the schedule and grows. */
  readonly mostBacklogS?: number | undefined;
  readonly identity: LoadIdentity;
  /** Partners it may run as, in the order in which they are tried. */
  readonly partners: readonly [ProfilePartner, ...ProfilePartner[]];
  readonly mix: Mix;
  /** Used instead of random routes. */
  readonly routes: readonly RouteQuery[] | undefined;
}

/** Facts of a load by which its run is judged. */
export interface JudgedLoad
  extends Pick<PlannedLoad, 'engine' | 'identity' | 'mix' | 'plan' | 'thresholds'> {
  readonly context: Pick<RunContext, 'findFaults' | 'probeServer' | 'signal'> & {
    readonly profile: Pick<TargetProfile, 'baseUrl' | 'environment' | 'name'>;
  };
}

/** Share of the answers whose shape is checked by default. */
const CHECKED_SHARE = 0.01;

/**
 * Checks the options of a load, fills in defaults and resolves the target: everything that can be
 * known before the first request, so that wrong usage costs no token.
 *
 * @throws ConfigurationError with its field: `PROFILE_INVALID`, `LOAD_NOT_PERMITTED`, `LOAD_OPTIONS_INVALID`, `ENGINE_CLOSED_ONLY`,
 *   `ENGINE_LACKS_OPTION`, `STAGES_INVALID`, `MIX_INVALID`, `ROUTES_INVALID`,
 *   `THRESHOLD_INVALID`, `OBJECTIVE_INVALID`, `PARTNER_MISSING`, `MIX_WITHOUT_QUERY`, `PART_NEEDS_TOKEN`,
 *   `TARGET_NOT_STARTED`, `CERTIFICATE_NOT_READ` or `MD5_MISSING`
 */
export async function planLoad(given: LoadOptions & RunContext): Promise<PlannedLoad> {
  requireMd5();
  const profile = readTargetProfile(given.profile);
  requirePermission(profile.baseUrl, given.iMayLoadThisTarget);
  const options = readOptions(given);
  const { rate, stages: list, findMax, as: identity, newConnections = false } = options;
  const { seed, arrivals, workers } = options;
  const isSearch = findMax !== undefined;
  const isOpen = isSearch || rate !== undefined || list !== undefined;
  const timeoutMs = parseDurationMs(options.timeout, 'timeout');
  const share = readShare(options.validate);
  const engine = chooseEngine(options, given, { timeoutMs, validateShare: share });
  const connections = options.connections ?? CONNECTIONS[isOpen ? 'open' : 'closed'];
  refuseTooFewConnections(given.agents, connections);
  const listed = list === undefined ? undefined : parseStages(list);
  const durationMs = listed ? totalMs(listed) : parseDurationMs(options.duration, 'duration');
  const evenly = { fromRate: rate ?? FIRST_RATE, toRate: rate ?? FIRST_RATE, durationMs };
  const warmupMs = parseDurationMs(options.warmup, 'warmup');
  const mix = resolveMix(profile, options.mix === undefined ? undefined : parseMix(options.mix));
  const parts = { shapes: [...mix.keys()], stages: listed?.length ?? 0 };
  const thresholds = withErrorBound(readThresholds(options, parts, engine));
  const plan: LoadPlan = {
    model: isOpen ? 'open' : 'closed',
    arrivals,
    stages: withWarmup(isOpen ? (listed ?? [evenly]) : [], warmupMs),
    warmupMs,
    durationMs,
    connections,
    timeoutMs,
    stallUs: stallUsFor(thresholds),
    newConnections,
    validateShare: share ?? (engine.can.checksAnswers ? CHECKED_SHARE : 0),
    seed,
    address: resolveTarget(profile),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'User-Agent': 'fareproof',
      ...(newConnections && { Connection: 'close' }),
      ...profile.headers,
    },
    // A generator without a connection would have nothing to send with.
    generators: given.agents?.generators ?? Math.min(workers, connections) * (given.part?.of ?? 1),
  };
  const partners = partnersFor(profile, identity);
  if (given.part !== undefined) requireDivisible(plan, partners[0]);
  return {
    options,
    context: { ...given, profile, clock: given.clock ?? systemClock() },
    engine,
    plan,
    thresholds,
    abortOn: readConditions(options),
    isSearch,
    identity,
    partners,
    mix,
    routes: options.routes === undefined ? undefined : await readRoutes(options.routes, given),
  };
}

/** The same load in the open model at a constant rate. */
export function atRate(load: PlannedLoad, rate: number, durationMs: number): PlannedLoad {
  const { plan } = load;
  const stages = withWarmup([{ fromRate: rate, toRate: rate, durationMs }], plan.warmupMs);
  return { ...load, plan: { ...plan, stages, durationMs } };
}

/** The same load, of whose runs an output is told. */
export function withOutput(load: PlannedLoad, output: RunOutput): PlannedLoad {
  return { ...load, context: { ...load.context, output } };
}

/** The same load with the requests of another seed. */
export function withSeed(load: PlannedLoad, seed: number): PlannedLoad {
  return { ...load, plan: { ...load.plan, seed } };
}

/** The longest time from the first request to the sending of the last, milliseconds. */
export function longestMs({ warmupMs, durationMs, timeoutMs }: LoadPlan): number {
  return warmupMs + durationMs + timeoutMs;
}

/** The warm-up runs at the rate that the window begins with. */
function withWarmup(measured: readonly Stage[], warmupMs: number): Stage[] {
  const [first] = measured;
  if (first === undefined || warmupMs === 0) return [...measured];
  return [{ ...first, toRate: first.fromRate, durationMs: warmupMs }, ...measured];
}

async function readRoutes(
  path: string,
  { readText = (file) => readFile(file, 'utf8') }: Pick<RunContext, 'readText'>,
): Promise<readonly RouteQuery[]> {
  const text = await readText(path).catch((error: Error) => {
    const { message, code = 'FILE_NOT_READ' } = error as NodeJS.ErrnoException;
    const ours = error instanceof ConfigurationError ? code : 'FILE_NOT_READ';
    throw new ConfigurationError(ours, message, { field: 'routes', cause: error });
  });
  return parseRoutes(text, path);
}

/** The thresholds of a run, or the objective of a search. */
function readThresholds(
  { threshold: texts = [], findMax }: LoadOptions,
  parts: { shapes: readonly EstimateShape[]; stages: number },
  engine: Engine,
): Threshold[] {
  const fieldOf = (at: number): string => (findMax === undefined ? `threshold[${at}]` : 'findMax');
  const thresholds =
    findMax === undefined
      ? texts.map((text, at) => parseThreshold(text, fieldOf(at)))
      : parseObjective(findMax, 'findMax');
  for (const [at, threshold] of thresholds.entries()) {
    refuseUnknownPart(threshold, parts, fieldOf(at));
    refuseUnjudged(threshold, parts.shapes, engine, fieldOf(at));
  }
  return thresholds;
}

/** Refuses what an engine does not measure; with a single shape, it need not tell it from others. */
function refuseUnjudged(
  threshold: Threshold,
  shapes: readonly EstimateShape[],
  engine: Engine,
  field: string,
): void {
  const { expression, shape } = threshold;
  if (shape !== undefined && shapes.length > 1 && !engine.can.tellsShapes) {
    throw lacks(
      `'${expression}': ${engine.name} does not say which request a response is of; send one shape in the mix`,
      field,
      ({ can }) => can.tellsShapes,
    );
  }
  if (isOnReconnected(threshold) && !engine.can.reconnects) {
    throw lacks(
      `'${expression}': ${engine.name} sends no request again; leave it out`,
      field,
      ({ can }) => can.reconnects,
    );
  }
}

/** An option that an engine lacks, with the engines that have it. */
function lacks(
  problem: string,
  field: string,
  passes: (engine: Engine) => boolean,
): ConfigurationError {
  return new ConfigurationError(
    'ENGINE_LACKS_OPTION',
    (name) => `${problem}, or use ${name('engine')} ${engineNames(passes)}.`,
    { field },
  );
}

/** The conditions that end a run early: until then, only the whole of it is merged. */
function readConditions({ abortOn = [] }: LoadOptions): Threshold[] {
  return abortOn.map((text, at) => {
    const field = `abortOn[${at}]`;
    const condition = parseThreshold(text, field);
    const refuse = (why: string): never => {
      throw new ConfigurationError(
        'THRESHOLD_INVALID',
        (name) => `'${condition.expression}': ${why}, or use ${name('threshold')}.`,
        { field },
      );
    };
    if (isOnReconnected(condition)) {
      refuse('requests that were sent again are counted at the end of a run; leave it out');
    }
    if (condition.shape !== undefined || condition.stage !== undefined) {
      refuse(
        'during a run only the whole of it is judged, not a shape or a stage; leave the braces out',
      );
    }
    return condition;
  });
}

function refuseTooFewConnections(agents: AgentPool | undefined, connections: number): void {
  if (agents === undefined || agents.generators <= connections) return;
  const problem = `${connections} are too few for ${agents.generators} generators, each of which needs one; give more, or fewer agents or workers.`;
  throw invalid(problem, 'connections');
}

function chooseEngine(
  options: ReadOptions,
  { agents, part }: Pick<RunContext, 'agents' | 'part'>,
  values: { readonly timeoutMs: number; readonly validateShare: number | undefined },
): Engine {
  const engine = engineNamed(options.engine);
  const ofOpenModel = (['rate', 'stages', 'findMax'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (ofOpenModel !== undefined && !engine.can.openModel) {
    throw new ConfigurationError(
      'ENGINE_CLOSED_ONLY',
      (name) =>
        `${engine.name} is closed-loop: it would wait for slow responses and hide them. Leave it out, or use ${name('engine')} ${engineNames(({ can }) => can.openModel)}.`,
      { field: ofOpenModel },
    );
  }
  if ((agents ?? part) !== undefined && !engine.can.splitsPlans) {
    const problem = `${engine.name} cannot share a load among processes; leave it out`;
    throw lacks(problem, agents ? 'agents' : 'part', ({ can }) => can.splitsPlans);
  }
  const asked = { workers: options.workers, ...values };
  const refusal = engine.refuse(asked);
  if (refusal === null) return engine;
  throw lacks(refusal.problem, refusal.field, (other) => other.refuse(asked) === null);
}
