import type { LoadDocument } from '../../documents/load.ts';
import { escapeTerminalLine } from '../escape.ts';
import type { Column } from '../text/columns.ts';
import {
  checkedWords,
  failedShare,
  generatorFacts,
  generatorState,
  plannedWords,
  reconnectedWords,
  serverFacts,
  type TextFact,
} from '../text/load-words.ts';
import { formatCount, formatRate, formatShare } from '../text/quantities.ts';
import {
  AGENT_COLUMNS,
  latencyTable,
  SHAPE_COLUMNS,
  STAGE_COLUMNS,
  THRESHOLD_COLUMNS,
} from '../text/tables.ts';
import { countLines, type Paint, section, textTable } from './layout.ts';

/** A load run on a terminal: rates, latencies, thresholds, health of generator and server. */
export function loadLines(document: LoadDocument, paints: Paint): string[] {
  const { achieved, latencyUs, thresholds } = document;
  const { threshold, outcome, observed, margin } = THRESHOLD_COLUMNS;
  const latencies = latencyTable(latencyUs);
  return [
    '',
    `  rate      ${formatRate(achieved.rate)}${plannedWords(document)}`,
    `  requests  ${formatCount(achieved.ok)} ok, ${formatCount(achieved.failed)} failed ` +
      `(${formatShare(failedShare(document))}), ` +
      `${formatCount(achieved.sent)} sent of ${formatCount(achieved.planned)} planned`,
    ...reconnectedLines(document),
    ...countLines('statuses', document.statuses),
    ...countLines('errors  ', document.errors),
    ...checkedLines(document),
    '',
    ...textTable(latencies.columns, latencies.rows, paints),
    ...optionalTable(SHAPE_COLUMNS, document.shapes, paints),
    ...optionalTable(STAGE_COLUMNS, document.stages, paints),
    ...optionalTable([threshold, outcome, observed, margin], thresholds, paints),
    ...section('Health', healthLines(document, paints)),
    ...optionalTable(AGENT_COLUMNS, document.agents, paints),
  ];
}

/** A table after an empty line; nothing without rows. */
function optionalTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
  paints: Paint,
): string[] {
  return rows.length === 0 ? [] : ['', ...textTable(columns, rows, paints)];
}

function reconnectedLines(document: LoadDocument): string[] {
  const words = reconnectedWords(document);
  return words === null ? [] : [`  reconnected  ${words}`];
}

/** Number of responses that were checked for their shape, and a sample of each fault. */
function checkedLines(document: LoadDocument): string[] {
  return [
    `  checked   ${checkedWords(document)}`,
    ...(document.faultSamples ?? []).flatMap(({ fault, problem, body }) => [
      `            ${escapeTerminalLine(`${fault}: ${problem}`)}`,
      `            ${escapeTerminalLine(body, SAMPLE_LENGTH)}`,
    ]),
  ];
}

/** Characters of a sample on a terminal. */
const SAMPLE_LENGTH = 300;

function healthLines(document: LoadDocument, paints: Paint): string[] {
  const { generator, server } = document;
  const { tone, words } = generatorState(document);
  const state = generator.saturated ? paints[tone](words) : words;
  return [
    `  generator  ${state}: ${factWords(generatorFacts(generator))}`,
    ...generator.reasons.map((reason) => `             ${escapeTerminalLine(reason)}`),
    `  server     ${server ? factWords(serverFacts(server)) : 'not available'}`,
  ];
}

const factWords = (facts: readonly TextFact[]): string =>
  facts.map(([name, value]) => `${name} ${value}`).join(', ');
