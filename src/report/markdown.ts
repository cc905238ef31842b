import {
  type ConformanceDocument,
  type Diagnosis,
  type RuleResult,
} from '../documents/conformance.ts';
import { RULE_VERDICTS } from '../documents/rule-verdict.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { cutText, escapeMarkdown, markdownBlock, markdownCode } from './escape.ts';
import { type Block, blocksOf } from './text/blocks.ts';
import { type Cell, type Column, column } from './text/columns.ts';
import {
  exitWords,
  headlineOf,
  INTERRUPTED_WORDS,
  nextStepOf,
  verdictWords,
} from './text/headline.ts';
import { formatInstant, formatSpan } from './text/quantities.ts';
import { CHANGE_COLUMNS, changeRows } from './text/rule-changes.ts';
import {
  notableRules,
  rulesWith,
  sameOutputAs,
  scenarioReason,
  verdictFacts,
} from './text/rule-words.ts';
import type { Tone } from './text/tones.ts';

/** Sign of each tone. */
export const EMOJI: Readonly<Record<Tone, string>> = {
  good: '✅',
  bad: '❌',
  caution: '⚠️',
  unknown: '❔',
  neutral: '📏',
};

/** Characters of a text from a target: GitHub takes a mebibyte for a job summary. */
const TEXT_LIMIT = 2000;

/** Renders run documents in GitHub's Markdown, such as for `$GITHUB_STEP_SUMMARY`. */
export function toMarkdown(...documents: readonly RunDocument[]): string {
  return documents.map(documentText).join('\n');
}

function documentText(document: RunDocument): string {
  const headline = headlineOf(document);
  const { title, tone, sentence, changes, remedies } = headline;
  const exit = exitWords(document);
  const { words = '', command } = nextStepOf(document) ?? {};
  const { tool, startedAt, finishedAt } = document;
  const footer = [
    escapeMarkdown(`${tool.name} ${tool.version}`),
    formatInstant(startedAt),
    formatSpan(startedAt, finishedAt),
  ];
  return [
    `## ${EMOJI[tone]} ${escapeMarkdown(title)}: ${escapeMarkdown(verdictWords(headline))}\n`,
    `${escapeMarkdown(sentence)}\n`,
    ...(changes === undefined ? [] : [`${escapeMarkdown(changes)}\n`]),
    ...(remedies === undefined ? [] : [`${escapeMarkdown(remedies)}\n`]),
    ...(command === undefined
      ? []
      : [`Next: ${escapeMarkdown(words)}: ${markdownCode(command)}\n`]),
    ...(exit === null ? [] : [`**${escapeMarkdown(exit)}**\n`]),
    ...(document.interrupted === true ? [`**${INTERRUPTED_WORDS}**\n`] : []),
    ...bodyParts(document),
    ...(document.notes ?? []).map((note) => `> ${escapeMarkdown(note)}\n`),
    `<sub>${footer.join(' · ')}</sub>\n`,
  ].join('\n');
}

function bodyParts(document: RunDocument): string[] {
  return document.kind === 'conformance'
    ? conformanceParts(document)
    : blocksOf(document).flatMap(blockParts);
}

function blockParts(block: Block): string[] {
  const heading = block.title === '' ? [] : [`${escapeMarkdown(block.title)}:\n`];
  if ('rows' in block)
    return block.rows.length === 0 ? [] : [...heading, table(block.columns, block.rows)];
  const facts = block.facts.filter(([, words]) => words !== '');
  return [...heading, ...facts.map(([name, words]) => `- ${name}: ${shortened(words)}`), ''];
}

