import { ConfigurationError, type Wording } from '../interface/errors.ts';
import { type OptionValues, TIMEOUT } from '../interface/options.ts';

/**
 * An option of `load`, as data. From these rows come the flags and their help, the schema of suites, the
 * type {@link LoadOptions}, the defaults, and the table in docs/load.md.
 */
export interface OptionRow extends OptionValues {
  /** Heading in the help. */
  readonly group: string;
  readonly kind: keyof ValueOfKind;
  /** True for an option that many loads use: `load --help` lists these, and `load --help-all` all. */
  readonly common?: true;
  /** True for an option of the run itself, which suites and the library take too. */
  readonly ofRun?: true;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly default?: string | number;
  /** Default in words, where it depends on other options. */
  readonly absent?: string;
  /** Options that conflict with this one. */
  readonly conflicts?: readonly string[];
  /** Options of which one has to be given with this one. */
  readonly needs?: readonly string[];
}

/** Types of the values of each kind. */
export interface ValueOfKind {
  text: string;
  /** Several texts; the flag may be repeated. */
  texts: readonly string[];
  number: number;
  integer: number;
  /** Such as `500ms`; a number without a unit is in seconds. */
  duration: string;
  /** Such as `0.5` or `50%`. */
  share: string | number;
  /** Such as `5` or `5%`. */
  percent: string | number;
  switch: boolean;
}

/** Connections of the closed model, and the most of the open model, by default. */
export const CONNECTIONS = { closed: 10, open: 256 } as const;
/** Requests per second, far beyond any generator here. */
export const MOST_RATE = 10_000_000;
/** Pairs of a comparison, by default. */
export const PAIRS = 10;
/** First rate of a search, by default. */
export const FIRST_RATE = 200;

