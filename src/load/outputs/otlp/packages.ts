import type * as Exporter from '@opentelemetry/exporter-metrics-otlp-proto';
import type * as Resources from '@opentelemetry/resources';
import type * as Metrics from '@opentelemetry/sdk-metrics';
import { ConfigurationError } from '../../../interface/errors.ts';

/** The packages of OpenTelemetry, which are optional peers of this one. */
export interface OtlpPackages {
  readonly metrics: Pick<typeof Metrics, 'AggregationTemporality' | 'DataPointType'>;
  readonly resources: Pick<typeof Resources, 'resourceFromAttributes'>;
  readonly exporter: Pick<typeof Exporter, 'OTLPMetricExporter'>;
}

/**
 * Loads the packages of OpenTelemetry.
 *
 * @throws ConfigurationError `OTLP_NOT_INSTALLED` if one of them is missing
 */
export async function loadOtlp(
  load: () => Promise<OtlpPackages> = importAll,
): Promise<OtlpPackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(
      'OTLP_NOT_INSTALLED',
      'it needs three more packages: npm install @opentelemetry/sdk-metrics@2 @opentelemetry/resources@2 @opentelemetry/exporter-metrics-otlp-proto@0.223',
      { field: 'otlp', cause: error },
    );
  }
}

async function importAll(): Promise<OtlpPackages> {
  const [metrics, resources, exporter] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-metrics-otlp-proto'),
  ]);
  return { metrics, resources, exporter };
}
