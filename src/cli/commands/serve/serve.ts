import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readTextFile } from '../../../app/files/text.ts';
import { writeSecretFile, writing } from '../../../app/files/write.ts';
import { signatureExplainer } from '../../../app/serve/signature-explainer.ts';
import { untilAborted } from '../../../app/surroundings.ts';
import { TOOL } from '../../../app/tool.ts';
import { checkPairs } from '../../../conformance/client/signature/check-signature.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import type { LivePage, LiveSubject } from '../../../report/index.ts';
import {
  describeProfile,
  type FaultId,
  type MetricsEndpoint,
  preferShortPauses,
  type RunningServer,
  type ServerMetrics,
  type ServerOptions,
  startServer,
  TrafficMonitor,
} from '../../../server/index.ts';
import { readDuration, readInteger } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { type MetricsFlags, readMetricsPort } from '../../metrics/flags.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { openLivePage } from '../../output/live-page.ts';
import { describeServer, greet } from './greeting.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/**
 * Runs the reference server until interrupted.
 *
 * @throws ConfigurationError for flags and files that cannot be used, as {@link readServeSettings}
 */
export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  preferShortPauses();
  const settings = await readServeSettings(flags, io);
  const { partners, tls, controlToken } = settings;
  if (partners || tls) await io.secrets.addProfile({ partners, tls });
  await io.secrets.add('control_token', controlToken);
  if (!LOOPBACK.test(flags.host)) {
    io.note(`warning: ${flags.host} is not loopback; anyone who can reach it can use this server.`);
  }
  for (const id of settings.faults ?? []) {
    const [rule, form] = id.split('#');
    const how = form === undefined ? '' : ` (${id})`;
    io.note(`warning: the rule ${rule} is broken on purpose${how}.`);
  }
  const interruption = AbortSignal.any([io.interruption(), readerLost(io)]);
  const traffic = flags.live ? new TrafficMonitor(() => performance.now()) : undefined;
  const accessLog = accessLogOf(flags, io);
  const server = await startServer({
    ...settings,
    accessLog,
    interceptor: traffic,
    explainSignature: signatureExplainer(checkPairs, () => performance.now()),
  });
  if (server.singleBecause !== null) io.note(oneWorkerWords(server.singleBecause));
  let page: LivePage | null = null;
  let metrics: MetricsEndpoint | null = null;
  try {
    if (server.metrics !== null) metrics = await openMetrics(flags, server.metrics, io);
    const opened = await openLivePage(flags, subjectOf(server, flags), io);
    page = opened;
    traffic?.start((event) => opened?.publish(event), server.partners);
    if (flags.writeProfile) await writeProfile(flags.writeProfile, server, flags.cert, io);
    const isTokenChosen = settings.controlToken !== undefined;
    const words = flags.json
      ? describeServer(server, metrics?.url, flags.partners)
      : greet(server, flags, isTokenChosen);
    // Not by print: it shows the demo partner and the token of the control API on purpose.
    io.stdout.write(`${words}\n`);
    await untilAborted(interruption);
    io.note('Stopping once the requests in flight are answered.');
  } finally {
    traffic?.stop();
    await Promise.all([page?.close(), metrics?.close(), server.close()]);
  }
  io.exit(EXIT.passed);
}

/** Aborts once stdout or stderr has no reader left: what started this server is gone. */
function readerLost({ stdout, stderr }: Io): AbortSignal {
  const lost = new AbortController();
  for (const stream of [stdout, stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EPIPE') lost.abort();
    });
  return lost.signal;
}

/** Flags of the options that need one worker; the others are gaps. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  interceptor: '--live',
  faults: '--fault',
};

function oneWorkerWords(option: string): string {
  const what = FLAG_OF_OPTION[option] ?? `the gap ${option}`;
  return `warning: one worker, not as many as --workers says: ${what} is not shared between processes.`;
}

async function openMetrics(
  flags: MetricsFlags,
  read: () => Promise<ServerMetrics>,
  io: Io,
): Promise<MetricsEndpoint | null> {
  const { openMetrics: open } = await import('../../metrics/prometheus.ts');
  const { serverMetrics } = await import('../../metrics/server-metrics.ts');
  return open(flags, async () => serverMetrics(await read()), io);
}

function accessLogOf({ accessLog }: ServeFlags, io: Io): ServerOptions['accessLog'] {
  if (!accessLog) return undefined;
  return ({ at, remoteAddress, method, path, status, durationMs, rule }) => {
    const refusedBy = rule === undefined ? '' : ` ${rule}`;
    io.note(`${at} ${remoteAddress} ${method} ${path} ${status} ${durationMs}ms${refusedBy}`);
  };
}

function subjectOf({ baseUrl, environment }: RunningServer, { fault }: ServeFlags): LiveSubject {
  return {
    kind: 'serve',
    title: 'The reference server',
    state: 'Serving',
    facts: [
      ['Listens on', baseUrl],
      ['Environment', environment],
      ...(fault.length === 0 ? [] : ([['Broken on purpose', fault.join(', ')]] as const)),
    ],
  };
}

/**
 * Writes the profile of a running server; only its owner may read it, since it holds signing keys and
 * the token of the control API. A token from the environment stays there.
 *
 * @param certPath the server's own certificate, which the profile trusts; undefined without TLS
 * @throws ConfigurationError `PROFILE_NOT_WRITTEN`
 */
