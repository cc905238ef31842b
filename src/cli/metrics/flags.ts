import { Option } from 'commander';
import { ConfigurationError } from '../../interface/errors.ts';
import { readPort } from '../flags/numbers.ts';

/** The usual port of the metrics that OpenTelemetry's SDKs serve. */
const DEFAULT_PORT = '9464';

/** Flags of a command that serves metrics. */
export interface MetricsFlags {
  /** True without a port. */
  metrics?: string | true;
  metricsHost?: string;
}

/** The options of a command that serves metrics. */
export const METRICS_OPTIONS: readonly Option[] = [
  new Option(
    '--metrics [port]',
    `serve metrics for Prometheus on a port of their own (${DEFAULT_PORT} if none is named; 0 picks a free one)`,
  ),
  new Option('--metrics-host <address>', 'address for --metrics (default: 127.0.0.1)'),
].map((option) => option.helpGroup('Output:'));

/**
 * Reads the port of `--metrics`; null without that flag.
 *
 * @throws ConfigurationError `FLAG_VALUE`, `METRICS_HOST_ALONE`
 */
export function readMetricsPort({ metrics, metricsHost }: MetricsFlags): number | null {
  if (metrics !== undefined) {
    return readPort(metrics === true ? DEFAULT_PORT : metrics, 'metrics');
  }
  if (metricsHost === undefined) return null;
  throw new ConfigurationError(
    'METRICS_HOST_ALONE',
    '--metrics-host is the address for --metrics; add --metrics, or leave it out.',
  );
}
