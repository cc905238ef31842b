// @module-tag long
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { LoadDocument } from '../../../src/documents/load.ts';
import { type FakeTarget, startFakeTarget } from '../../load/fake-target.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../../support/nats-server.ts';
import {
  HOW_TO_GET_PROMETHEUS,
  isPrometheusRequired,
  PROMETHEUS,
  type Prometheus,
  startPrometheus,
} from '../../support/prometheus.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

if (PROMETHEUS === null) console.warn(`\n!!! ${HOW_TO_GET_PROMETHEUS}\n`);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Scraped {
  /** `host:port` of its metrics. */
  readonly address: string;
  readonly stdout: () => string;
}

/** Runs a command in this process until the test ends, and waits until it serves metrics. */
async function running(...args: readonly string[]): Promise<Scraped> {
  const stop = new AbortController();
  let stdout = '';
  const address = new Promise<string>((resolve, reject) => {
    const outcome = runCaptured([...args, '--metrics', '0'], {
      interruption: stop.signal,
      onStdout: (text) => (stdout += text),
      onStderr: (text) => {
        const url = /^metrics: (\S+)/m.exec(text)?.[1];
        if (url !== undefined) resolve(new URL(url).host);
      },
    });
    outcome.then(({ stderr }) => reject(new Error(stderr)), reject);
    closing.push(async () => {
      stop.abort();
      await outcome;
    });
  });
  return { address: await address, stdout: () => stdout };
}

const started = async <T extends Prometheus | NatsServer>(starting: Promise<T>): Promise<T> => {
  const one = await starting;
  closing.push(() => one.stop());
  return one;
};

const eventually = (assertion: () => Promise<void>): Promise<void> =>
  vi.waitFor(assertion, { timeout: 60_000, interval: 20 });

describe('metrics', () => {
  it('are tested where they must be', () => {
    expect(isPrometheusRequired && PROMETHEUS === null).toBe(false);
  });

  it.runIf(PROMETHEUS !== null && NATS_SERVER !== null)(
    'of serve and agent are scraped by Prometheus',
    async () => {
      const nats = await started(startNatsServer());
      const [serve, agent] = await Promise.all([
        running('serve', '--port', '0', '--json'),
        running('agent', '--join', nats.url, '--name', 'one'),
      ]);
      const prometheus = await started(startPrometheus([serve.address, agent.address]));
      const { query } = prometheus;
      const { baseUrl } = JSON.parse(serve.stdout()) as { baseUrl: string };
      for (const path of ['/healthz', '/healthz', '/nothing']) await fetch(baseUrl + path);
      const target: FakeTarget = await startFakeTarget();
      closing.push(() => target.close());
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, 'target.yaml'), stringify(target.profile));
      const plan = ['--rate', '100', '--duration', '300ms', '--warmup', '0', '--json'];
      const via = ['--agents', '1', '--via', nats.url, '--target', 'target.yaml'];
      const { stdout } = await runCaptured(['load', ...via, ...plan], { cwd });
      const { achieved } = JSON.parse(stdout) as LoadDocument;
      expect(achieved.planned).toBe(30);
      await eventually(async () => {
        expect(await query('count(up == 1)')).toEqual({ '': 2 });
        expect(await query('fareproof_http_requests_total')).toEqual({
          'health 200': 2,
          'other 404': 1,
        });
        expect(await query('fareproof_agent_requests_total')).toEqual({
          ok: achieved.ok,
          failed: achieved.failed,
        });
        expect(await query('fareproof_agent_running')).toEqual({ '': 0 });
        // A scrape that takes too long has no values: these too may come later.
        const p99 =
          'histogram_quantile(0.99, fareproof_agent_response_duration_seconds_bucket{outcome="ok"})';
        expect((await query(p99))['ok']).toBeGreaterThan(0);
        const count = await query('sum(fareproof_agent_response_duration_seconds_count)');
        expect(count).toEqual({ '': achieved.sent });
      });
    },
  );
});
