import { randomUUID } from 'node:crypto';
import { OtlpExport, readCollectorAddress } from '../../load/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';

/**
 * Opens the output that sends metrics to a collector.
 *
 * @throws ConfigurationError `OTLP_URL`, `OTLP_NOT_INSTALLED`
 */
export async function openCollector(
  address: string,
  { env, secrets }: Pick<Surroundings, 'env' | 'secrets'>,
): Promise<OtlpExport> {
  const url = readCollectorAddress(address);
  // The exporter reads them by itself, and a warning of it may quote them.
  const { OTEL_EXPORTER_OTLP_HEADERS: all = '', OTEL_EXPORTER_OTLP_METRICS_HEADERS: own = '' } =
    env;
  await secrets.addProfile({ headers: { all, own } });
  return OtlpExport.open({
    url,
    resource: {
      'service.name': TOOL.name,
      'service.version': TOOL.version,
      'service.instance.id': randomUUID(),
    },
  });
}
