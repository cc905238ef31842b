import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import type { LoadDocument, SeriesPoint } from '../../documents/load.ts';
import { toPrometheus } from './prometheus.ts';

/** Formats in which the figures of a load run are written for other tools. */
export const EXPORT_FORMATS = ['hgrm', 'csv', 'jsonl', 'prometheus'] as const;

/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * Files of a load run in a format, by name:
 *
 * - `hgrm`: latencies of the successful requests, and the response time of all, by percentile in
 *   milliseconds, as HdrHistogram's plotter reads them
 * - `csv` and `jsonl`: the seconds of the run
 * - `prometheus`: the figures of the run, for the textfile collector of the node exporter
 */
export function exportLoad(document: LoadDocument, format: ExportFormat): Record<string, string> {
  switch (format) {
    case 'hgrm':
      return Object.fromEntries(
        (['response', 'service', 'all'] as const).map((name) => [
          `${name}.hgrm`,
          percentilesOf(document.histograms[name]),
        ]),
      );
    case 'csv':
      return { 'seconds.csv': toCsv(document.series) };
    case 'jsonl':
      return {
        'seconds.jsonl': document.series
          .map((point) => `${JSON.stringify(columnsOf(point))}\n`)
          .join(''),
      };
    case 'prometheus':
      return { 'metrics.prom': toPrometheus(document) };
  }
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