function conformanceParts(document: ConformanceDocument): string[] {
  const { diagnosis, scenarios = [], waivers = [], summary } = document;
  const counts = RULE_VERDICTS.map((name) => ({ name, cell: () => `${summary[name]}` }));
  return [
    table(counts, [summary]),
    ...(document.against ? optionalTable(CHANGE_COLUMNS, changeRows(document.against)) : []),
    ...(diagnosis === undefined ? [] : [diagnosisText(diagnosis)]),
    ...notableRules(document).map(ruleText),
    ...(diagnosis === undefined
      ? []
      : folded('Inconclusive', rulesWith(document, 'inconclusive'), REASON_COLUMNS)),
    ...folded('Scenarios', scenarios, [
      column('scenario', ({ name }) => name),
      column('verdict', ({ verdict }) => verdict),
      column('missing', scenarioReason),
    ]),
    ...scenarios.flatMap((scenario, at) => {
      const { name, output, log = '' } = scenario;
      if (output === undefined || sameOutputAs(scenario, scenarios.slice(0, at)) !== null)
        return [];
      return [
        `Last lines of the client in ${markdownCode(name)} (${markdownCode(log)}):\n`,
        markdownBlock(output.join('\n')),
      ];
    }),
    ...folded('Waived', rulesWith(document, 'waived'), REASON_COLUMNS),
    ...folded('Untestable', rulesWith(document, 'untestable'), REASON_COLUMNS),
    ...folded(
      'Waiver problems',
      waivers.filter(({ problem }) => problem !== undefined),
      [
        column('waiver', ({ rule }) => ({ code: rule })),
        column('until', ({ until }) => until),
        column('problem', ({ problem = '' }) => problem),
      ],
    ),
  ];
}

const REASON_COLUMNS: readonly Column<RuleResult>[] = [
  column('rule', ({ id }) => ({ code: id })),
  column('reason', ({ reason }) => reason),
  column('remedy', ({ remedy = '' }) => remedy),
];

function diagnosisText({ finding, remedy, exchange }: Diagnosis): string {
  return [
    `### ${EMOJI.bad} Diagnosis\n`,
    `${shortened(finding)}\n`,
    `- remedy: ${shortened(remedy)}`,
    ...(exchange === undefined ? [] : [`- evidence: ${escapeMarkdown(exchange)}`]),
    '',
  ].join('\n');
}

const RULE_TONES = { fail: 'bad', warn: 'caution', inconclusive: 'unknown' } as const;

function ruleText(rule: RuleResult): string {
  const tone = RULE_TONES[rule.verdict as keyof typeof RULE_TONES];
  return [
    `### ${EMOJI[tone]} ${markdownCode(rule.id)}\n`,
    `${escapeMarkdown(rule.statement)}\n`,
    ...verdictFacts(rule).map(([name, text]) => `- ${name}: ${shortened(text)}`),
    ...(rule.repeat === undefined ? [] : [`- rerun: ${markdownCode(rule.repeat)}`]),
    ...(rule.replay === undefined ? [] : [`- replay: ${markdownCode(rule.replay)}`]),
    ...(rule.curl === undefined ? [] : ['', markdownBlock(cutText(rule.curl, TEXT_LIMIT), 'sh')]),
    '',
  ].join('\n');
}

/** A table; nothing without rows. */
export function optionalTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] = [],
): string[] {
  return rows.length === 0 ? [] : [table(columns, rows)];
}

/** A table in GitHub's Markdown. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(({ numeric }) => (numeric === true ? '--:' : '---'))),
    ...rows.map((row, index) =>
      line(columns.map(({ cell, numeric }) => cellText(cell(row, index), numeric === true))),
    ),
    '',
  ].join('\n');
}

/** @param isNumber a formatted number, in which nothing is to be escaped */
function cellText(cell: Cell, isNumber: boolean): string {
  if (typeof cell === 'string') return isNumber ? cell : shortened(cell);
  return 'code' in cell ? markdownCode(cell.code) : `${EMOJI[cell.tone]} ${cell.words}`;
}

function shortened(text: string): string {
  return escapeMarkdown(cutText(text, TEXT_LIMIT));
}

/** A table that is closed until the reader opens it; nothing if there are no rows. */
function folded<Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): string[] {
  if (rows.length === 0) return [];
  const summary = `<summary>${title} (${rows.length})</summary>`;
  return [`<details>${summary}\n\n${table(columns, rows)}\n</details>\n`];
}
