import { availableParallelism } from 'node:os';
import { ConfigurationError } from '../../../interface/errors.ts';
import { suggest } from '../../../interface/suggestion.ts';
import type { FaultId, ServerOptions } from '../../../server/index.ts';
import { readTextFile } from '../../files/text.ts';
import { readDuration, readInteger } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { type MetricsFlags, readMetricsPort } from '../../metrics/flags.ts';
import { TOOL } from '../../tool.ts';

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
export async function readServeSettings(flags: ServeFlags, io: Io): Promise<ServerOptions> {
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
  const { readBehaviourFile, readPartnersFile } = await import('./files.ts');
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
