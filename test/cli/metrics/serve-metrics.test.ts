import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/output/exit-codes.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { sendRaw } from '../../support/raw-socket.ts';

interface Said {
  readonly baseUrl: string;
  readonly metricsUrl?: string;
}

/** Runs `serve --json`, and acts once it listens. */
async function serving(
  args: readonly string[],
  act: (said: Said) => Promise<void>,
): Promise<{ exitCode: number; stderr: string }> {
  const stop = new AbortController();
  let acting: Promise<void> | undefined;
  const outcome = await runCaptured(['serve', '--port', '0', '--json', ...args], {
    interruption: stop.signal,
    onStdout: (line) => {
      acting = act(JSON.parse(line) as Said).finally(() => stop.abort('SIGTERM'));
    },
  });
  await acting;
  return outcome;
}

describe('fareproof serve --metrics', () => {
  it('serves metrics on a port of their own, and prints its address', async () => {
    const { exitCode, stderr } = await serving(
      ['--metrics', '0'],
      async ({ baseUrl, metricsUrl }) => {
        expect((await fetch(`${baseUrl}/metrics`)).status).toBe(404);
        const response = await fetch(metricsUrl!);
        expect(response.headers.get('content-type')).toBe(
          'text/plain; version=0.0.4; charset=utf-8',
        );
        const text = await response.text();
        expect(text).toContain(
          '\nfareproof_http_requests_total{endpoint="other",status="404"} 1\n',
        );
        expect(text).toContain('\nfareproof_partners 4\n');
        expect(text).toMatch(/\nnodejs_eventloop_lag_p99_seconds \d/);
        expect(text).toMatch(/\nfareproof_event_loop_active_seconds_total \d/);
      },
    );
    expect(exitCode).toBe(EXIT.passed);
    expect(stderr).toMatch(/^metrics: http:\/\/127\.0\.0\.1:\d+\/metrics\n/);
  });

  it('refuses other paths and methods, other hosts, and web pages', async () => {
    await serving(['--metrics', '0'], async ({ metricsUrl = '' }) => {
      const { port } = new URL(metricsUrl);
      const statusOf = async (head: string): Promise<number | undefined> =>
        (await sendRaw(Number(port), `${head}\r\n\r\n`, { answers: 1 })).statuses[0];
      const own = `Host: 127.0.0.1:${port}`;
      expect(await statusOf(`GET /metrics HTTP/1.1\r\n${own}`)).toBe(200);
      expect(await statusOf(`GET / HTTP/1.1\r\n${own}`)).toBe(404);
      expect(await statusOf(`POST /metrics HTTP/1.1\r\n${own}\r\nContent-Length: 0`)).toBe(405);
      expect(await statusOf('GET /metrics HTTP/1.1\r\nHost: rebound.example')).toBe(421);
      const page = 'Origin: https://page.example';
      expect(await statusOf(`GET /metrics HTTP/1.1\r\n${own}\r\n${page}`)).toBe(403);
    });
  });

  it('serves none without the flag', async () => {
    const { stderr } = await serving([], async ({ metricsUrl }) => {
      expect(metricsUrl).toBeUndefined();
    });
    expect(stderr).not.toContain('metrics');
  });

  it('warns of an address beyond loopback, where scrapers choose the name', async () => {
    const flags = ['--metrics', '0', '--metrics-host', '0.0.0.0'];
    const { stderr } = await serving(flags, async ({ metricsUrl = '' }) => {
      const head = 'GET /metrics HTTP/1.1\r\nHost: serve.cluster.example\r\n\r\n';
      const { port } = new URL(metricsUrl);
      expect((await sendRaw(Number(port), head, { answers: 1 })).statuses).toEqual([200]);
    });
    expect(stderr).toContain(
      '0.0.0.0 is not loopback; anyone who can reach it can read the metrics',
    );
  });

  it.each([
    [['--metrics', 'x'], '--metrics'],
    [['--metrics-host', '127.0.0.1'], 'METRICS_HOST_ALONE'],
  ])('refuses %j', async (flags, words) => {
    const { exitCode, stderr } = await runCaptured(['serve', '--port', '0', ...flags]);
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining(words)]);
  });

  it('stops the server where the port of the metrics is in use', async () => {
    await serving(['--metrics', '0'], async ({ metricsUrl = '' }) => {
      const { port } = new URL(metricsUrl);
      const { exitCode, stderr } = await runCaptured(['serve', '--port', '0', '--metrics', port]);
      expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining('PORT_IN_USE')]);
    });
  });
});
