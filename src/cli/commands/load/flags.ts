import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../../../interface/errors.ts';
import type {
  LoadOptions,
  LoadSuite,
  LoadSuiteSettings,
  RouteQuery,
  Threshold,
} from '../../../load/index.ts';
import { readTextFile } from '../../files/text.ts';
import { type LocatedYaml, readLocatedYaml } from '../../files/yaml.ts';
import { readInteger, readNumber, readPercent, readShare } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { type Origin, originOf } from './origin.ts';

/** Flags of `load` as commander hands them over. */
export interface LoadFlags {
  target?: string;
  against?: string;
  suite?: string;
  rate?: string;
  arrivals?: string;
  stages?: string;
  connections?: string;
  duration?: string;
  warmup?: string;
  timeout?: string;
  workers?: string;
  mix?: string;
  routes?: string;
  as?: 'platform' | 'user';
  threshold?: string[];
  abortOn?: string[];
  findMax?: string;
  validate?: string;
  newConnections?: boolean;
  engine?: 'native' | 'autocannon';
  seed?: string;
  runs?: string;
  margin?: string;
  ledger?: string;
  iMayLoadThisTarget?: true;
  live?: true;
  json?: true;
  out?: string;
}

/** What `load` is to do. */
export interface LoadSettings {
  /** Of one run, all but where it goes. */
  options: Omit<LoadOptions, 'profile' | 'clock'>;
  /** The objective of --find-max; null for a plain run. */
  objective: readonly Threshold[] | null;
  /** How often it is run; with --against, pairs. */
  runs: number;
  marginPercent: number | undefined;
  /** Of an error that comes up only later: as {@link Origin.explain}. */
  explain: Origin['explain'];
}

const DEFAULT_PAIRS = 10;

/**
 * Reads the flags of `load`, those of its suite first, into what is to be done.
 *
 * @throws ConfigurationError that names the flag, or the suite's file, line and field
 */
export async function readLoadSettings(typed: LoadFlags, io: Io): Promise<LoadSettings> {
  const suite = typed.suite === undefined ? null : await readSuite(typed.suite, io);
  const flags = suite === null ? typed : overSuite(typed, suite.data.load);
  const origin = originOf(typed, suite);
  return origin.explain(() => readSettings(flags, origin, io));
}

async function readSettings(flags: LoadFlags, origin: Origin, io: Io): Promise<LoadSettings> {
  const load = await import('../../../load/index.ts');
  const duration = (name: 'duration' | 'warmup' | 'timeout'): number | undefined =>
    flags[name] === undefined ? undefined : load.parseDurationMs(flags[name], origin.of(name));
  const objective =
    flags.findMax === undefined ? null : load.parseObjective(flags.findMax, origin.of('findMax'));
  const runs = readInteger(flags.runs, '--runs', { min: 1 });
  if (objective !== null && (runs !== undefined || flags.against !== undefined)) {
    throw new ConfigurationError(
      'FIND_MAX_OPTIONS',
      '--find-max repeats its trials itself; leave --runs and --against out.',
    );
  }
  if (flags.margin !== undefined && flags.against === undefined) {
    throw new ConfigurationError(
      'MARGIN_WITHOUT_AGAINST',
      '--margin says which shifts of two targets are equivalent; give the other one with --against, or leave it out.',
    );
  }
  return {
    options: {
      seed: readNumber(flags.seed, '--seed') ?? 1,
      engine: flags.engine,
      rate: readNumber(flags.rate, '--rate'),
      arrivals: readArrivals(flags.arrivals),
      stages:
        flags.stages === undefined
          ? undefined
          : load.parseStages(flags.stages, origin.of('stages')),
      connections: readNumber(flags.connections, '--connections'),
      durationMs: duration('duration'),
      warmupMs: duration('warmup'),
      timeoutMs: duration('timeout'),
      workers: readNumber(flags.workers, '--workers'),
      mix: flags.mix === undefined ? undefined : load.parseMix(flags.mix, origin.of('mix')),
      routes: flags.routes === undefined ? undefined : await readRoutes(flags.routes, origin, io),
      identity: flags.as,
      thresholds: (flags.threshold ?? []).map((text, index) =>
        load.parseThreshold(text, origin.of('threshold', index)),
      ),
      abortOn: (flags.abortOn ?? []).map((text, index) =>
        load.parseThreshold(text, origin.of('abortOn', index)),
      ),
      validateShare: readShare(flags.validate, origin.of('validate')),
      newConnections: flags.newConnections,
    },
    objective,
    runs: runs ?? (flags.against === undefined ? 1 : DEFAULT_PAIRS),
    marginPercent: readPercent(flags.margin, '--margin'),
    explain: origin.explain,
  };
}

/** A flag replaces what the suite says; one that sets the model replaces all that sets the model. */
function overSuite(typed: LoadFlags, suite: LoadSuiteSettings): LoadFlags {
  const { rate, connections, workers, seed, ...texts } = suite;
  const numbers = { rate, connections, workers, seed };
  const written = Object.entries(numbers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const known = Object.entries(texts).filter(([, value]) => value !== undefined);
  const flags = Object.fromEntries([...known, ...written]) as LoadFlags;
  if (typed.rate ?? typed.stages ?? typed.findMax) {
    delete flags.rate;
    delete flags.stages;
    if (typed.stages !== undefined) delete flags.duration;
  }
  if (typed.threshold !== undefined) delete flags.findMax;
  if (typed.findMax !== undefined) delete flags.threshold;
  return { ...flags, ...typed };
}

/** A suite of this package by its name, `load-steady` or `steady`, or a file. */
async function readSuite(name: string, io: Io): Promise<LocatedYaml<LoadSuite>> {
  const { loadSuiteSchema } = await import('../../../load/index.ts');
  const bundled = new URL(
    `../../../../suites/load/${name.replace(/^load-/, '')}.yaml`,
    import.meta.url,
  );
  const isName = /^[\w-]+$/.test(name) && !existsSync(resolve(io.cwd, name));
  const path = isName && existsSync(bundled) ? fileURLToPath(bundled) : name;
  return readLocatedYaml(path, loadSuiteSchema, io);
}

async function readRoutes(path: string, origin: Origin, io: Io): Promise<readonly RouteQuery[]> {
  const { parseRoutes } = await import('../../../load/index.ts');
  const source = origin.of('routes');
  const text = await readTextFile(path, io.cwd).catch((error: unknown) => {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.code, `${source}: ${error.message}`, { cause: error });
  });
  return parseRoutes(text, path);
}

function readArrivals(text: string | undefined): 'constant' | 'poisson' | undefined {
  if (text === undefined || text === 'constant' || text === 'poisson') return text;
  throw new ConfigurationError(
    'ARRIVALS_UNKNOWN',
    `--arrivals: there is no "${text}"; write constant or poisson.`,
  );
}
