import type { LatencySummaryUs } from '../../documents/latency.ts';
import type { GeneratorHealth, LoadDocument, ServerHealth } from '../../documents/load.ts';
import {
  formatBytes,
  formatCount,
  formatRate,
  formatShare,
  formatUs,
  type LatencyField,
} from './quantities.ts';
import type { Outcome } from './tones.ts';

/** ` of 5,000/s planned`, the worst second, and that it is a mean of stages; empty in the closed model. */
export function plannedWords(document: LoadDocument): string {
  const { intended, stages = [] } = document;
  if (intended.rate === null) return '';
  const worst = worstSecondWords(document);
  return [
    ` of ${formatRate(intended.rate)} planned`,
    ...(stages.length > 1 ? [`the mean of ${stages.length} stages`] : []),
    ...(worst === null ? [] : [worst]),
  ].join(', ');
}

/** Share of its plan from which on a second is no worse than others. */
const ON_PLAN = 0.9;

/** `worst second 61 % of 600/s, at 4 s`; null if each second kept near its plan, or had none. */
export function worstSecondWords({ series }: Pick<LoadDocument, 'series'>): string | null {
  const shares = series.flatMap(({ t, rate, plannedRate = 0, drained }) =>
    drained || plannedRate === 0 ? [] : [{ t, plannedRate, share: rate / plannedRate }],
  );
  const [worst] = shares.sort((a, b) => a.share - b.share);
  if (worst === undefined || worst.share >= ON_PLAN) return null;
  const { t, plannedRate, share } = worst;
  return `worst second ${formatShare(share)} of ${formatRate(plannedRate)}, at ${Number(t.toFixed(1))} s`;
}

/** A latency of the successful requests; `–` if none succeeded. */
export function latencyWords(summary: LatencySummaryUs, field: LatencyField): string {
  return summary.count === 0 ? '–' : formatUs(summary[field]);
}

/** Failed share of the planned requests, 0 to 1. */
export function failedShare({ achieved }: LoadDocument): number {
  return achieved.planned === 0 ? 0 : achieved.failed / achieved.planned;
}

/** `3 requests were sent again, ...`; null if there were none. */
export function reconnectedWords({ achieved: { reconnected = 0 } }: LoadDocument): string | null {
  if (reconnected === 0) return null;
  const were = reconnected === 1 ? 'request was' : 'requests were';
  return `${formatCount(reconnected)} ${were} sent again, since the target closed a kept connection`;
}

/** `200: 1,250, 429: 3`; empty without counts. */
export function countWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${formatCount(count)}`)
    .join(', ');
}

/** `14 of 1,400 responses`, as many as were checked for their shape. */
export function checkedWords({ achieved, statuses }: LoadDocument): string {
  const of = formatCount(statuses['200'] ?? achieved.ok);
  return `${formatCount(achieved.checked)} of ${of} responses with status 200`;
}

/** A name and a value for a reader, neither escaped. */
export type TextFact = readonly [name: string, value: string];

/** State of the generator: whether it may have been the limit. */
export function generatorState({ generator, invalidBy }: LoadDocument): Outcome {
  if (!generator.saturated) return { tone: 'good', words: 'not saturated' };
  const state = invalidBy === 'lateness' ? 'late' : 'saturated';
  return { tone: 'bad', words: `${state}: it may be what was measured` };
}

/** Facts on the health of the generator, as far as they are known. */
export function generatorFacts(generator: GeneratorHealth): TextFact[] {
  const { workers, cpu, coreWait, eventLoopUtilization, sendLagUs } = generator;
  return [
    ['workers', `${workers}`],
    ...known('CPU', cpu, coresWords),
    ...known('waited for a core', coreWait, formatShare),
    ...known('event loop utilization', eventLoopUtilization, formatShare),
    ...known('send lag p50', sendLagUs?.p50, formatUs),
    ...known('send lag p99', sendLagUs?.p99, formatUs),
    ...known('send lag max', sendLagUs?.max, formatUs),
    ...known('stood still', generator.stoodStillS && generator.stoodStillS * 1e6, formatUs),
  ];
}

/** Facts on the health of the server, as far as they are known. */
export function serverFacts(server: ServerHealth): TextFact[] {
  const { cpu, eventLoopUtilization, rssBytes, gcMs } = server;
  return [
    ...known('CPU', cpu, coresWords),
    ...known('event loop utilization', eventLoopUtilization, formatShare),
    ...known('memory', rssBytes, formatBytes),
    ...known('garbage collection', gcMs && gcMs * 1000, formatUs),
  ];
}

const coresWords = (cores: number): string => `${cores.toFixed(2)} cores`;

function known(
  name: string,
  value: number | null | undefined,
  format: (value: number) => string,
): TextFact[] {
  return value == null ? [] : [[name, format(value)]];
}
