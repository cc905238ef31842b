import { Option } from 'commander';
import { ENGINE_NAMES, type EngineName } from '../../../load/engine/names.ts';
import { repeatable } from '../../flags/repeatable.ts';

/** Flags of `load` as commander hands them over; a suite sets the same, some as numbers. */
export interface LoadFlags {
  target?: string;
  against?: string;
  suite?: string;
  rate?: string | number;
  arrivals?: 'constant' | 'poisson';
  stages?: string;
  connections?: string | number;
  duration?: string;
  warmup?: string;
  timeout?: string;
  acceptLateness?: string;
  workers?: string | number;
  agents?: string;
  via?: string;
  joinTimeout?: string;
  onLost?: 'finish' | 'stop';
  mix?: string;
  routes?: string;
  as?: 'platform' | 'user';
  threshold?: string[];
  abortOn?: string[];
  findMax?: string;
  validate?: string;
  newConnections?: boolean;
  engine?: EngineName;
  seed?: string | number;
  runs?: string;
  margin?: string;
  ledger?: string;
  serviceRestarted?: true;
  iMayLoadThisTarget?: true;
  export?: string;
  otlp?: string;
  live?: true;
  json?: true;
  out?: string;
}

const option = (flags: string, description: string): Option => new Option(flags, description);

const group = (heading: string, options: readonly Option[]): readonly Option[] =>
  options.map((one) => one.helpGroup(heading));

/** The options of `load`, in the groups of its help. */
export const LOAD_OPTIONS: readonly Option[] = [
  ...group('Target:', [
    option(
      '--target <profile|url>',
      'target profile, or an address as for check (default: the embedded reference server)',
    ),
    option('--suite <name|file>', 'smoke, steady, ramp, spike, soak, find-max, or a file'),
    option(
      '--ledger <file>',
      "ledger of spent allowances (default: in the user's state directory)",
    ),
    option(
      '--service-restarted',
      'the service is your own and was restarted: it has no memory of earlier runs',
    ),
    option('--i-may-load-this-target', 'required unless the target is on loopback'),
    option('--timeout <time>', 'timeout of one request (default 5s)'),
  ]),
  ...group('Load:', [
    option(
      '--rate <n>',
      'open model: requests per second; with --find-max: first rate (default 200)',
    ),
    option(
      '--arrivals <kind>',
      'open model: distribution of the planned times (default constant)',
    ).choices(['constant', 'poisson']),
    option('--stages <list>', 'open model in stages: 1000/10s,5000/30s; a ramp: 0-5000/30s'),
    option(
      '--connections <n>',
      'closed model: connections in use (default 10); open model: maximum (default 256)',
    ),
    option('--duration <time>', 'measured window, without the warm-up (default 10s)'),
    option('--warmup <time>', 'load before the measured window (default 1s)'),
    option('--new-connections', 'open a new connection for each request'),
  ]),
  ...group('Requests:', [
    option(
      '--mix <weights>',
      'weights of the kinds of estimates: plain=8,express=1,carpoolSeats=1 (default: those of the profile, alike)',
    ),
    option(
      '--routes <file>',
      'routes from a CSV file, a HAR file or an access log (default: random ones)',
    ),
    option('--as <identity>', 'kind of token to use (default platform)').choices([
      'platform',
      'user',
    ]),
    option(
      '--validate <share>',
      'share of the responses whose shape is checked: 0.5 or 50%; 0 for none (default 1%)',
    ),
    option('--seed <n>', 'seed of the requests; the same seed sends the same requests (default 1)'),
  ]),
  ...group('Verdict:', [
    repeatable(
      '--threshold <expression>',
      "bound on p50, p99.9, max, service.p99, rate, errors ...: 'p99<20ms'; of a shape or stage: 'p99{express}<30ms', 'p99{stage:2}<30ms' (default 'errors<1%')",
    ),
    repeatable('--abort-on <expression>', "end the run early once this is true: 'errors>5%'"),
    option(
      '--find-max <objective>',
      "find the highest rate that meets this objective: 'p99<20ms,errors<0.1%'",
    ),
    option(
      '--runs <n>',
      'number of runs, each with its own document (default 1; with --against: 10 pairs)',
    ),
    option(
      '--accept-lateness <time>',
      'open model: accept a send lag p99 up to this: everything is judged, and the report shows it (default: only bounds on response time that held)',
    ),
    option(
      '--against <profile>',
      'compare the target with this base, in interleaved pairs of runs',
    ),
    option(
      '--margin <percent>',
      'with --against: sides that differ by up to this are equivalent (default 5)',
    ),
  ]),
  ...group('Generators:', [
    option('--engine <name>', 'engine that sends the requests (default native)').choices(
      ENGINE_NAMES,
    ),
    option('--workers <n>', 'generator threads; with --agents, of each agent (default 1)'),
    option('--agents <n>', 'run the generators in this many processes of their own'),
    option(
      '--via <url>',
      'with --agents: wait for agents of other machines on this NATS server: nats://host:4222/group, or tls://',
    ),
    option('--join-timeout <time>', 'with --via: time for the agents to join (default 60s)'),
    option(
      '--on-lost <what>',
      'with --agents: what the others do once one is lost; the run is invalid either way (default finish)',
    ).choices(['finish', 'stop']),
  ]),
  ...group('Output:', [
    option(
      '--export <formats>',
      'write the figures for other tools too: hgrm, csv, jsonl, prometheus; several with commas',
    ),
    option(
      '--otlp <url>',
      'send metrics to an OpenTelemetry collector each second, by OTLP over HTTP: http://127.0.0.1:4318',
    ),
    option('--live', 'show the run on a page on loopback while it runs'),
    option('--json', 'print the run document to stdout and nothing else'),
    option('--out <dir>', "folder for the run's files (default reports/load-<time>/)"),
  ]),
];