/** The options of `load`, in the order of its help. */
const LOAD_OPTIONS = {
  target: {
    group: 'Target',
    kind: 'text',
    common: true,
    value: 'profile|url',
    help: 'target profile, or an address as for check',
    absent: 'the embedded reference server',
  },
  suite: {
    group: 'Target',
    kind: 'text',
    common: true,
    value: 'name|file',
    help: 'smoke, steady, ramp, spike, soak, find-max, or a file',
  },
  ledger: {
    group: 'Target',
    kind: 'text',
    value: 'file',
    help: 'ledger of spent allowances',
    absent: "in the user's state directory",
  },
  serviceRestarted: {
    group: 'Target',
    kind: 'switch',
    help: 'the service is your own and was restarted: it has no memory of earlier runs',
  },
  iMayLoadThisTarget: {
    group: 'Target',
    kind: 'switch',
    common: true,
    help: 'required unless the target is on loopback',
  },
  timeout: {
    group: 'Target',
    ...TIMEOUT,
    ofRun: true,
    help: 'timeout of one request',
    default: '5s',
  },
  rate: {
    group: 'Load',
    kind: 'number',
    common: true,
    ofRun: true,
    above: 0,
    max: MOST_RATE,
    unit: 'requests per second',
    help: 'open model: requests per second',
    conflicts: ['stages'],
  },
  arrivals: {
    group: 'Load',
    kind: 'text',
    ofRun: true,
    value: 'kind',
    choices: ['constant', 'poisson'],
    help: 'open model: distribution of the planned times',
    default: 'constant',
    needs: ['rate', 'stages', 'findMax'],
  },
  stages: {
    group: 'Load',
    kind: 'text',
    common: true,
    ofRun: true,
    value: 'list',
    help: 'open model in stages: 1000/10s,5000/30s; a ramp: 0-5000/30s',
    conflicts: ['rate', 'duration'],
  },
  connections: {
    group: 'Load',
    kind: 'integer',
    common: true,
    ofRun: true,
    min: 1,
    // Ports of one address; each connection takes one.
    max: 65_535,
    help: `closed model: connections in use (default ${CONNECTIONS.closed}); open model: maximum (default ${CONNECTIONS.open})`,
  },
  duration: {
    group: 'Load',
    kind: 'duration',
    common: true,
    ofRun: true,
    above: 0,
    help: 'measured window, without the warm-up',
    default: '10s',
  },
  warmup: {
    group: 'Load',
    kind: 'duration',
    ofRun: true,
    help: 'load before the measured window',
    default: '1s',
  },
  newConnections: {
    group: 'Load',
    kind: 'switch',
    ofRun: true,
    help: 'open a new connection for each request',
  },
  mix: {
    group: 'Requests',
    kind: 'text',
    common: true,
    ofRun: true,
    value: 'weights',
    help: 'weights of the kinds of estimates: plain=8,express=1,carpoolSeats=1',
    absent: 'all shapes of the profile, equal weights',
  },
  routes: {
    group: 'Requests',
    kind: 'text',
    ofRun: true,
    value: 'file',
    help: 'routes from a CSV file, a HAR file or an access log',
    absent: 'random ones',
  },
  as: {
    group: 'Requests',
    kind: 'text',
    ofRun: true,
    value: 'identity',
    choices: ['platform', 'user'],
    help: 'kind of token to use',
    default: 'platform',
  },
  validate: {
    group: 'Requests',
    kind: 'share',
    ofRun: true,
    help: 'share of the responses whose shape is checked: 0.5 or 50%; 0 for none',
    absent: '1%, where the engine can',
  },
  seed: {
    group: 'Requests',
    kind: 'integer',
    ofRun: true,
    min: 0,
    help: 'seed of the requests; the same seed sends the same requests',
    default: 1,
  },
  threshold: {
    group: 'Verdict',
    kind: 'texts',
    common: true,
    ofRun: true,
    value: 'expression',
    help: "bound on p50, p99.9, max, service.p99, rate, errors ...: 'p99<20ms'; of a shape or stage: 'p99{express}<30ms', 'p99{stage:2}<30ms'",
    absent: "'errors<1%'",
    conflicts: ['findMax'],
  },
  abortOn: {
    group: 'Verdict',
    kind: 'texts',
    ofRun: true,
    value: 'expression',
    help: "end the run early once this is true: 'errors>5%'",
  },
  findMax: {
    group: 'Verdict',
    kind: 'text',
    common: true,
    ofRun: true,
    value: 'objective',
    help: `find the highest rate that meets this objective: 'p99<20ms,errors<0.1%'; begins at the given rate, or at ${FIRST_RATE}`,
    conflicts: ['stages', 'threshold', 'runs', 'against', 'export'],
  },
  runs: {
    group: 'Verdict',
    kind: 'integer',
    min: 1,
    help: `number of runs, each with its own document (default 1; of a comparison: ${PAIRS} pairs)`,
  },
  against: {
    group: 'Verdict',
    kind: 'text',
    common: true,
    value: 'profile',
    help: 'compare the target with this base, in interleaved pairs of runs',
  },
  margin: {
    group: 'Verdict',
    kind: 'percent',
    above: 0,
    help: 'sides that differ by up to this are equivalent',
    absent: '5',
    needs: ['against'],
  },
  engine: {
    group: 'Generators',
    kind: 'text',
    ofRun: true,
    value: 'name',
    choices: ['native', 'autocannon'],
    help: 'engine that sends the requests',
    default: 'native',
  },
  workers: {
    group: 'Generators',
    kind: 'integer',
    common: true,
    ofRun: true,
    min: 1,
    // Beyond this, a share of the schedule is not worth a thread.
    max: 64,
    help: 'generator threads; where there are agents or parts, of each of them',
    default: 1,
  },
  agents: {
    group: 'Generators',
    kind: 'integer',
    min: 1,
    max: 64,
    help: 'run the generators in this many processes of their own',
  },
  via: {
    group: 'Generators',
    kind: 'text',
    value: 'url',
    help: 'wait for agents of other machines on this NATS server: nats://host:4222/group, or tls://',
    needs: ['agents'],
  },
  joinTimeout: {
    group: 'Generators',
    ...TIMEOUT,
    help: 'time for the agents to join',
    default: '60s',
    needs: ['via'],
  },
  onLost: {
    group: 'Generators',
    kind: 'text',
    value: 'what',
    choices: ['finish', 'stop'],
    help: 'what the other agents do once one is lost; the run is invalid either way',
    default: 'finish',
    needs: ['agents'],
  },
  part: {
    group: 'Generators',
    kind: 'text',
    value: 'k/n',
    help: 'run this part of the load, and other processes the others: 1/4; the merged report judges the load',
    conflicts: ['agents', 'abortOn', 'findMax', 'runs', 'against'],
    needs: ['startAt'],
  },
  startAt: {
    group: 'Generators',
    kind: 'text',
    value: 'time',
    help: 'start of all parts: 2026-01-31T12:00:00Z',
    needs: ['part'],
  },
  export: {
    group: 'Output',
    kind: 'text',
    value: 'formats',
    help: 'write the figures for other tools too: hgrm, csv, jsonl, prometheus; several with commas',
  },
  otlp: {
    group: 'Output',
    kind: 'text',
    value: 'url',
    help: 'send metrics to an OpenTelemetry collector each second, by OTLP over HTTP: http://127.0.0.1:4318',
  },
  label: {
    group: 'Output',
    kind: 'text',
    value: 'name',
    help: 'name of the build in the document, for trends and histories',
  },
  live: {
    group: 'Output',
    kind: 'switch',
    common: true,
    help: 'show the run on a page on loopback while it runs',
  },
  json: {
    group: 'Output',
    kind: 'switch',
    common: true,
    help: 'print the run document to stdout and nothing else',
  },
  out: {
    group: 'Output',
    kind: 'text',
    common: true,
    value: 'dir',
    help: "folder for the run's files",
    absent: 'reports/load-<time>/',
  },
} as const satisfies Record<string, OptionRow>;

