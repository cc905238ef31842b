import type { BenchStep } from '../../documents/bench.ts';
import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { Trial } from '../../documents/find-max.ts';
import type { LatencyUs } from '../../documents/latency.ts';
import type {
  AgentResult,
  LoadDocument,
  ShapeResult,
  StageResult,
  ThresholdResult,
} from '../../documents/load.ts';
import { type Column, column, known, numbers } from './columns.ts';
import { headlineOf } from './headline.ts';
import { latencyWords } from './load-words.ts';
import {
  formatCount,
  formatIn,
  formatNs,
  formatRate,
  formatShare,
  formatShift,
  formatUs,
  type LatencyField,
  type NamedShift,
  namedShifts,
  QUANTILES,
} from './quantities.ts';
import type { Outcome } from './tones.ts';

/** A row of the table of latencies: a quantile, or the mean. */
export interface LatencyRow {
  readonly name: string;
  readonly field: LatencyField;
}

/**
 * The table of latencies: each quantile, and the mean. Where requests failed, the response time of all
 * stands beside that of the successful ones.
 */
export function latencyTable({ response, service, all }: LatencyUs): {
  columns: readonly Column<LatencyRow>[];
  rows: readonly LatencyRow[];
} {
  const rows = [...QUANTILES, { name: 'mean', field: 'mean' } as const];
  const columns = [
    column('latency', ({ name }: LatencyRow) => name),
    numbers('response', ({ field }: LatencyRow) => latencyWords(response, field)),
    numbers('service', ({ field }: LatencyRow) => latencyWords(service, field)),
    ...(all.count > response.count
      ? [numbers('all requests', ({ field }: LatencyRow) => latencyWords(all, field))]
      : []),
  ];
  return { columns, rows };
}

const PART_COLUMNS: readonly Column<ShapeResult | StageResult>[] = [
  numbers('requests', ({ planned }) => formatCount(planned)),
  numbers('failed', ({ failed }) => formatCount(failed)),
  ...QUANTILES.filter(({ name }) => ['p50', 'p90', 'p99', 'p99.9', 'max'].includes(name)).map(
    ({ name, field }) =>
      numbers(name, ({ latencyUs: { response } }: ShapeResult | StageResult) =>
        latencyWords(response, field),
      ),
  ),
];

/** Columns of the table of the shapes of a mix: response time. */
export const SHAPE_COLUMNS: readonly Column<ShapeResult>[] = [
  column('shape', ({ shape }) => shape),
  ...PART_COLUMNS,
];

/** Columns of the table of stages: response time. */
export const STAGE_COLUMNS: readonly Column<StageResult>[] = [
  column('stage', ({ stage }) => `${stage}`),
  column('planned', stageWords),
  ...PART_COLUMNS,
];

/** `1,000/s for 10 s`, or a ramp as `0/s to 5,000/s for 30 s`. */
function stageWords({ fromRate, toRate, durationS }: StageResult): string {
  const to = toRate === fromRate ? '' : ` to ${formatRate(toRate)}`;
  return `${formatRate(fromRate)}${to} for ${durationS} s`;
}

const FELL_SHORT = { tone: 'bad', words: 'fell short' } as const;
const HELD = { tone: 'good', words: 'held' } as const;

/** Outcome of a threshold: of one that is not judged, its value proves nothing. */
export function thresholdOutcome({ held, judged }: ThresholdResult): Outcome {
  if (judged === false) return { tone: 'unknown', words: 'not judged' };
  return held ? HELD : FELL_SHORT;
}

/** Columns of the table of thresholds. */
export const THRESHOLD_COLUMNS = {
  threshold: column('threshold', ({ expression, isDefault }) =>
    isDefault ? `${expression} (default)` : { code: expression },
  ),
  outcome: column('outcome', thresholdOutcome),
  observed: numbers('observed', observedWords),
  margin: numbers('margin', marginWords),
} satisfies Record<string, Column<ThresholdResult>>;

/** Formats the observed value of a threshold, and says so where failed requests make it fall short. */
export function observedWords(threshold: ThresholdResult): string {
  const { observed, unit, ofSuccesses, shortByFailures } = threshold;
  const words = (value: number): string => formatIn(unit, value);
  if (shortByFailures && ofSuccesses !== undefined) {
    const all = observed === null ? 'a failed request' : words(observed);
    return `${all}, since failed requests count as slower than any bound; ${words(ofSuccesses)} without them`;
  }
  if (observed === null) return ofSuccesses === undefined ? 'no data' : 'a failed request';
  return words(observed);
}

/** Distance to the bound, percent of it; below 0 if the bound was passed. Null if unknown, or of a bound of 0. */
export function marginPercent({ observed, bound, comparison }: ThresholdResult): number | null {
  if (observed === null || bound === 0) return null;
  const distance = comparison.startsWith('<') ? bound - observed : observed - bound;
  return (distance / bound) * 100;
}

/** `12.5 %`, `exceeded by 40.0 %`, `260 x the bound`, or `30.0 % below the bound`; `–` if nothing is known or judged. */
export function marginWords(threshold: ThresholdResult): string {
  const { observed, bound, comparison, judged } = threshold;
  const percent = marginPercent(threshold);
  if (percent === null || observed === null || judged === false) return '–';
  if (percent >= 0) return formatShare(percent / 100);
  if (!comparison.startsWith('<')) return `${formatShare(-percent / 100)} below the bound`;
  const times = observed / bound;
  return times < 2
    ? `exceeded by ${formatShare(-percent / 100)}`
    : `${timesWords(times)} x the bound`;
}

