import type { ComparisonDocument } from '../../../documents/comparison.ts';
import { pairTable } from '../../text/pair-table.ts';
import { formatShare } from '../../text/quantities.ts';
import { sideFacts, sidesTable } from '../../text/spread-tables.ts';
import { type Fact, part, shortText, titledTable } from '../blocks.ts';
import { runDots, shiftPlot } from '../charts/comparison-plots.ts';
import { html, type Markup } from '../markup.ts';
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
