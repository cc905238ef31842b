import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../interface/errors.ts';
import type { LoadOptions, LoadSuiteSettings, Threshold } from '../load/index.ts';
import type { Io } from './io.ts';
import { readTextFile } from './read-text.ts';
import { readYamlFile } from './yaml-file.ts';

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
}

const DEFAULT_PAIRS = 10;

/**
 * Reads the flags of `load`, those of its suite first, into what is to be done.
 *
 * @throws ConfigurationError that names the flag, or the suite's file, line and field
 */
export async function readLoadSettings(typed: LoadFlags, io: Io): Promise<LoadSettings> {
  const flags =
    typed.suite === undefined ? typed : overSuite(typed, await readSuite(typed.suite, io));
  const load = await import('../load/index.ts');
  const duration = (text: string | undefined, flag: string): number | undefined =>
    text === undefined ? undefined : load.parseDurationMs(text, flag);
  const objective =
    flags.findMax === undefined ? null : load.parseThresholds(flags.findMax, '--find-max');
  const runs = readCount(flags.runs, '--runs');
  if (objective !== null && (runs !== undefined || flags.against !== undefined)) {
    throw new ConfigurationError(
      'FIND_MAX_OPTIONS',
      '--find-max repeats its trials itself; leave --runs and --against out.',
    );
  }
  return {
    options: {
      seed: readNumber(flags.seed, '--seed') ?? 1,
      engine: flags.engine,
      rate: readNumber(flags.rate, '--rate'),
      arrivals: readArrivals(flags.arrivals),
      stages: flags.stages === undefined ? undefined : load.parseStages(flags.stages),
      connections: readNumber(flags.connections, '--connections'),
      durationMs: duration(flags.duration, '--duration'),
      warmupMs: duration(flags.warmup, '--warmup'),
      timeoutMs: duration(flags.timeout, '--timeout'),
      workers: readNumber(flags.workers, '--workers'),
      mix: flags.mix === undefined ? undefined : load.parseMix(flags.mix),
      routes:
        flags.routes === undefined
          ? undefined
          : load.parseRoutes(await readTextFile(flags.routes, io.cwd), flags.routes),
      identity: flags.as,
      thresholds: (flags.threshold ?? []).map((text) => load.parseThreshold(text)),
      abortOn: (flags.abortOn ?? []).map((text) => load.parseThreshold(text, '--abort-on')),
      validateShare: readNumber(flags.validate, '--validate'),
      newConnections: flags.newConnections,
    },
    objective,
    runs: runs ?? (flags.against === undefined ? 1 : DEFAULT_PAIRS),
    marginPercent: readMargin(flags.margin),
  };
}

/** A flag replaces what the suite says; one that sets the model replaces all that sets the model. */
function overSuite(typed: LoadFlags, suite: LoadSuiteSettings): LoadFlags {
  const { rate, connections, workers, validate, seed, ...texts } = suite;
  const numbers = { rate, connections, workers, validate, seed };
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
async function readSuite(name: string, io: Io): Promise<LoadSuiteSettings> {
  const { loadSuiteSchema } = await import('../load/index.ts');
  const bundled = new URL(`../../suites/load-${name.replace(/^load-/, '')}.yaml`, import.meta.url);
  const isName = /^[\w-]+$/.test(name) && !existsSync(resolve(io.cwd, name));
  const path = isName && existsSync(bundled) ? fileURLToPath(bundled) : name;
  return (await readYamlFile(path, loadSuiteSchema, io)).load;
}

/**
 * Reads `--margin`, such as `5` or `5%`; undefined for none.
 *
 * @throws ConfigurationError `FLAG_NOT_NUMBER`
 */
export function readMargin(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?%?$/.test(text) && Number.parseFloat(text) > 0) return Number.parseFloat(text);
  throw new ConfigurationError('FLAG_NOT_NUMBER', `--margin: "${text}" is no percentage above 0.`);
}

function readCount(text: string | undefined, flag: string): number | undefined {
  const count = readNumber(text, flag);
  if (count === undefined || (Number.isInteger(count) && count > 0)) return count;
  throw new ConfigurationError('FLAG_NOT_NUMBER', `${flag}: give a whole number above 0.`);
}

function readNumber(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new ConfigurationError('FLAG_NOT_NUMBER', `${flag}: "${text}" is no number.`);
}

function readArrivals(text: string | undefined): 'constant' | 'poisson' | undefined {
  if (text === undefined || text === 'constant' || text === 'poisson') return text;
  throw new ConfigurationError(
    'ARRIVALS_UNKNOWN',
    `--arrivals: there is no "${text}"; write constant or poisson.`,
  );
}
