import { parseDurationMs } from '../../../interface/duration.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import type { LoadOptions, OtlpExport, RouteQuery, Threshold } from '../../../load/index.ts';
import type { ExportFormat } from '../../../report/index.ts';
import { readTextFile } from '../../files/text.ts';
import { readInteger, readNumber, readPercent, readShare } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import type { LoadFlags } from './flags.ts';
import { type Origin, originOf, overSuite, readSuite } from './suite.ts';

/** The flags of `load`, read. */
export interface LoadSettings {
  /** Options of one run, without the target. */
  options: Omit<LoadOptions, 'profile'>;
  /** The objective of --find-max; null for a plain run. */
  objective: readonly Threshold[] | null;
  /** Number of runs; with --against, of pairs. */
  runs: number;
  marginPercent: number | undefined;
  /** Formats in which each run is written besides its document. */
  exports: readonly ExportFormat[];
  /** Collector that metrics are sent to; null for none. */
  collector: string | null;
  /** The export to the collector, once it is open. */
  otlp?: OtlpExport | null;
  /** Names fields of the suite in errors that come up later, as {@link Origin.explain}. */
  explain: Origin['explain'];
}

const DEFAULT_PAIRS = 10;

/**
 * Reads the flags of `load`, over those of its suite.
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
  const {
    parseMix,
    parseObjective,
    parseStages,
    parseThreshold,
    readCollectorAddress,
    systemClock,
  } = await import('../../../load/index.ts');
  const parse = <T>(
    name: 'stages' | 'mix' | 'findMax' | 'duration' | 'warmup' | 'timeout' | 'acceptLateness',
    parser: (text: string, source: string) => T,
  ): T | undefined => {
    const text = flags[name];
    return text === undefined ? undefined : parser(text, origin.of(name));
  };
  const number = (name: 'rate' | 'connections' | 'workers' | 'seed'): number | undefined => {
    const value = flags[name];
    return typeof value === 'number' ? value : readNumber(value, origin.of(name));
  };
  const thresholds = (name: 'threshold' | 'abortOn'): Threshold[] =>
    (flags[name] ?? []).map((text, index) => parseThreshold(text, origin.of(name, index)));
  const objective = parse('findMax', parseObjective) ?? null;
  const runs = readInteger(flags.runs, '--runs', { min: 1 });
  refuseStray(flags);
  return {
    options: {
      clock: systemClock(),
      ...io.load,
      seed: number('seed') ?? 1,
      engine: flags.engine,
      rate: number('rate'),
      arrivals: flags.arrivals,
      stages: parse('stages', parseStages),
      connections: number('connections'),
      durationMs: parse('duration', parseDurationMs),
      warmupMs: parse('warmup', parseDurationMs),
      timeoutMs: parse('timeout', parseDurationMs),
      acceptedLatenessMs: parse('acceptLateness', parseDurationMs),
      workers: number('workers'),
      mix: parse('mix', parseMix),
      routes: flags.routes === undefined ? undefined : await readRoutes(flags.routes, origin, io),
      identity: flags.as,
      thresholds: thresholds('threshold'),
      abortOn: thresholds('abortOn'),
      validateShare: readShare(flags.validate, origin.of('validate')),
      newConnections: flags.newConnections,
    },
    objective,
    runs: runs ?? (flags.against === undefined ? 1 : DEFAULT_PAIRS),
    marginPercent: readPercent(flags.margin, '--margin'),
    exports: await readExports(flags),
    collector: flags.otlp === undefined ? null : readCollectorAddress(flags.otlp, '--otlp'),
    explain: origin.explain,
  };
}

/** Formats of `--export`; a search has no figures of a single run. */
async function readExports({ export: list, findMax }: LoadFlags): Promise<ExportFormat[]> {
  if (list === undefined) return [];
  const { EXPORT_FORMATS } = await import('../../../report/index.ts');
  if (findMax !== undefined) {
    throw new ConfigurationError(
      'EXPORT_OF_SEARCH',
      '--export writes the figures of a run; run one at the rate that --find-max found.',
    );
  }
  return list.split(',').map((name) => {
    const format = EXPORT_FORMATS.find((one) => one === name.trim());
    if (format !== undefined) return format;
    const hint = suggest(name.trim(), EXPORT_FORMATS, `there are ${EXPORT_FORMATS.join(', ')}.`);
    throw new ConfigurationError(
      'EXPORT_UNKNOWN',
      `--export: there is no format "${name}"; ${hint}`,
    );
  });
}

/** Flags that go with others only. */
function refuseStray(flags: LoadFlags): void {
  const { findMax, runs, against, margin, agents, onLost, via, joinTimeout } = flags;
  if (via !== undefined && agents === undefined) {
    throw new ConfigurationError(
      'VIA_WITHOUT_AGENTS',
      '--via waits for agents; give their number with --agents, or leave it out.',
    );
  }
  if (joinTimeout !== undefined && via === undefined) {
    throw new ConfigurationError(
      'JOIN_TIMEOUT_WITHOUT_VIA',
      '--join-timeout is the time for agents of other machines to join; give their NATS server with --via, or leave it out.',
    );
  }
  if (onLost !== undefined && agents === undefined) {
    throw new ConfigurationError(
      'ON_LOST_WITHOUT_AGENTS',
      '--on-lost says what agents do once one is lost; give their number with --agents, or leave it out.',
    );
  }
  if (findMax !== undefined && (runs !== undefined || against !== undefined)) {
    throw new ConfigurationError(
      'FIND_MAX_OPTIONS',
      '--find-max repeats its trials itself; leave --runs and --against out.',
    );
  }
  if (margin !== undefined && against === undefined) {
    throw new ConfigurationError(
      'MARGIN_WITHOUT_AGAINST',
      '--margin says which shifts of two targets are equivalent; give the other one with --against, or leave it out.',
    );
  }
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
