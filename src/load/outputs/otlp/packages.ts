import { loadOptional } from '../../../interface/optional-packages.ts';

/** The packages of OpenTelemetry, which are optional peers of this one. */
export type OtlpPackages = Awaited<ReturnType<typeof loadOtlp>>;

/** @throws ConfigurationError `OTLP_NOT_INSTALLED` */
export const loadOtlp = () =>
  loadOptional(
    async () => {
      const [{ AggregationTemporality, DataPointType }, { resourceFromAttributes }, exporter] =
        await Promise.all([
          import('@opentelemetry/sdk-metrics'),
          import('@opentelemetry/resources'),
          import('@opentelemetry/exporter-metrics-otlp-proto'),
        ]);
      const { OTLPMetricExporter } = exporter;
      return { AggregationTemporality, DataPointType, resourceFromAttributes, OTLPMetricExporter };
    },
    'OTLP_NOT_INSTALLED',
    'it needs three more packages: npm install @opentelemetry/sdk-metrics@2 @opentelemetry/resources@2 @opentelemetry/exporter-metrics-otlp-proto@0.223',
    { field: 'otlp' },
  );
