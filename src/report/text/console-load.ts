import type { LoadDocument } from '../../documents/load.ts';
import { escapeTerminalLine } from '../escape/terminal.ts';
import { latencyRows } from './latency-rows.ts';
import { formatBytes, formatCount, formatRate, formatShare, formatUs } from './quantities.ts';
import { columns, type Paint } from './terminal-layout.ts';
import { thresholdWords } from './threshold-margin.ts';

/** A load run for a terminal: rates, response beside service time, thresholds, health of both. */
export function loadLines(document: LoadDocument, paints: Paint): string[] {
  const { achieved, intended, latencyUs } = document;
  const planned = intended.rate === null ? '' : ` of ${formatRate(intended.rate)} planned`;
  const failedShare = achieved.planned === 0 ? 0 : achieved.failed / achieved.planned;
  return [
    '',
    `  rate      ${formatRate(achieved.rate)}${planned}`,
    `  requests  ${formatCount(achieved.ok)} ok, ${formatCount(achieved.failed)} failed ` +
      `(${formatShare(failedShare)}), ${formatCount(achieved.sent)} sent of ${formatCount(achieved.planned)} planned`,
    ...countLines('statuses', document.statuses),
    ...countLines('errors  ', document.errors),
    '',
    ...columns([
      ['latency', 'response', 'service'],
      ...latencyRows(latencyUs).map(({ name, responseUs, serviceUs }) => [
        name,
        formatUs(responseUs),
        formatUs(serviceUs),
      ]),
    ]),
    ...thresholdLines(document, paints),
    ...healthLines(document, paints),
  ];
}

function countLines(label: string, counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts);
  if (entries.length === 0) return [];
  const words = entries.map(
    ([name, count]) => `${escapeTerminalLine(name)}: ${formatCount(count)}`,
  );
  return [`  ${label}  ${words.join(', ')}`];
}

function thresholdLines({ thresholds }: LoadDocument, paints: Paint): string[] {
  if (thresholds.length === 0) return [];
  const lines = thresholds.map((threshold) => {
    const { observed, marginPercent } = thresholdWords(threshold);
    const mark = threshold.held ? paints.good('held      ') : paints.bad('fell short');
    const margin = marginPercent === null ? '' : `, margin ${formatShare(marginPercent / 100)}`;
    return `  ${mark}  ${escapeTerminalLine(threshold.expression)}  observed ${observed}${margin}`;
  });
  return ['', 'Thresholds', ...lines];
}

function healthLines({ generator, server }: LoadDocument, paints: Paint): string[] {
  const lag = generator.sendLagUs;
  const parts = [
    `${generator.workers} worker${generator.workers === 1 ? '' : 's'}`,
    ...coreWords(generator.cpu),
    ...loopWords(generator.eventLoopUtilization),
    ...(lag === null ? [] : [`send lag p99 ${formatUs(lag.p99)}, max ${formatUs(lag.max)}`]),
  ];
  const state = generator.saturated ? paints.bad('SATURATED') : 'not saturated';
  const serverParts = server && [
    ...coreWords(server.cpu),
    ...loopWords(server.eventLoopUtilization),
    ...(server.rssBytes === null ? [] : [`memory ${formatBytes(server.rssBytes)}`]),
    ...(server.gcMs === null ? [] : [`garbage collection ${formatUs(server.gcMs * 1000)}`]),
  ];
  return [
    '',
    'Health',
    `  generator  ${state}: ${parts.join(', ')}`,
    ...(generator.reasons ?? []).map((reason) => `             ${escapeTerminalLine(reason)}`),
    `  server     ${serverParts ? serverParts.join(', ') : 'not seen from here'}`,
  ];
}

function coreWords(cores: number | null): string[] {
  return cores === null ? [] : [`${cores.toFixed(2)} cores`];
}

function loopWords(utilization: number | null): string[] {
  return utilization === null ? [] : [`event loop ${formatShare(utilization)}`];
}
