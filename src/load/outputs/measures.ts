import type { LoadDocument, ShapeResult, StageResult } from '../../documents/load.ts';
import type { Labels } from '../../files/prometheus-text.ts';
import type { Latencies, RunFigures } from './figures.ts';

type Point = readonly [labels: Labels, value: number | Latencies];

/** A measure of a run: how it is named, and how it is read from its figures or its document. */
export interface Measure<Source = RunFigures> {
  /** Words with dots between them, as OpenTelemetry names metrics, without a prefix. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'latency';
  /** As OpenTelemetry writes it. */
  readonly unit: keyof typeof UNIT_SUFFIXES;
  readonly help: string;
  readonly read: (source: Source) => readonly Point[];
}

const UNIT_SUFFIXES = {
  '': '',
  '{request}': '',
  '{core}': '',
  '{request}/s': '_per_second',
  s: '_seconds',
  '1': '_ratio',
} as const;

/** Name of a measure in Prometheus: with its unit and kind, as it names metrics of OpenTelemetry. */
export function prometheusName({
  name,
  unit,
  kind,
}: Pick<Measure, 'name' | 'unit' | 'kind'>): string {
  const suffix = UNIT_SUFFIXES[unit] + (kind === 'counter' ? '_total' : '');
  return name.replaceAll('.', '_') + suffix;
}

type Reader<Source> = Measure<Source>['read'];

const counter = <Source>(name: string, help: string, read: Reader<Source>): Measure<Source> => ({
  name,
  kind: 'counter',
  unit: '{request}',
  help,
  read,
});
const latency = <Source>(name: string, help: string, read: Reader<Source>): Measure<Source> => ({
  name,
  kind: 'latency',
  unit: 's',
  help,
  read,
});
const gauge = <Source>(
  name: string,
  unit: Measure['unit'],
  help: string,
  read: Reader<Source>,
): Measure<Source> => ({ name, kind: 'gauge', unit, help, read });

/** A point, unless its value is unknown. */
const point = (labels: Labels, value: number | Latencies | null | undefined): Point[] =>
  value == null ? [] : [[labels, value]];

/** Reads a figure of each part. */
const ofParts =
  (of: (part: RunFigures['parts'][number]) => number | Latencies | undefined): Reader<RunFigures> =>
  ({ parts }) =>
    parts.flatMap((part) => point(part.labels, of(part)));

/** Reads counts by name from each agent. */
const countsBy =
  (
    label: string,
    of: (outcome: RunFigures['outcomes'][number]) => Readonly<Record<string, number>>,
  ): Reader<RunFigures> =>
  ({ outcomes }) =>
    outcomes.flatMap((outcome) =>
      Object.entries(of(outcome)).flatMap(([name, count]) =>
        point({ ...outcome.labels, [label]: name }, count),
      ),
    );

/** Reads a figure of each generator. */
const ofGenerators =
  (
    of: (generator: RunFigures['generators'][number]) => number | null | undefined,
  ): Reader<RunFigures> =>
  ({ generators }) =>
    generators.flatMap((generator) => point(generator.labels, of(generator)));

/** Measures of each shape or stage at the end: the whole is their sum, so these have names of their own. */
function partMeasures(
  label: 'shape' | 'stage',
  partsOf: (
    document: LoadDocument,
  ) => readonly (readonly [name: string | number, part: ShapeResult | StageResult])[],
): Measure<LoadDocument>[] {
  const ofEach =
    (of: (part: ShapeResult | StageResult, labels: Labels) => readonly Point[]) =>
    (document: LoadDocument) =>
      partsOf(document).flatMap(([name, part]) => of(part, { [label]: name }));
  return [
    counter(
      `${label}.planned`,
      `Requests of each ${label} that were planned.`,
      ofEach(({ planned }, labels) => point(labels, planned)),
    ),
    counter(
      `${label}.requests`,
      `Requests of each ${label}, by outcome.`,
      ofEach((part, labels) => byOutcome(labels, part)),
    ),
    latency(
      `${label}.response.duration`,
      `Response time of the successful requests of each ${label}.`,
      ofEach(({ latencyUs }, labels) => point(labels, latencyUs.response)),
    ),
    latency(
      `${label}.service.duration`,
      `Service time of the successful requests of each ${label}.`,
      ofEach(({ latencyUs }, labels) => point(labels, latencyUs.service)),
    ),
  ];
}

