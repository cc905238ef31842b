import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import type { LoadDocument, SeriesPoint } from '../../documents/load.ts';
import { prometheusText } from '../../files/prometheus-text.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { suggest } from '../../interface/suggestion.ts';
import { figuresOf } from './figures.ts';
import { END_MEASURES, MEASURES } from './measures.ts';
import { prometheusMetrics } from './prometheus.ts';

/** Files of a load run, by name, in each format in which its figures are written for other tools. */
export const EXPORTS = {
  /** Latencies by percentile in milliseconds, as HdrHistogram's plotter reads them. */
  hgrm: ({ histograms: { response, service, all } }: LoadDocument) => ({
    'response.hgrm': percentilesOf(response),
    'service.hgrm': percentilesOf(service),
    'all.hgrm': percentilesOf(all),
  }),
  csv: ({ series }: LoadDocument) => ({ 'seconds.csv': toCsv(series) }),
  jsonl: ({ series }: LoadDocument) => ({
    'seconds.jsonl': series.map((point) => `${JSON.stringify(columnsOf(point))}\n`).join(''),
  }),
  /** For the textfile collector of the node exporter. */
  prometheus: (document: LoadDocument) => {
    const { target, model } = document;
    const common = { target: target.name, model };
    const prefix = 'fareproof_load_';
    const metrics = [
      ...prometheusMetrics(MEASURES, figuresOf(document), prefix, common),
      ...prometheusMetrics(END_MEASURES, document, prefix, common),
    ];
    return { 'metrics.prom': prometheusText(metrics) };
  },
} satisfies Readonly<Record<string, (document: LoadDocument) => Record<string, string>>>;

/** A key of {@link EXPORTS}. */
export type ExportFormat = keyof typeof EXPORTS;

/**
 * Reads a list of formats, such as `hgrm,csv`; none if it is left out.
 *
 * @throws ConfigurationError `EXPORT_UNKNOWN`
 */
export function readExports(list: string | undefined): readonly ExportFormat[] {
  if (list === undefined) return [];
  const formats = Object.keys(EXPORTS) as ExportFormat[];
  return list.split(',').map((name) => {
    const format = formats.find((one) => one === name.trim());
    if (format !== undefined) return format;
    const hint = suggest(name.trim(), formats, `there are ${formats.join(', ')}.`);
    throw new ConfigurationError('EXPORT_UNKNOWN', `there is no format "${name}"; ${hint}`, {
      field: 'export',
    });
  });
}

/** Lines for each half of the distance to 100 %. */
const TICKS_PER_HALF_DISTANCE = 5;

const US_PER_MS = 1000;

const percentilesOf = (encoded: string): string =>
  decodeFromCompressedBase64(encoded).outputPercentileDistribution(
    TICKS_PER_HALF_DISTANCE,
    US_PER_MS,
  );

/** Columns of a second; null where a figure is unknown. `drained` is 1 if its answers are late ones. */
function columnsOf(point: SeriesPoint): Record<string, number | null> {
  const { t, rate, plannedRate = null, sent = null, failed, drained, generator } = point;
  return {
    second: t,
    rate,
    planned_rate: plannedRate,
    sent,
    failed,
    p50_us: latencyOf(point.p50),
    p99_us: latencyOf(point.p99),
    max_us: latencyOf(point.max),
    generator_cores: generator?.cpu ?? null,
    send_lag_p99_us: generator?.sendLagP99Us ?? null,
    generator_core_wait: generator?.coreWait ?? null,
    drained: drained ? 1 : 0,
  };
}

/** Without a success there is no latency; 0 would be an excellent one. */
const latencyOf = (us: number): number | null => (us === 0 ? null : us);

function toCsv(series: readonly SeriesPoint[]): string {
  const rows = series.map(columnsOf);
  const header = Object.keys(rows[0] ?? { second: null });
  const lines = [header, ...rows.map((row) => Object.values(row).map((value) => value ?? ''))];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}