type Rows = typeof LOAD_OPTIONS;

/** Name of an option: that of its flag, in camel case. */
export type OptionName = keyof Rows;

type ValueOf<Row extends OptionRow> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : ValueOfKind[Row['kind']];

/** Names of the options of a run. */
export type RunOptionName = {
  [Name in OptionName]: Rows[Name] extends { ofRun: true } ? Name : never;
}[OptionName];

/** Options of a load run, as data: flags, suites and the library give the same. */
export type LoadOptions = {
  readonly [Name in RunOptionName]?: ValueOf<Rows[Name]> | undefined;
};

/** All options of `load`, as its flags give them. */
export type LoadFlags = { readonly [Name in OptionName]?: ValueOf<Rows[Name]> };

type DefaultedName = {
  [Name in OptionName]: Rows[Name] extends { default: string | number } ? Name : never;
}[OptionName];

/** The options that have a default, where they are not given. */
export type Defaulted = { readonly [Name in DefaultedName]: ValueOf<Rows[Name]> };

/** The same rows, for what is true of each of them. */
export const OPTION_ROWS: Readonly<Record<OptionName, OptionRow>> = LOAD_OPTIONS;

/** Names of all options. */
export const OPTION_NAMES = Object.keys(LOAD_OPTIONS) as readonly OptionName[];

/** Names of the engines, the default first. */
export const ENGINE_NAMES = LOAD_OPTIONS.engine.choices;

/** Name of an engine. */
export type EngineName = (typeof ENGINE_NAMES)[number];

/** Distribution of the planned times in the open model: even, or as from independent callers. */
export type Arrivals = (typeof LOAD_OPTIONS.arrivals.choices)[number];

/** Token type of the estimate requests (interface.md, "Authentication"). */
export type LoadIdentity = (typeof LOAD_OPTIONS.as.choices)[number];

/** Names of the options of a run. */
export const RUN_OPTION_NAMES = OPTION_NAMES.filter(
  (name): name is RunOptionName => OPTION_ROWS[name].ofRun ?? false,
);

/** The options of a run among those of the command. */
export function runOptionsOf(flags: LoadFlags | LoadOptions): LoadOptions {
  const given = RUN_OPTION_NAMES.map((name) => [name, flags[name]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Adds the defaults of those that are not given. */
export function withDefaults<T extends LoadFlags | LoadOptions>(options: T): T & Defaulted {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const defaults = OPTION_NAMES.map((name) => [name, OPTION_ROWS[name].default]);
  return Object.fromEntries([...defaults, ...given]) as T & Defaulted;
}

/**
 * Refuses options that cannot be given together, and one whose companion is missing.
 *
 * @throws ConfigurationError `LOAD_OPTIONS_INVALID`
 */
export function refuseConflicts(given: LoadFlags | LoadOptions): void {
  const isGiven = (name: string): boolean => (given as LoadFlags)[name as OptionName] !== undefined;
  for (const field of OPTION_NAMES.filter(isGiven)) {
    const { conflicts = [], needs = [], default: usual } = OPTION_ROWS[field];
    const other = conflicts.find(isGiven);
    if (other !== undefined) {
      const problem: Wording = (name) => `conflicts with ${name(other)}; leave one of them out.`;
      throw new ConfigurationError('LOAD_OPTIONS_INVALID', problem, { field });
    }
    if (needs.length === 0 || (given as LoadFlags)[field] === usual || needs.some(isGiven))
      continue;
    const problem: Wording = (name) => `requires ${needs.map(name).join(' or ')}.`;
    throw new ConfigurationError('LOAD_OPTIONS_INVALID', problem, { field });
  }
}