/** Two or three digits of a factor. */
const timesWords = (times: number): string =>
  times < 100 ? Number(times.toPrecision(2)).toString() : formatCount(times);

/** Columns of the table of trials. */
export const TRIAL_COLUMNS = {
  trial: column('trial', (_, index) => `${index + 1}`),
  outcome: column('outcome', trialOutcome),
  rate: numbers('rate', ({ rate }) => formatRate(rate)),
  achieved: numbers('achieved', ({ achievedRate }) => formatRate(achievedRate)),
  p50: numbers('p50', ({ latencyUs }) => latencyWords(latencyUs.response, 'p50')),
  p99: numbers('p99', ({ latencyUs }) => latencyWords(latencyUs.response, 'p99')),
  failed: numbers('failed', ({ errors }) => formatShare(errors)),
  coreWait: numbers('core wait', ({ coreWait }) => known(coreWait, formatShare)),
  reason: column('reason', ({ reason }) => reason),
} satisfies Record<string, Column<Trial>>;

/** Verdict on a trial. */
export function trialOutcome({ held, valid }: Trial): Outcome {
  if (!valid) return { tone: 'unknown', words: 'invalid' };
  return held ? HELD : FELL_SHORT;
}

/** Columns of the table of the runs of a set. */
export const RUN_COLUMNS = {
  run: column('run', (_, index) => `${index + 1}`),
  verdict: column('verdict', (run) => {
    const { tone, verdict } = headlineOf(run);
    return { tone, words: verdict };
  }),
  achieved: numbers('achieved', ({ achieved }) => formatRate(achieved.rate)),
  p50: numbers('p50', ({ latencyUs }) => latencyWords(latencyUs.response, 'p50')),
  p99: numbers('p99', ({ latencyUs }) => latencyWords(latencyUs.response, 'p99')),
  max: numbers('max', ({ latencyUs }) => latencyWords(latencyUs.response, 'max')),
  failed: numbers('failed', ({ achieved }) => formatCount(achieved.failed)),
} satisfies Record<string, Column<LoadDocument>>;

/** Columns of the table of shifts. */
export function shiftColumns(document: ComparisonDocument): readonly Column<NamedShift>[] {
  const { steps } = document;
  const format = steps ? formatNs : formatUs;
  return [
    column(steps ? 'step' : 'quantile', ({ name }) => name),
    numbers('base', ({ base }) => format(base)),
    numbers('candidate', ({ candidate }) => format(candidate)),
    numbers('shift', ({ shiftPercent }) => formatShift(shiftPercent)),
    numbers('from', ({ low }) => formatShift(low)),
    numbers('to', ({ high }) => formatShift(high)),
    ...(namedShifts(document).some((shift) => shift.marginPercent !== undefined)
      ? [numbers('margin', (shift: NamedShift) => shiftMarginWords(shift, document))]
      : []),
  ];
}

/** `±12.5 %`: the margin of a shift, or that of all. */
function shiftMarginWords(shift: NamedShift, document: ComparisonDocument): string {
  return `±${Number((shift.marginPercent ?? document.marginPercent).toFixed(2))} %`;
}

/** Columns of the table of the steps of a bench. */
export const STEP_COLUMNS: readonly Column<BenchStep>[] = [
  column('step', ({ name }) => name),
  numbers('median', ({ nsMedian }) => formatNs(nsMedian)),
  numbers('share', ({ share }) => (isOfWhole({ share }) ? formatShare(share) : '–')),
];

/** True for a step that each request takes: only it has a share of the whole. */
export function isOfWhole({ share }: Pick<BenchStep, 'share'>): boolean {
  return share > 0;
}

/** Figures of an agent, of a run or so far. */
export interface ShownAgent
  extends Pick<
    AgentResult,
    | 'name'
    | 'workers'
    | 'cores'
    | 'sent'
    | 'cpu'
    | 'coreWait'
    | 'sendLagP99Us'
    | 'clockErrorUs'
    | 'missingUpdates'
  > {
  readonly lost?: Pick<NonNullable<AgentResult['lost']>, 'atS'> | undefined;
}

/** Columns of the table of agents. */
export const AGENT_COLUMNS: readonly Column<ShownAgent>[] = [
  column('agent', ({ name }) => name),
  column('state', ({ lost, missingUpdates }) =>
    lost || missingUpdates
      ? { tone: 'bad', words: agentFault(lost) }
      : { tone: 'good', words: 'whole' },
  ),
  numbers('workers', ({ workers }) => formatCount(workers)),
  numbers('cores', ({ cores }) => formatCount(cores)),
  numbers('sent', ({ sent }) => formatCount(sent)),
  numbers('CPU', ({ cpu }) => known(cpu, (used) => used.toFixed(2))),
  numbers('core wait', ({ coreWait }) => known(coreWait, formatShare)),
  numbers('send lag p99', ({ sendLagP99Us }) => known(sendLagP99Us, formatUs)),
  numbers('clock ±', ({ clockErrorUs }) => known(clockErrorUs ?? null, formatUs)),
];

function agentFault(lost: ShownAgent['lost']): string {
  return lost ? `lost at ${lost.atS.toFixed(1)} s` : 'updates missing';
}
