import { randomUUID } from 'node:crypto';
import type { OtlpExport } from '../../../load/index.ts';
import { type Io, note } from '../../io.ts';
import { TOOL } from '../../tool.ts';

/**
 * Sends metrics to a collector while `act` runs, and what is left when it is over; with no collector,
 * `act` gets null.
 *
 * @throws ConfigurationError `OTLP_URL`, `OTLP_NOT_INSTALLED`
 */
export async function withCollector(
  address: string | undefined,
  io: Io,
  act: (otlp: OtlpExport | null) => Promise<void>,
): Promise<void> {
  if (address === undefined) return act(null);
  const { OtlpExport: Export, readCollectorAddress } = await import('../../../load/index.ts');
  const url = readCollectorAddress(address);
  // The exporter reads them by itself, and a warning of it may quote them.
  const { OTEL_EXPORTER_OTLP_HEADERS: all = '', OTEL_EXPORTER_OTLP_METRICS_HEADERS: own = '' } =
    io.env;
  await io.secrets.addProfile({ headers: { all, own } });
  const otlp = await Export.open({
    url,
    resource: {
      'service.name': TOOL.name,
      'service.version': TOOL.version,
      'service.instance.id': randomUUID(),
    },
    onProblem: (message) => note(io, `warning: ${message}`),
  });
  try {
    await act(otlp);
  } finally {
    await otlp.close();
  }
}
