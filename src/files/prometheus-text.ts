/** Labels of a sample. */
export type Labels = Readonly<Record<string, string | number>>;

/** A metric as Prometheus reads it. */
export interface PrometheusMetric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly (readonly [labels: Labels, value: number | Distribution])[];
}

/** A sample of a histogram or a summary. */
export interface Distribution {
  /** The number of values up to each bound of a histogram, or the value at each quantile of a summary. */
  readonly at: readonly (readonly [boundOrQuantile: number, value: number])[];
  readonly count: number;
  readonly sum: number;
}

/** Writes metrics in the text format of Prometheus, version 0.0.4; those without samples are left out. */
export function prometheusText(metrics: readonly PrometheusMetric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap((metric) => [
      `# HELP ${metric.name} ${metric.help}\n`,
      `# TYPE ${metric.name} ${metric.type}\n`,
      ...metric.samples.flatMap(([labels, value]) => linesOf(metric, labels, value)),
    ])
    .join('');
}

function linesOf(
  { name, type }: PrometheusMetric,
  labels: Labels,
  value: number | Distribution,
): string[] {
  if (typeof value === 'number') return [line(name, labels, value)];
  const { at, count, sum } = value;
  const points =
    type === 'summary'
      ? at.map(([quantile, own]) => line(name, { ...labels, quantile }, own))
      : [...at, ['+Inf', count] as const].map(([le, below]) =>
          line(`${name}_bucket`, { ...labels, le }, below),
        );
  return [...points, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

const escapeLabel = (value: string | number): string =>
  String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
