import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';

function fileOf(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...folders, '/usr/bin'].map((folder) => join(folder, name)).find(existsSync) ?? null;
}

/** Files of prometheus and promtool; null where they are not installed. */
export const PROMETHEUS: string | null = fileOf('prometheus');
export const PROMTOOL: string | null = fileOf('promtool');

export const HOW_TO_GET_PROMETHEUS =
  'prometheus is not installed, so metrics are not tested against it: apt-get install prometheus';

/** `.ci/run` sets it: there the tests must run. */
export const isPrometheusRequired: boolean = process.env['FAREPROOF_REQUIRE_PROMETHEUS'] === '1';

/** A test that hangs leaves no server behind. */
const LIMIT_MS = 120_000;

/** A Prometheus server of a test, on a port of its own. */
export interface Prometheus {
  /** Values of an instant query, by their labels without job and instance, joined with spaces. */
  query(expression: string): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/** Starts a Prometheus server that scrapes these addresses (`host:port`) ten times a second. */
export async function startPrometheus(targets: readonly string[]): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: '100ms', scrape_timeout: '100ms' },
      scrape_configs: [{ job_name: 'fareproof', static_configs: [{ targets }] }],
    }),
  );
  const port = await freePort();
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const child = spawn(PROMETHEUS!, [...flags, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  child.once('exit', () => clearTimeout(limit));
  await ready(child);
  return {
    query: async (expression) => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
      return valuesOf((await (await fetch(url)).json()) as QueryAnswer);
    },
    stop: async () => {
      if ((child.exitCode ?? child.signalCode) === null) {
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

interface QueryAnswer {
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

const OF_SCRAPING = ['__name__', 'job', 'instance'];

function valuesOf({ error, data }: QueryAnswer): Record<string, number> {
  if (data === undefined) throw new Error(error ?? 'no answer');
  return Object.fromEntries(
    data.result.map(({ metric, value }) => {
      const own = Object.entries(metric).filter(([label]) => !OF_SCRAPING.includes(label));
      return [own.map(([, text]) => text).join(' '), Number(value[1])];
    }),
  );
}

async function ready(child: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      if (log.includes('Server is ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`prometheus ended: ${log}`)));
  });
}