async function writeProfile(
  path: string,
  server: RunningServer,
  certPath: string | undefined,
  io: Io,
): Promise<void> {
  const profile = describeProfile(server);
  const chosenToken = io.env['FAREPROOF_CONTROL_TOKEN'];
  if (profile.control !== undefined && profile.control.token === chosenToken) {
    profile.control.token = '${FAREPROOF_CONTROL_TOKEN}';
  }
  if (certPath !== undefined) profile.ca = resolve(io.cwd, certPath);
  const { stringify } = await import('yaml');
  const text = `# The reference server of "fareproof serve"; valid while that server runs.\n${stringify(profile)}`;
  const failure = { code: 'PROFILE_NOT_WRITTEN', place: path, option: 'writeProfile' };
  await writing(failure, () => writeSecretFile(resolve(io.cwd, path), text));
}

/** Flags of `serve` as commander parses them. */
export interface ServeFlags extends MetricsFlags {
  port: string;
  host: string;
  controlPort?: string;
  environment: 'production' | 'test';
  partners?: string;
  behaviour?: string;
  expiresIn?: string;
  cert?: string;
  key?: string;
  accessLog?: true;
  fault: string[];
  listFaults?: true;
  seed?: string;
  workers?: string;
  fastPath: boolean;
  sharedReadBuffer: boolean;
  writeProfile?: string;
  live?: true;
  json?: true;
}

const MAX_PORT = 65_535;
const MAX_WORKERS = 256;
/** Ten years, in seconds. */
const MAX_EXPIRES_IN = 10 * 366 * 86_400;

/**
 * Reads the flags of `serve`, and the files that they name, into options of the server.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
async function readServeSettings(flags: ServeFlags, io: Io): Promise<ServerOptions> {
  return {
    port: readInteger(flags.port, 'port', { min: 0, max: MAX_PORT }),
    host: flags.host,
    controlPort: readInteger(flags.controlPort, 'controlPort', { min: 0, max: MAX_PORT }),
    // An empty variable counts as unset.
    controlToken: io.env['FAREPROOF_CONTROL_TOKEN'] || undefined,
    environment: flags.environment,
    ...(await readFiles(flags, io)),
    expiresInSeconds: readDuration(flags.expiresIn, 'expiresIn', {
      unit: 's',
      min: 1,
      max: MAX_EXPIRES_IN,
    }),
    tls: await readTls(flags, io),
    faults: await readFaults(flags.fault),
    seed: readInteger(flags.seed, 'seed', { min: 0, max: 2 ** 32 - 1 }),
    workers: readWorkers(flags.workers),
    fastPath: flags.fastPath,
    sharedReadBuffer: flags.sharedReadBuffer,
    metrics: readMetricsPort(flags) !== null,
    version: TOOL.version,
  };
}

async function readFiles(
  { partners, behaviour }: ServeFlags,
  io: Io,
): Promise<Pick<ServerOptions, 'partners' | 'behaviour'>> {
  if (!partners && !behaviour) return {};
  // Loads YAML and zod, which most starts do without.
  const { readBehaviourFile, readPartnersFile } = await import('../../../app/serve/files.ts');
  return {
    partners: partners ? await readPartnersFile(partners, io) : undefined,
    behaviour: behaviour ? await readBehaviourFile(behaviour, io) : undefined,
  };
}

function readWorkers(text: string | undefined): number | undefined {
  if (text === 'auto') return availableParallelism();
  return readInteger(text, 'workers', { min: 1, max: MAX_WORKERS });
}

async function readTls({ cert, key }: ServeFlags, io: Io): Promise<ServerOptions['tls']> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new ConfigurationError(
      'TLS_INCOMPLETE',
      '--cert and --key go together; give the certificate and its private key.',
    );
  }
  return { cert: await readTextFile(cert, io.cwd), key: await readTextFile(key, io.cwd) };
}

/** The faults by their names, with a suggestion for one that is not known. */
async function readFaults(names: readonly string[]): Promise<FaultId[]> {
  if (names.length === 0) return [];
  const { FAULTS } = await import('../../../server/index.ts');
  return names.map((name) => {
    const known = FAULTS.find(({ id }) => id === name);
    if (known !== undefined) return known.id;
    const ids = FAULTS.map(({ id }) => id);
    const hint = suggest(name, ids, 'see --list-faults.');
    throw new ConfigurationError('FAULT_UNKNOWN', `--fault: there is no fault "${name}"; ${hint}`);
  });
}
