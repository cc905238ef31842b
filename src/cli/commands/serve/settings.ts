import { availableParallelism } from 'node:os';
import { readTextFile } from '../../../app/files/text.ts';
import { TOOL } from '../../../app/tool.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { type FaultId, SERVER_OPTIONS, type ServerOptions } from '../../../server/index.ts';
import { readDuration, readNumber, readPort } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { type MetricsFlags, readMetricsPort } from '../../metrics/flags.ts';

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

/**
 * Reads the flags of `serve`, and the files that they name, into options of the server.
 *
 * @throws ConfigurationError that names the flag, or the file, line and field
 */
export async function readServeSettings(flags: ServeFlags, io: Io): Promise<ServerOptions> {
  return {
    port: readPort(flags.port, 'port'),
    host: flags.host,
    controlPort: readPort(flags.controlPort, 'controlPort'),
    // An empty variable counts as unset.
    controlToken: io.env['FAREPROOF_CONTROL_TOKEN'] || undefined,
    environment: flags.environment,
    ...(await readFiles(flags, io)),
    expiresInSeconds: readDuration(
      flags.expiresIn,
      'expiresIn',
      SERVER_OPTIONS.expiresInSeconds,
      's',
    ),
    tls: await readTls(flags, io),
    faults: flags.fault as FaultId[],
    seed: readNumber(flags.seed, 'seed', SERVER_OPTIONS.seed),
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
  return readNumber(text, 'workers', SERVER_OPTIONS.workers);
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
