import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** File of nats-server; null where it is not installed. */
export const NATS_SERVER: string | null =
  FOLDERS.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file)) ?? null;

export const HOW_TO_GET_NATS_SERVER =
  'nats-server is not installed, so agents over NATS are not tested: apt-get install nats-server';

/** `.ci/run` sets it: there the tests must run. */
export const isNatsRequired: boolean = process.env['FAREPROOF_REQUIRE_NATS'] === '1';

/** A test that hangs leaves no server behind. */
const LIMIT_MS = 120_000;

/** A NATS server of a test, on a port of its own. */
export interface NatsServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a NATS server with JetStream, and with lines of its configuration file. */
export async function startNatsServer(configuration = ''): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-nats-'));
  const file = join(folder, 'server.conf');
  const port = await freePort();
  writeFileSync(
    file,
    `listen: 127.0.0.1:${port}\njetstream { store_dir: "${folder}" }\n${configuration}\n`,
  );
  const child = await run(file);
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(file: string): Promise<ChildProcess> {
  const child = spawn(NATS_SERVER!, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  child.once('exit', () => clearTimeout(limit));
  await listening(child);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if ((child.exitCode ?? child.signalCode) !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function listening(child: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      if (log.includes('Server is ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`nats-server ended: ${log}`)));
  });
}