const byOutcome = (
  labels: Labels,
  { ok, failed }: { readonly ok: number; readonly failed: number },
): Point[] => [
  [{ ...labels, outcome: 'ok' }, ok],
  [{ ...labels, outcome: 'failed' }, failed],
];

/** The measures of a run, while it lasts and at its end. */
export const MEASURES: readonly Measure[] = [
  counter('requests', 'Requests of the measured window, by outcome.', ({ parts }) =>
    parts.flatMap((part) => byOutcome(part.labels, part)),
  ),
  counter(
    'sent',
    'Requests that were sent.',
    ofParts(({ sent }) => sent),
  ),
  counter(
    'reconnected',
    'Requests that were sent again, since the target closed their kept connection.',
    ofParts(({ reconnected }) => reconnected),
  ),
  counter(
    'checked',
    'Responses with status 200 whose shape was checked.',
    ofParts(({ checked }) => checked),
  ),
  counter(
    'errors',
    'Failed requests, by kind of error.',
    countsBy('error.type', ({ errors }) => errors),
  ),
  counter(
    'responses',
    'Responses, by status.',
    countsBy('status', ({ statuses }) => statuses),
  ),
  latency(
    'response.duration',
    'Time from the planned send to the last byte, or to the failure, by outcome.',
    ({ parts }) =>
      parts.flatMap(({ labels, response, failed, failures }) => [
        ...point({ ...labels, outcome: 'ok' }, response),
        ...point({ ...labels, outcome: 'failed' }, failed > 0 ? failures : null),
      ]),
  ),
  latency(
    'service.duration',
    'Time from the send to the last byte of the successful requests.',
    ofParts(({ service }) => service),
  ),
  latency(
    'send_lag',
    "Time from when a request could be sent to its send: the generator's own delay.",
    ({ outcomes }) => outcomes.flatMap(({ labels, sendLag }) => point(labels, sendLag)),
  ),
  gauge(
    'planned_rate',
    '{request}/s',
    'Requests per second that are due; none in the closed model.',
    ({ plannedRate }) => point({}, plannedRate),
  ),
  gauge(
    'generator.cpu',
    '{core}',
    'Processor time that a generator uses, in cores.',
    ofGenerators(({ cpu }) => cpu),
  ),
  gauge(
    'generator.core_wait',
    '1',
    'Share of the time in which a generator was ready to run and got no core.',
    ofGenerators(({ coreWait }) => coreWait),
  ),
  gauge(
    'generator.event_loop_utilization',
    '1',
    'Share of the time in which the event loop of a generator had work.',
    ofGenerators(({ eventLoopUtilization }) => eventLoopUtilization),
  ),
  gauge(
    'generator.waiting',
    '{request}',
    'Due requests of a generator that wait for a connection.',
    ofGenerators(({ waiting }) => waiting),
  ),
];

/** The measures that only a finished run has. */
export const END_MEASURES: readonly Measure<LoadDocument>[] = [
  counter('planned', 'Requests that were planned for the measured window.', ({ achieved }) =>
    point({}, achieved.planned),
  ),
  latency('all.duration', 'Response time of all requests, failed ones included.', ({ latencyUs }) =>
    point({}, latencyUs.all),
  ),
  ...partMeasures('shape', ({ shapes = [] }) => shapes.map((part) => [part.shape, part])),
  ...partMeasures('stage', ({ stages = [] }) => stages.map((part) => [part.stage, part])),
  gauge(
    'rate',
    '{request}/s',
    'Successful responses per second of the measured window.',
    ({ achieved }) => point({}, achieved.rate),
  ),
  gauge(
    'threshold.held',
    '',
    '1 if the threshold held, 0 if not; none if the generator was late and it proves nothing.',
    ({ thresholds }) =>
      thresholds
        .filter(({ judged }) => judged !== false)
        .map(({ expression, held }) => [{ threshold: expression }, Number(held)]),
  ),
  gauge(
    'valid',
    '',
    '0 if the generator or the machine was the limit, not the target.',
    ({ verdict }) => point({}, Number(verdict !== 'invalid')),
  ),
  gauge('finished.timestamp', 's', 'End of the run, seconds since the epoch.', ({ finishedAt }) =>
    point({}, Date.parse(finishedAt) / 1000),
  ),
];
