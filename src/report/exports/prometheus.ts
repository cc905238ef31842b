import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { LoadDocument, ShapeResult, StageResult } from '../../documents/load.ts';

type Labels = Readonly<Record<string, string>>;

/** A metric: its samples are lines of their name, labels and value. */
interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'summary';
  readonly help: string;
  readonly samples: readonly (readonly [suffix: string, labels: Labels, value: number])[];
}

const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p99_9: 0.999, p99_99: 0.9999 } as const;

const US_PER_S = 1e6;

/**
 * Figures of a load run in the text format of Prometheus, for the textfile collector of the node
 * exporter: seconds, requests and shares, with the target as a label.
 */
export function toPrometheus(document: LoadDocument): string {
  const { target, model, achieved, latencyUs, generator, thresholds, verdict, finishedAt } =
    document;
  const own: Labels = { target: target.name, model };
  const metrics: Metric[] = [
    {
      name: 'fareproof_load_latency_seconds',
      type: 'summary',
      help: 'Latency of the successful requests of the measured window: response from the planned time, service from the sending.',
      samples: [
        ...latencySamples({ ...own, clock: 'response' }, latencyUs.response),
        ...latencySamples({ ...own, clock: 'service' }, latencyUs.service),
      ],
    },
    {
      name: 'fareproof_load_all_latency_seconds',
      type: 'summary',
      help: 'Response time of all requests of the measured window, failed ones included.',
      samples: latencySamples(own, latencyUs.all),
    },
    {
      name: 'fareproof_load_requests',
      type: 'gauge',
      help: 'Requests of the measured window.',
      samples: (['planned', 'sent', 'ok', 'failed'] as const).map((outcome) => [
        '',
        { ...own, outcome },
        achieved[outcome],
      ]),
    },
    {
      name: 'fareproof_load_reconnected_requests',
      type: 'gauge',
      help: 'Requests that were sent again, since the target closed their kept connection.',
      samples: achieved.reconnected === undefined ? [] : [['', own, achieved.reconnected]],
    },
    {
      name: 'fareproof_load_checked_responses',
      type: 'gauge',
      help: 'Responses with status 200 whose shape was checked.',
      samples: [['', own, achieved.checked]],
    },
    {
      name: 'fareproof_load_generator_core_wait',
      type: 'gauge',
      help: 'Share of the time in which a generator was ready to run and got no core.',
      samples: generator.coreWait === null ? [] : [['', own, generator.coreWait]],
    },
    ...partMetrics('shape', own, document.shapes ?? [], ({ shape }) => shape),
    ...partMetrics('stage', own, document.stages ?? [], ({ stage }) => `${stage}`),
    gauge('rate', 'Successful answers a second.', own, achieved.rate),
    {
      name: 'fareproof_load_threshold_held',
      type: 'gauge',
      help: '1 if the threshold held, 0 if not; none if the generator was late and it proves nothing.',
      samples: thresholds
        .filter(({ judged }) => judged !== false)
        .map(({ expression, held }) => ['', { ...own, threshold: expression }, Number(held)]),
    },
    gauge(
      'valid',
      '0 if the generator or the machine was the limit, not the target.',
      own,
      Number(verdict !== 'invalid'),
    ),
    gauge(
      'finished_timestamp_seconds',
      'End of the run, seconds since the epoch.',
      own,
      Date.parse(finishedAt) / 1000,
    ),
  ];
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join('');
}

/** Latencies and requests by a part of the run: metrics of their own, since the whole is their sum. */
function partMetrics<Part extends ShapeResult | StageResult>(
  label: 'shape' | 'stage',
  own: Labels,
  parts: readonly Part[],
  nameOf: (part: Part) => string,
): Metric[] {
  const labelled = parts.map((part) => ({ part, labels: { ...own, [label]: nameOf(part) } }));
  return [
    {
      name: `fareproof_load_${label}_latency_seconds`,
      type: 'summary',
      help: `Latency of the successful requests of each ${label}.`,
      samples: labelled.flatMap(({ part, labels }) => [
        ...latencySamples({ ...labels, clock: 'response' }, part.latencyUs.response),
        ...latencySamples({ ...labels, clock: 'service' }, part.latencyUs.service),
      ]),
    },
    {
      name: `fareproof_load_${label}_requests`,
      type: 'gauge',
      help: `Requests of each ${label}.`,
      samples: labelled.flatMap(({ part, labels }) =>
        (['planned', 'ok', 'failed'] as const).map((outcome): Metric['samples'][number] => [
          '',
          { ...labels, outcome },
          part[outcome],
        ]),
      ),
    },
  ];
}

function gauge(name: string, help: string, labels: Labels, value: number): Metric {
  return { name: `fareproof_load_${name}`, type: 'gauge', help, samples: [['', labels, value]] };
}

function latencySamples(labels: Labels, summary: LatencySummaryUs): Metric['samples'] {
  const { count, mean } = summary;
  const quantiles = Object.entries(QUANTILES) as [keyof typeof QUANTILES, number][];
  return [
    ...quantiles.map(([percentile, quantile]): Metric['samples'][number] => [
      '',
      { ...labels, quantile: String(quantile) },
      summary[percentile] / US_PER_S,
    ]),
    ['_sum', labels, (mean * count) / US_PER_S],
    ['_count', labels, count],
  ];
}

function linesOf({ name, type, help, samples }: Metric): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([suffix, labels, value]) => {
      const pairs = Object.entries(labels).map(
        ([label, text]) => `${label}="${escapeLabel(text)}"`,
      );
      return `${name}${suffix}{${pairs.join(',')}} ${value}`;
    }),
  ];
}

/** Escapes a label's value by the text format of Prometheus. */
function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
