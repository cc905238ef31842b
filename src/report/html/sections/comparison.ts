import type { ComparedRun, ComparisonDocument } from '../../../documents/comparison.ts';
import { type Column, column, numbers } from '../../text/columns.ts';
import { pairTable } from '../../text/pair-table.ts';
import { formatNs, formatRate, formatShare, formatUs } from '../../text/quantities.ts';
import { sideFacts, sidesTable } from '../../text/spread-tables.ts';
import { type Fact, part, shortText, table, titledTable } from '../blocks.ts';
import { medianNs, runDots, shiftPlot } from '../charts/comparison-plots.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { verdictHeader } from '../verdict.ts';

/** Quantiles, or steps, that are shown. */
const ROW_LIMIT = 60;
/** Runs of a side that are shown. */
const RUN_LIMIT = 200;

/** Two builds: the shift of each quantile (or step), and the values of each run. */
export function comparisonSection(document: ComparisonDocument, id: string): Markup {
  const { a, b } = document.runs;
  return html`${verdictHeader(document, id, [
    ['runs', `${a.length} of the base, ${b.length} of the candidate`],
    ...sideFacts(document).map(([name, label]): Fact => [name, shortText(label, 300)]),
    ...settingFacts(document),
  ])}
    ${part('Both sides', `${id}-sides`, titledTable(sidesTable(document)))}
    ${part(
      document.steps ? 'Shift per step' : 'Shift per quantile',
      `${id}-shifts`,
      shiftPlot(document, ROW_LIMIT),
    )}
    ${part(
      'Runs',
      `${id}-runs`,
      runDots(document, ROW_LIMIT, RUN_LIMIT),
      titledTable(pairTable(document)),
      html`<details class="figures">
        <summary class="opener">Data table</summary>
        ${runTable(document)}
        </details>`,
    )}`;
}

function settingFacts({ marginPercent, selfTest }: ComparisonDocument): (Fact | false)[] {
  return [
    ['equivalence margin', `±${marginPercent} %`],
    selfTest !== undefined && [
      'self-test of the base',
      `${selfTest.falseAlarms} false alarms in ${selfTest.trials} trials (${formatShare(selfTest.falseAlarms / selfTest.trials)})`,
    ],
  ];
}

interface SideRun {
  readonly label: string;
  readonly run: ComparedRun;
}

function runTable({ runs, steps }: ComparisonDocument): Content {
  const side = (name: string, list: readonly ComparedRun[]): SideRun[] =>
    list.slice(0, RUN_LIMIT).map((run, at) => ({ label: `${name} ${at + 1}`, run }));
  const columns = [
    column('run', ({ label }: SideRun) => label),
    column('name', ({ run }: SideRun) => run.name),
    ...(steps ? steps.slice(0, ROW_LIMIT).map(({ name }) => stepColumn(name)) : LATENCIES),
  ];
  return table(steps ? 'Median of each step in each run' : 'Response time of each run', columns, [
    ...side('base', runs.a),
    ...side('candidate', runs.b),
  ]);
}

const LATENCIES = [
  numbers('rate', ({ run }: SideRun) => ('achieved' in run ? formatRate(run.achieved.rate) : '')),
  ...(['p50', 'p99', 'max'] as const).map((name) =>
    numbers(name, ({ run }: SideRun) =>
      'latencyUs' in run ? formatUs(run.latencyUs.response[name]) : '',
    ),
  ),
];

function stepColumn(name: string): Column<SideRun> {
  return numbers(name, ({ run }) => {
    const ns = medianNs(run, name);
    return ns === undefined ? '' : formatNs(ns);
  });
}
