import { performance } from 'node:perf_hooks';
import type * as PromClient from 'prom-client';
import { TOOL } from '../../app/tool.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { MetricsEndpoint } from '../../server/index.ts';
import type { Io } from '../io.ts';
import { type MetricsFlags, readMetricsPort } from './flags.ts';

const LOOPBACK_HOST = '127.0.0.1';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** A value with its labels. */
export type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

/** A metric whose values are read at each scrape. */
export interface Metric {
  readonly type: 'counter' | 'gauge';
  /** In the order of the samples' labels. */
  readonly labels?: readonly string[];
  readonly name: string;
  readonly help: string;
  readonly samples: () => readonly Sample[];
}

/** A histogram whose counts are read at each scrape. */
export interface HistogramMetric {
  readonly type: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly samples: () => readonly HistogramSample[];
}

/** Counts of a histogram, not cumulative, with its labels. */
export interface HistogramSample {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Upper bounds, ascending, and the number of values in each bucket. */
  readonly buckets: readonly (readonly [upTo: number, count: number])[];
  /** Of all values, those above the last bound included. */
  readonly count: number;
  readonly sum: number;
}

/** Metrics of a command. */
export interface MetricsSource {
  readonly metrics: readonly (Metric | HistogramMetric)[];
  /** Called before each scrape. */
  readonly refresh?: () => Promise<void>;
}

/**
 * Serves the metrics that `--metrics` asks for, and prints their address; null without that flag.
 *
 * @throws ConfigurationError `PROM_CLIENT_NOT_INSTALLED`, `FLAG_VALUE`, and as the endpoint
 */
export async function openMetrics(
  flags: MetricsFlags,
  source: MetricsSource,
  io: Io,
): Promise<MetricsEndpoint | null> {
  const port = readMetricsPort(flags);
  if (port === null) return null;
  const client = await loadPromClient();
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  for (const metric of [...PROCESS_METRICS, ...source.metrics]) {
    if (metric.type === 'histogram') registerHistogram(metric, registry);
    else registerMetric(metric, client, registry);
  }
  const { openMetricsEndpoint } = await import('../../server/index.ts');
  const host = flags.metricsHost ?? LOOPBACK_HOST;
  if (!LOOPBACK.test(host)) {
    io.note(`warning: ${host} is not loopback; anyone who can reach it can read the metrics.`);
  }
  const endpoint = await openMetricsEndpoint({
    host,
    port,
    contentType: registry.contentType,
    read: async () => {
      await source.refresh?.();
      return registry.metrics();
    },
  });
  io.note(`metrics: ${endpoint.url}`);
  return endpoint;
}

/** Metrics of every command, beside those that prom-client has for a process. */
const PROCESS_METRICS: readonly Metric[] = [
  {
    type: 'gauge',
    name: 'fareproof_build_info',
    help: 'Always 1; the label is the version.',
    labels: ['version'],
    samples: () => [[{ version: TOOL.version }, 1]],
  },
  {
    type: 'counter',
    name: 'fareproof_event_loop_active_seconds_total',
    help: 'Time in which the event loop had work; its rate is the utilization, 0 to 1.',
    samples: () => [[{}, performance.eventLoopUtilization().active / 1000]],
  },
];

/**
 * Loads prom-client, an optional peer of this package.
 *
 * @throws ConfigurationError `PROM_CLIENT_NOT_INSTALLED`
 */
export async function loadPromClient(
  load: () => Promise<typeof PromClient> = () => import('prom-client'),
): Promise<typeof PromClient> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(
      'PROM_CLIENT_NOT_INSTALLED',
      '--metrics needs one more package: npm install prom-client@15',
      { cause: error },
    );
  }
}

function registerMetric(
  { type, name, help, labels = [], samples }: Metric,
  client: typeof PromClient,
  registry: PromClient.Registry,
): void {
  const configuration = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'gauge') {
    const gauge = new client.Gauge({
      ...configuration,
      collect: () => {
        gauge.reset();
        for (const [own, value] of samples()) gauge.set(own, value);
      },
    });
  } else {
    const counter = new client.Counter({
      ...configuration,
      collect: () => {
        counter.reset();
        for (const [own, value] of samples()) counter.inc(own, value);
      },
    });
  }
}

/** The histogram of prom-client takes single values only; the registry takes any object like it. */
function registerHistogram(
  { name, help, samples }: HistogramMetric,
  registry: PromClient.Registry,
): void {
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    values: samples().flatMap(({ labels, buckets, count, sum }) => {
      let below = 0;
      const bounds = buckets.map(([upTo, own]) => {
        below += own;
        return { metricName: `${name}_bucket`, labels: { ...labels, le: upTo }, value: below };
      });
      return [
        ...bounds,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    }),
  });
  registry.registerMetric({ name, get } as unknown as PromClient.Metric);
}
