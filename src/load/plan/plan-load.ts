import { ConfigurationError } from '../../interface/index.ts';
import type { LoadOptions } from '../options.ts';
import type { TargetAddress } from '../target-address.ts';
import type { EstimateRequest } from '../workload/requests.ts';
import type { LoadPlan } from './plan.ts';
import { type Stage, totalMs } from './stages.ts';

const DEFAULTS = {
  durationMs: 10_000,
  warmupMs: 1000,
  timeoutMs: 5000,
  closedConnections: 10,
  openConnections: 256,
} as const;

/** Beyond this a worker's share of the schedule would not be worth its thread. */
const MOST_WORKERS = 64;
/** One address has so many ports, and each connection takes one. */
const MOST_CONNECTIONS = 65_535;
/** Requests a second; what no generator here comes near to. */
const MOST_RATE = 10_000_000;

/**
 * Turns options into the plan of a run.
 *
 * @throws ConfigurationError `LOAD_OPTIONS_INVALID`, `ENGINE_CLOSED_ONLY` or `ENGINE_LACKS_OPTION`
 */
export function makePlan(
  options: LoadOptions,
  address: TargetAddress,
  requests: readonly EstimateRequest[],
): LoadPlan {
  refuseImpossible(options);
  const open = options.rate !== undefined || options.stages !== undefined;
  const warmupMs = options.warmupMs ?? DEFAULTS.warmupMs;
  const stages = open ? planStages(options, warmupMs) : [];
  const connections =
    options.connections ?? (open ? DEFAULTS.openConnections : DEFAULTS.closedConnections);
  return {
    model: open ? 'open' : 'closed',
    arrivals: options.arrivals ?? 'constant',
    stages,
    warmupMs,
    durationMs: open ? totalMs(stages) - warmupMs : (options.durationMs ?? DEFAULTS.durationMs),
    connections,
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    newConnections: options.newConnections ?? false,
    validateShare: options.validateShare ?? 0,
    seed: options.seed,
    address,
    requests,
    headers: options.profile.headers,
    // A generator without a connection would have nothing to send with.
    generators: Math.min(options.workers ?? 1, connections),
  };
}

/** The warm-up goes at the rate that the window begins with. */
function planStages(options: LoadOptions, warmupMs: number): Stage[] {
  const rate = options.rate ?? 0;
  const durationMs = options.durationMs ?? DEFAULTS.durationMs;
  const measured = options.stages ?? [{ fromRate: rate, toRate: rate, durationMs }];
  if (warmupMs === 0) return [...measured];
  const fromRate = measured[0]?.fromRate ?? 0;
  return [{ fromRate, toRate: fromRate, durationMs: warmupMs }, ...measured];
}

function refuseImpossible(options: LoadOptions): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('LOAD_OPTIONS_INVALID', message);
  };
  const { rate, stages, connections, workers, durationMs, timeoutMs, validateShare } = options;
  if (rate !== undefined && !(rate > 0 && rate <= MOST_RATE)) {
    refuse(`--rate: give the requests a second, above 0 and at most ${inWords(MOST_RATE)}.`);
  }
  if (stages?.some(({ fromRate, toRate }) => Math.max(fromRate, toRate) > MOST_RATE)) {
    refuse(`--stages: a rate is at most ${inWords(MOST_RATE)} requests a second.`);
  }
  if (rate !== undefined && stages) {
    refuse('--rate and --stages both set the rate; give one of them.');
  }
  if (stages && durationMs !== undefined) {
    refuse('--stages hold their own durations; leave --duration out.');
  }
  if (options.arrivals === 'poisson' && rate === undefined && !stages) {
    refuse('--arrivals needs the open model; give --rate or --stages.');
  }
  for (const [flag, value, most] of [
    ['--connections', connections, MOST_CONNECTIONS],
    ['--workers', workers, MOST_WORKERS],
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
  if (options.engine === 'autocannon') refuseForAutocannon(options);
}

const inWords = (count: number): string => count.toLocaleString('en-US');

function refuseForAutocannon(options: LoadOptions): void {
  if (options.rate !== undefined || options.stages) {
    throw new ConfigurationError(
      'ENGINE_CLOSED_ONLY',
      'autocannon is closed-loop: it would wait for slow answers and hide them. Leave --rate and --stages out, or use --engine native.',
    );
  }
  const lacking = [
    (options.workers ?? 1) > 1 && '--workers',
    (options.validateShare ?? 0) > 0 && '--validate',
  ].find((flag) => flag !== false);
  if (lacking) {
    throw new ConfigurationError(
      'ENGINE_LACKS_OPTION',
      `--engine autocannon has no ${lacking}; leave it out, or use --engine native.`,
    );
  }
  const { timeoutMs } = options;
  if (timeoutMs !== undefined && (timeoutMs < 1000 || timeoutMs % 1000 !== 0)) {
    throw new ConfigurationError(
      'ENGINE_LACKS_OPTION',
      `--timeout: autocannon waits for whole seconds, one or more, and not for ${timeoutMs} ms; or use --engine native.`,
    );
  }
}
