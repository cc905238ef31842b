import type { LoadDocument } from '../../documents/load.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { cutText } from '../escape.ts';
import { type Block, type TitledTable, tableBlock } from './columns.ts';
import { conformanceBlocks } from './conformance-blocks.ts';
import {
  checkedWords,
  countWords,
  failedShare,
  generatorFacts,
  generatorState,
  plannedWords,
  reconnectedWords,
  serverFacts,
  type TextFact,
} from './load-words.ts';
import { pairTable } from './pair-table.ts';
import { formatCount, formatRate, formatShare, namedShifts } from './quantities.ts';
import { COMPARED_COLUMNS, changeRows, comparedFacts } from './rule-changes.ts';
import { setTable, sideFacts, sidesTable } from './spread-tables.ts';
import {
  AGENT_COLUMNS,
  latencyTable,
  RUN_COLUMNS,
  SHAPE_COLUMNS,
  STAGE_COLUMNS,
  STEP_COLUMNS,
  shiftColumns,
  THRESHOLD_COLUMNS,
  TRIAL_COLUMNS,
} from './tables.ts';

/** The parts of a run, for terminal and Markdown alike. */
export function blocksOf(document: RunDocument): Block[] {
  switch (document.kind) {
    case 'conformance':
      return conformanceBlocks(document);
    case 'load':
      return loadBlocks(document);
    case 'load-set': {
      const { run, verdict, achieved, p50, p99, failed } = RUN_COLUMNS;
      const columns = [run, verdict, achieved, p50, p99, failed];
      return [...titled(setTable(document.spread)), tableBlock('Runs', columns, document.runs)];
    }
    case 'find-max': {
      const { trial, rate, achieved, p99, failed, coreWait, outcome } = TRIAL_COLUMNS;
      const columns = [trial, rate, achieved, p99, failed, coreWait, outcome];
      return [tableBlock(`Objective ${document.objective}`, columns, document.trials)];
    }
    case 'comparison':
      return [
        { title: 'Sides', facts: sideFacts(document) },
        ...titled(sidesTable(document)),
        tableBlock('Shifts', shiftColumns(document), namedShifts(document)),
        ...titled(pairTable(document)),
      ];
    case 'rule-comparison':
      return [
        { title: 'Runs', facts: comparedFacts(document) },
        tableBlock('Changes', COMPARED_COLUMNS, changeRows(document)),
      ];
    case 'bench':
      return [tableBlock('', STEP_COLUMNS, document.steps)];
  }
}

/** Characters of a sample of a malformed response. */
const SAMPLE_LENGTH = 300;

function loadBlocks(document: LoadDocument): Block[] {
  const { achieved, generator, server, statuses, errors, faultSamples = [] } = document;
  const { threshold, outcome, observed, margin } = THRESHOLD_COLUMNS;
  const latencies = latencyTable(document.latencyUs);
  const [rate, all, failed] = [achieved.rate, achieved.planned, achieved.failed];
  const requests = `${formatCount(achieved.ok)} ok, ${formatCount(failed)} failed (${formatShare(failedShare(document))}), ${formatCount(achieved.sent)} sent of ${formatCount(all)} planned`;
  const state = `${generatorState(document).words}: ${factWords(generatorFacts(generator))}`;
  return [
    {
      title: '',
      facts: [
        ['rate', formatRate(rate) + plannedWords(document)],
        ['requests', requests],
        ['again', reconnectedWords(document) ?? ''],
        ['statuses', countWords(statuses)],
        ['errors', countWords(errors)],
        ['checked', checkedWords(document)],
        ...faultSamples.map(
          ({ fault, problem, body }): TextFact => [
            'fault',
            `${fault}: ${problem}\n${cutText(body, SAMPLE_LENGTH)}`,
          ],
        ),
      ],
    },
    tableBlock('', latencies.columns, latencies.rows),
    tableBlock('', SHAPE_COLUMNS, document.shapes),
    tableBlock('', STAGE_COLUMNS, document.stages),
    tableBlock('', [threshold, outcome, observed, margin], document.thresholds),
    {
      title: 'Health',
      facts: [
        ['generator', [state, ...generator.reasons].join('\n')],
        ['server', server ? factWords(serverFacts(server)) : 'not available'],
      ],
    },
    tableBlock('', AGENT_COLUMNS, document.agents),
  ];
}

const factWords = (facts: readonly TextFact[]): string =>
  facts.map(([name, value]) => `${name} ${value}`).join(', ');

const titled = <Row>(one: TitledTable<Row> | null): Block[] =>
  one === null ? [] : [tableBlock(one.title, one.columns, one.rows)];
