import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { escapeTerminalLine } from '../escape.ts';
import type { TitledTable } from '../text/columns.ts';
import { exitWords, headlineOf, INTERRUPTED_WORDS, nextStepOf } from '../text/headline.ts';
import { pairTable } from '../text/pair-table.ts';
import { countOf, formatSpan, namedShifts } from '../text/quantities.ts';
import { COMPARED_COLUMNS, changeRows, comparedFacts } from '../text/rule-changes.ts';
import { suiteWords } from '../text/rule-words.ts';
import { setTable, sideFacts, sidesTable } from '../text/spread-tables.ts';
import { STEP_COLUMNS, shiftColumns, TRIAL_COLUMNS } from '../text/tables.ts';
import { conformanceLines } from './conformance.ts';
import {
  labelled,
  type Paint,
  paint,
  section,
  tableSection,
  textTable,
  wrapped,
} from './layout.ts';
import { loadLines } from './load.ts';

/**
 * Renders a run document for a terminal: verdict and completeness, what is broken and how to
 * reproduce it, then the rest. Ends with a line feed.
 *
 * @param color true for ANSI colours
 * @param columns width of the terminal; left out, lines are as long as they are
 */
export function toConsole(
  document: RunDocument,
  {
    color,
    columns = Number.POSITIVE_INFINITY,
  }: { readonly color: boolean; readonly columns?: number | undefined },
): string {
  const lines = documentLines(document, paint(color, columns));
  const all = lines.flatMap((line) => line.split('\n')).flatMap((line) => wrapped(line, columns));
  return `${all.join('\n')}\n`;
}

function documentLines(document: RunDocument, paints: Paint): string[] {
  const headline = headlineOf(document);
  const { title, verdict, counts, tone, sentence, changes, remedies } = headline;
  const isWord = /^[A-Za-z ]+$/.test(verdict);
  const shown = paints[tone](paints.bold(isWord ? verdict.toUpperCase() : verdict));
  const exit = exitWords(document);
  const { words = '', command } = nextStepOf(document) ?? {};
  return [
    `${shown}${counts === undefined ? '' : `, ${counts}`}  ${escapeTerminalLine(title)}`,
    escapeTerminalLine(sentence),
    ...(changes === undefined ? [] : [escapeTerminalLine(changes)]),
    ...(remedies === undefined ? [] : [escapeTerminalLine(remedies)]),
    paints.dim(escapeTerminalLine(contextOf(document))),
    ...(document.interrupted === true ? [paints.caution(INTERRUPTED_WORDS)] : []),
    ...bodyLines(document, paints),
    ...(document.notes ?? []).map((text) => `note  ${escapeTerminalLine(text)}`),
    ...(command === undefined
      ? []
      : section(escapeTerminalLine(`Next: ${words}`), [`  ${escapeTerminalLine(command)}`])),
    ...(exit === null ? [] : ['', escapeTerminalLine(exit)]),
  ];
}

function contextOf(document: RunDocument): string {
  const span = formatSpan(document.startedAt, document.finishedAt);
  switch (document.kind) {
    case 'conformance': {
      const { orders, seed, target } = document;
      return [
        `${target.baseUrl} (${target.environment})`,
        `suite ${suiteWords(document)}`,
        ...(orders === undefined ? [] : [`orders ${orders ?? 'not declared'}`]),
        `seed ${seed}`,
        span,
      ].join(' · ');
    }
    case 'load':
      return `${document.target.baseUrl} · ${document.model} model · ${document.engine} · ${span}`;
    case 'find-max': {
      const trials = countOf(document.trials.length, 'trial');
      return `${document.target.baseUrl} · ${document.objective} · ${trials} · ${span}`;
    }
    case 'rule-comparison':
      return `two ${document.side === 'client' ? 'certifications' : 'checks'}, rule by rule`;
    case 'load-set':
    case 'comparison':
    case 'bench':
      return span;
  }
}

function bodyLines(document: RunDocument, paints: Paint): string[] {
  switch (document.kind) {
    case 'conformance':
      return conformanceLines(document, paints);
    case 'load':
      return loadLines(document, paints);
    case 'load-set':
      return [
        ...titledLines(setTable(document.spread), paints),
        ...document.runs.flatMap((run) => ['', ...documentLines(run, paints)]),
      ];
    case 'find-max': {
      const { trial, rate, achieved, p99, failed, coreWait, outcome } = TRIAL_COLUMNS;
      const columns = [trial, rate, achieved, p99, failed, coreWait, outcome];
      return ['', ...textTable(columns, document.trials, paints)];
    }
    case 'comparison':
      return comparisonLines(document, paints);
    case 'rule-comparison':
      return [
        ...section(
          'Runs',
          comparedFacts(document).map(([name, words]) => labelled(name, words, 9)),
        ),
        ...tableSection(
          { title: 'Changes', columns: COMPARED_COLUMNS, rows: changeRows(document) },
          paints,
        ),
      ];
    case 'bench':
      return ['', ...textTable(STEP_COLUMNS, document.steps, paints)];
  }
}

function comparisonLines(document: ComparisonDocument, paints: Paint): string[] {
  return [
    ...section(
      'Sides',
      sideFacts(document).map(([name, label]) => labelled(name, label, 9)),
    ),
    ...titledLines(sidesTable(document), paints),
    ...tableSection(
      { title: 'Shifts', columns: shiftColumns(document), rows: namedShifts(document) },
      paints,
    ),
    ...titledLines(pairTable(document), paints),
  ];
}

function titledLines<Row>(table: TitledTable<Row> | null, paints: Paint): string[] {
  return table === null ? [] : tableSection(table, paints);
}
