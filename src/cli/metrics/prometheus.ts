import { performance } from 'node:perf_hooks';
import { TOOL } from '../../app/tool.ts';
import { type PrometheusMetric, prometheusText } from '../../files/prometheus-text.ts';
import { isLoopbackHost } from '../../interface/loopback.ts';
import { loadOptional } from '../../interface/optional-packages.ts';
import type { MetricsEndpoint } from '../../server/index.ts';
import type { Io } from '../io.ts';
import { type MetricsFlags, readMetricsPort } from './flags.ts';

const LOOPBACK_HOST = '127.0.0.1';

/**
 * Serves the metrics that `--metrics` asks for, and prints their address; null without that flag.
 *
 * @param read reads the metrics of the command, at each scrape
 * @throws ConfigurationError `PROM_CLIENT_NOT_INSTALLED`, `FLAG_VALUE`, and as the endpoint
 */
export async function openMetrics(
  flags: MetricsFlags,
  read: () => Promise<PrometheusMetric[]>,
  io: Io,
): Promise<MetricsEndpoint | null> {
  const port = readMetricsPort(flags);
  if (port === null) return null;
  const client = await loadOptional(
    () => import('prom-client'),
    'PROM_CLIENT_NOT_INSTALLED',
    '--metrics needs one more package: npm install prom-client@15',
  );
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  const { openMetricsEndpoint } = await import('../../server/index.ts');
  const host = flags.metricsHost ?? LOOPBACK_HOST;
  if (!isLoopbackHost(host)) {
    io.note(`warning: ${host} is not loopback; anyone who can reach it can read the metrics.`);
  }
  const endpoint = await openMetricsEndpoint({
    host,
    port,
    contentType: registry.contentType,
    read: async () => {
      const own = [...processMetrics(), ...(await read())];
      return prometheusText(own) + (await registry.metrics());
    },
  });
  io.note(`metrics: ${endpoint.url}`);
  return endpoint;
}

/** Metrics of every command, beside those that prom-client has for a process. */
function processMetrics(): PrometheusMetric[] {
  return [
    {
      type: 'gauge',
      name: 'fareproof_build_info',
      help: 'Always 1; the label is the version.',
      samples: [[{ version: TOOL.version }, 1]],
    },
    {
      type: 'counter',
      name: 'fareproof_event_loop_active_seconds_total',
      help: 'Time in which the event loop had work; its rate is the utilization, 0 to 1.',
      samples: [[{}, performance.eventLoopUtilization().active / 1000]],
    },
  ];
}
